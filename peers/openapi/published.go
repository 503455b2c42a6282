package main

// Downloads the OpenAPI documents that Kubernetes publishes with its sources.

import (
	"encoding/json"
	"log"
	"os"
	"os/exec"
	"path/filepath"
)

// object is a JSON object.
type object = map[string]any

// download downloads the sources of Kubernetes as a Go module, checks their sum, and returns the folder with the
// published documents.
func download(version, sum string) string {
	module := struct{ Dir, Sum string }{}
	out, err := exec.Command("go", "mod", "download", "-json", "k8s.io/kubernetes@"+version).Output()
	check(err)
	check(json.Unmarshal(out, &module))
	if module.Sum != sum {
		log.Fatalf("k8s.io/kubernetes@%s is %s, not %s", version, module.Sum, sum)
	}
	return filepath.Join(module.Dir, "api", "openapi-spec")
}

func read(path string) object {
	text, err := os.ReadFile(path)
	check(err)
	value := object{}
	check(json.Unmarshal(text, &value))
	return value
}
