// Command openapi packs the OpenAPI documents that the in-memory API server serves: Kubernetes' documents, cut down
// to the served paths.
//
//	cd peers/openapi && go run . > ../../crates/kube-testcluster/src/discovery/openapi/documents.gz
//
// crates/kube-testcluster/src/discovery/openapi/documents.rs describes the format of the pack. served.go lists the
// served resources. A test compares the list with the server's own table
// (crates/kube-testcluster/tests/it/cluster_openapi.rs).
package main

import (
	"log"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

func main() {
	log.SetFlags(0)
	published := download()
	var documents []*document
	documents = append(documents, v2(read(filepath.Join(published, "swagger.json")))...)
	files, err := filepath.Glob(filepath.Join(published, "v3", "*_openapi.json"))
	check(err)
	sort.Strings(files)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), "_openapi.json")
		documents = append(documents, v3(strings.ReplaceAll(name, "__", "/"), read(file))...)
	}
	documents = append(documents, index(documents))
	write(os.Stdout, documents)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
