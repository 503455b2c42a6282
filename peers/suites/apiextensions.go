package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	apiextensions        = "k8s.io/apiextensions-apiserver"
	apiextensionsFixture = "test/integration/fixtures/server.go"
)

// customResources runs the integration tests of apiextensions-apiserver. Of its files one is replaced: that which starts the server.
func customResources(packages ...string) func(place) ([]outcome, error) {
	return func(at place) ([]outcome, error) {
		sources, err := module(at, apiextensions, clientGoVersion)
		if err != nil {
			return nil, err
		}
		fixture := filepath.Join(filepath.Dir(filepath.Dir(at.scratch)), "peers", "suites", "apiextensions", "server.go")
		overlay, err := overlay(at, "apiextensions", map[string]string{filepath.Join(sources, apiextensionsFixture): fixture})
		if err != nil {
			return nil, err
		}
		var outcomes []outcome
		for _, folder := range packages {
			// The name that `go test` gives it: it is that of a field manager.
			program := filepath.Join(at.scratch, filepath.Base(folder)+".test")
			build := exec.Command("go", "test", "-c", "-overlay", overlay, "-o", program, "./"+folder)
			build.Dir = sources
			if told, err := build.CombinedOutput(); err != nil {
				return nil, fmt.Errorf("%w: %s", err, told)
			}
			tested, err := goTests(at, program, filepath.Join(sources, folder))
			if err != nil {
				return nil, err
			}
			outcomes = append(outcomes, tested...)
		}
		return outcomes, nil
	}
}

// goTests runs a program of Go's tests that starts API servers by itself.
func goTests(at place, program, folder string) ([]outcome, error) {
	assets, err := exec.Command(at.lab, "envtest").Output()
	if err != nil {
		return nil, fmt.Errorf("informer-lab envtest: %w", err)
	}
	ctx, end := context.WithTimeout(context.Background(), patience)
	defer end()
	run := inGroup(exec.CommandContext(ctx, program, "-test.v"))
	run.Dir = folder
	run.Env = append(os.Environ(), "KUBEBUILDER_ASSETS="+strings.TrimSpace(string(assets)))
	told, err := run.CombinedOutput()
	if failed := (*exec.ExitError)(nil); err != nil && !errors.As(err, &failed) {
		return nil, err // a test that failed is in what it has told
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("it took more than %s: %s", patience, tail(told))
	}
	return goOutcomes(string(told)), nil
}

var goLine = regexp.MustCompile(`^\s*(?:=== (?:RUN|NAME|CONT)|--- (PASS|FAIL):)\s+(\S+)`)

// goOutcomes reads what a program of Go's tests prints. A test counts by its parts, if it has any: by itself only if it fails and none of
// them does.
func goOutcomes(told string) (outcomes []outcome) {
	said, failed, parents := map[string]string{}, map[string]bool{}, map[string]bool{}
	var order []string
	running := ""
	for line := range strings.Lines(told) {
		found := goLine.FindStringSubmatch(line)
		switch {
		case found == nil:
			if strings.Contains(line, ".go:") {
				said[running] = line // the last word is why it failed
			}
		case found[1] == "":
			running = found[2]
		default:
			test := found[2]
			failed[test] = found[1] == "FAIL"
			order = append(order, test)
			if cut := strings.LastIndex(test, "/"); cut >= 0 {
				parents[test[:cut]] = true
			}
		}
	}
	for _, test := range order {
		failedPart := slices.ContainsFunc(order, func(part string) bool { return strings.HasPrefix(part, test+"/") && failed[part] })
		if !parents[test] || failed[test] && !failedPart {
			outcomes = append(outcomes, outcome{test, !failed[test], first(said[test])})
		}
	}
	return outcomes
}
