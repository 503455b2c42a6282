package main

// Builds and runs test programs of Go, and parses their output.

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

// built builds the tests of a package and runs them.
func built(at place, sources, folder string, environment ...string) ([]outcome, error) {
	program := filepath.Join(at.scratch, filepath.Base(sources)+"-"+strings.ReplaceAll(folder, "/", "-")+".test")
	build := exec.Command("go", "test", "-c", "-o", program, "./"+folder)
	build.Dir = sources
	if output, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, output)
	}
	return goTests(at, program, filepath.Join(sources, folder), environment...)
}

// goTests runs a Go test program, which starts API servers itself.
func goTests(at place, program, folder string, environment ...string) ([]outcome, error) {
	assets, err := exec.Command(at.lab, "envtest").Output()
	if err != nil {
		return nil, fmt.Errorf("informer-lab envtest: %w", err)
	}
	ctx, end := context.WithTimeout(context.Background(), patience)
	defer end()
	run := inGroup(exec.CommandContext(ctx, program, "-test.v"))
	run.Dir = folder
	run.Env = append(append(os.Environ(), "KUBEBUILDER_ASSETS="+strings.TrimSpace(string(assets))), environment...)
	output, err := run.CombinedOutput()
	if failed := (*exec.ExitError)(nil); err != nil && !errors.As(err, &failed) {
		return nil, err // failed tests are read from the output
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("the tests took more than %s: %s", patience, tail(output))
	}
	outcomes := goOutcomes(string(output))
	if err != nil && !slices.ContainsFunc(outcomes, func(o outcome) bool { return !o.passed }) {
		return nil, fmt.Errorf("the program failed, but none of its tests did: %w: %s", err, tail(output))
	}
	return outcomes, nil
}

var goLine = regexp.MustCompile(`^\s*(?:=== (?:RUN|NAME|CONT)|--- (PASS|FAIL):)\s+(\S+)`)

// goOutcomes parses the output of `go test -v`. A test with subtests counts by its subtests, or by itself if it fails
// and none of them does.
func goOutcomes(output string) (outcomes []outcome) {
	said, failed, parents := map[string]string{}, map[string]bool{}, map[string]bool{}
	var order []string
	running := ""
	for line := range strings.Lines(output) {
		found := goLine.FindStringSubmatch(line)
		switch {
		case found == nil:
			if strings.Contains(line, ".go:") {
				said[running] = line // the last line says why the test failed
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
