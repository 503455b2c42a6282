package main

import (
	"os"
	"path/filepath"
)

const (
	clusterAPI        = "sigs.k8s.io/cluster-api"
	clusterAPIVersion = "v1.14.2"
)

// clusterAPITests is a package of cluster-api. Its types are a module of their own, which its go.mod looks for in a folder.
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

// copyTo copies a folder to where it is looked for, unless it is there.
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
