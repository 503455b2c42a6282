package main

// Runs test packages that use Ginkgo and envtest.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ginkgo returns a function that runs the Ginkgo specs of a controller-runtime package. The package's envtest starts
// informer-lab instead of the binaries of etcd and kube-apiserver.
func ginkgo(folder string) func(place) ([]outcome, error) {
	return func(at place) ([]outcome, error) {
		sources, err := module(at, controllerRuntime, controllerRuntimeVersion)
		if err != nil {
			return nil, err
		}
		program := filepath.Join(at.scratch, strings.ReplaceAll(folder, "/", "-")+".test")
		build := exec.Command("go", "test", "-c", "-o", program, "./"+folder)
		build.Dir = sources
		if output, err := build.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%w: %s", err, output)
		}
		return specs(at, program, filepath.Join(sources, folder))
	}
}

// specs runs a Ginkgo program, which starts API servers itself, and reads its report.
func specs(at place, program, folder string) ([]outcome, error) {
	report := program + ".json"
	if err := os.RemoveAll(report); err != nil {
		return nil, err
	}
	assets, err := exec.Command(at.lab, "envtest").Output()
	if err != nil {
		return nil, fmt.Errorf("informer-lab envtest: %w", err)
	}
	ctx, end := context.WithTimeout(context.Background(), patience)
	defer end()
	run := inGroup(exec.CommandContext(ctx, program, "-ginkgo.json-report="+report, "-ginkgo.no-color"))
	run.Dir = folder
	run.Env = append(os.Environ(), "USE_EXISTING_CLUSTER=false", "KUBEBUILDER_ASSETS="+strings.TrimSpace(string(assets)))
	output, err := run.CombinedOutput()
	if failed := (*exec.ExitError)(nil); err != nil && !errors.As(err, &failed) {
		return nil, err // failed tests are in the report
	}
	text, err := os.ReadFile(report)
	if err != nil {
		return nil, fmt.Errorf("the program wrote no report: %s", tail(output))
	}
	return read(text)
}

// read parses Ginkgo's report in JSON.
func read(text []byte) ([]outcome, error) {
	var reports []struct {
		SpecReports []struct {
			ContainerHierarchyTexts           []string
			LeafNodeType, LeafNodeText, State string
			Failure                           struct{ Message string }
		}
	}
	if err := json.Unmarshal(text, &reports); err != nil {
		return nil, err
	}
	var outcomes []outcome
	for _, report := range reports {
		for _, spec := range report.SpecReports {
			passed := spec.State == "passed"
			if spec.State == "pending" || spec.State == "skipped" || spec.LeafNodeType != "It" && passed {
				continue // upstream skips the spec, or the node is a passed setup or teardown, which is no test
			}
			name := strings.Join(append(spec.ContainerHierarchyTexts, spec.LeafNodeText), " ")
			if spec.LeafNodeType != "It" {
				name = spec.LeafNodeType + " " + name
			}
			outcomes = append(outcomes, outcome{strings.TrimSpace(name), passed, first(spec.Failure.Message)})
		}
	}
	return outcomes, nil
}

// first returns the first 300 bytes of a message, on one line.
func first(message string) string {
	line := strings.Join(strings.Fields(message), " ")
	if len(line) > 300 {
		line = line[:300] + "…"
	}
	return line
}

// tail returns the end of an output, for an error.
func tail(output []byte) string {
	return string(output[max(0, len(output)-2000):])
}
