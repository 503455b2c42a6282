package main

// Downloads the OpenAPI documents that Kubernetes publishes with its sources.

import (
	"encoding/json"
	"log"
	"os"
	"os/exec"
	"path/filepath"
)

type object = map[string]any

// version is the Kubernetes version of the documents. Our server reports the same version.
var version string

// download downloads the sources of Kubernetes in the version of ../validation/go.mod, and returns the folder with the
// published documents. Go refuses sources whose sum is not the one in ../validation/go.sum.
func download() string {
	module := struct{ Dir, Version string }{}
	command := exec.Command("go", "mod", "download", "-json", "k8s.io/kubernetes")
	command.Dir = filepath.Join("..", "validation")
	out, err := command.Output()
	if err != nil {
		log.Fatalf("cannot download k8s.io/kubernetes: %v: %s", err, out)
	}
	check(json.Unmarshal(out, &module))
	version = module.Version
	return filepath.Join(module.Dir, "api", "openapi-spec")
}

func read(path string) object {
	text, err := os.ReadFile(path)
	check(err)
	value := object{}
	check(json.Unmarshal(text, &value))
	return value
}
