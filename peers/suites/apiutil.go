package main

// Runs controller-runtime packages that use Go's testing package alone.

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// goPackage returns a function that runs the tests of a controller-runtime package that uses plain Go tests, which
// start API servers themselves.
func goPackage(folder string) func(place) ([]outcome, error) {
	return func(at place) ([]outcome, error) {
		sources, err := module(at, controllerRuntime, controllerRuntimeVersion)
		if err != nil {
			return nil, err
		}
		data, err := binaries(at, olderServer)
		if err != nil {
			return nil, err
		}
		return built(at, sources, folder, "XDG_DATA_HOME="+data)
	}
}

// binaries makes a data folder in which envtest finds informer-lab as the binaries of a version, so that envtest
// downloads none.
func binaries(at place, version string) (string, error) {
	assets, err := exec.Command(at.lab, "envtest").Output()
	if err != nil {
		return "", fmt.Errorf("informer-lab envtest: %w", err)
	}
	data := filepath.Join(at.scratch, "data")
	folder := filepath.Join(data, "kubebuilder-envtest", "k8s", fmt.Sprintf("%s-%s-%s", version, runtime.GOOS, runtime.GOARCH))
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		return "", err
	}
	if err := os.RemoveAll(folder); err != nil {
		return "", err
	}
	return data, os.Symlink(strings.TrimSpace(string(assets)), folder)
}
