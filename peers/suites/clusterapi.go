package main

// The suites of cluster-api.

import (
	"os"
	"path/filepath"
)

const (
	clusterAPI        = "sigs.k8s.io/cluster-api"
	clusterAPIVersion = "v1.14.2"
)

// clusterAPITests returns a function that runs the tests of a cluster-api package. cluster-api's go.mod expects the
// module of its types in the folder api, which the published module lacks, so copyTo puts it there.
func clusterAPITests(folder string) func(place) ([]outcome, error) {
	return func(at place) ([]outcome, error) {
		sources, err := module(at, clusterAPI, clusterAPIVersion)
		if err != nil {
			return nil, err
		}
		types, err := module(at, clusterAPI+"/api", clusterAPIVersion)
		if err != nil {
			return nil, err
		}
		if err := copyTo(types, filepath.Join(sources, "api")); err != nil {
			return nil, err
		}
		return built(at, sources, folder)
	}
}

// copyTo copies a folder, unless the target exists.
func copyTo(folder, to string) error {
	copying.Lock()
	defer copying.Unlock()
	if _, err := os.Stat(to); err == nil {
		return nil
	}
	partial := to + ".partial"
	if err := os.RemoveAll(partial); err != nil {
		return err
	}
	if err := os.CopyFS(partial, os.DirFS(folder)); err != nil {
		return err
	}
	return os.Rename(partial, to)
}
