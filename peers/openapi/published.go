package main

import (
	"encoding/json"
	"log"
	"os"
	"os/exec"
	"path/filepath"
)

// object is an object of a JSON document.
type object = map[string]any

// download fetches Kubernetes as a module and returns the directory of its published documents.
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
