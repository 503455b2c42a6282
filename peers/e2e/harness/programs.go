// Package harness runs the programs of the end-to-end tests: the program under test, the real API server and kubectl.
// Every server listens on a free port of the loopback interface, and every program ends with its test. Tests wait for
// output or effects of a program, and never for a fixed time. Patience is only the upper limit.
package harness

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"informer-lab/peers"
)

// Patience is the longest wait for a condition before the test fails. No test sleeps for it.
const Patience = 30 * time.Second

// Lab returns the path of the program under test: INFORMER_LAB, or the debug build.
func Lab() string {
	return fromEnvironment("INFORMER_LAB", Root("target", "debug", "informer-lab"))
}

// OldKubectl returns the path of Debian's kubectl 1.20: KUBECTL_1_20, or the place where .ci/kubectl-1.20 puts it.
func OldKubectl() string {
	return fromEnvironment("KUBECTL_1_20", Root("target", "kubectl-1.20", "usr", "bin", "kubectl"))
}

// Peer returns the path of a program of this module that Build has built.
func Peer(name string) string {
	return Root("target", "peers", name)
}

// Fixture returns the path of a file in the project's fixtures.
func Fixture(path ...string) string {
	return Root(append([]string{"fixtures"}, path...)...)
}

func DefaultStages() string {
	return Root("crates", "kube-controllers", "src", "nodes", "stages", "default.yaml")
}

// Build builds the programs of this module, and checks that the program under test exists.
func Build() error {
	// kubectl and the API server report this version.
	stamp := "-X k8s.io/component-base/version.gitVersion=" + peers.Kubernetes()
	for _, arguments := range [][]string{
		{"-o", Peer(""), "-ldflags", stamp, "./kubectl", "./apiserver", "./differential", "./lifecycle", "./record", "./tracer"},
		{"-o", Peer("tutorial"), "./tutorial/..."},
	} {
		if err := goBuild(arguments); err != nil {
			return err
		}
	}
	if _, err := os.Stat(Lab()); err != nil {
		return fmt.Errorf("informer-lab is missing: run cargo build, or name it in INFORMER_LAB: %w", err)
	}
	return nil
}

func goBuild(arguments []string) error {
	arguments[1] += "/" // makes go build write into a folder of this name
	build := exec.Command("go", append([]string{"build", "-buildvcs=false"}, arguments...)...)
	build.Dir = Root("peers")
	build.Stdout, build.Stderr = os.Stdout, os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("go build: %w", err)
	}
	return nil
}

func fromEnvironment(variable, otherwise string) string {
	if path := os.Getenv(variable); path != "" {
		return path
	}
	return otherwise
}

// Root returns a path in the project.
func Root(path ...string) string {
	_, file, _, ok := runtime.Caller(0)
	if !ok {
		panic("unreachable: the name of this file is always known")
	}
	return filepath.Join(append([]string{filepath.Dir(file), "..", "..", ".."}, path...)...)
}
