// Package e2e holds the end-to-end tests: kubectl, client-go and a real API server against the programs of this
// project.
//
//	kubectl_*_test.go    the new kubectl and 1.20 against the built-in cluster
//	clientgo_*_test.go   client-go's informers and leader election against the built-in cluster
//	tutorial_test.go     the Go programs of the tutorials against the built-in cluster
//	lessons_test.go      the lessons against a real API server
//	conversion_test.go   conversion webhooks, with the same requests to both servers
//	record_test.go       recordings of the real API server, made again
//	documents_test.go    the output of kubectl in the documents
package e2e

import (
	"fmt"
	"os"
	"testing"

	"informer-lab/peers/e2e/harness"
)

func TestMain(m *testing.M) {
	if err := harness.Build(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
