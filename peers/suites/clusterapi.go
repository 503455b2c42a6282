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
		link := filepath.Join(sources, "api")
		if err := os.Symlink(types, link); err != nil && !os.IsExist(err) {
			return nil, err
		}
		return built(at, sources, folder)
	}
}
