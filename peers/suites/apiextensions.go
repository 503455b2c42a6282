package main

// The suite of apiextensions-apiserver's integration tests.

import (
	"fmt"
	"os/exec"
	"path/filepath"
)

const (
	apiextensions        = "k8s.io/apiextensions-apiserver"
	apiextensionsFixture = "test/integration/fixtures/server.go"
)

// customResources returns a function that runs the integration tests of apiextensions-apiserver against our server. The
// function replaces one file of the tests: the fixture that starts the server.
func customResources(packages ...string) func(place) ([]outcome, error) {
	return func(at place) ([]outcome, error) {
		sources, err := module(at, apiextensions, clientGoVersion)
		if err != nil {
			return nil, err
		}
		fixture := filepath.Join(at.project, "peers", "suites", "apiextensions", "server.go")
		overlay, err := overlay(at, "apiextensions", map[string]string{filepath.Join(sources, apiextensionsFixture): fixture})
		if err != nil {
			return nil, err
		}
		var outcomes []outcome
		for _, folder := range packages {
			// The program has the name that `go test` gives it, because the tests expect that name as a field manager.
			program := filepath.Join(at.scratch, filepath.Base(folder)+".test")
			build := exec.Command("go", "test", "-c", "-overlay", overlay, "-o", program, "./"+folder)
			build.Dir = sources
			if output, err := build.CombinedOutput(); err != nil {
				return nil, fmt.Errorf("%w: %s", err, output)
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
