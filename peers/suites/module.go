package main

// Downloads the sources of Go modules for the suites.

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// copying is locked while a module is copied, because several suites may need the same module at the same time.
var copying sync.Mutex

// module returns a folder with the sources of a published Go module, in which it can be built.
func module(at place, name, version string) (string, error) {
	copying.Lock()
	defer copying.Unlock()
	folder := filepath.Join(at.scratch, strings.ReplaceAll(name, "/", "+")+"@"+version)
	if _, err := os.Stat(folder); err == nil {
		return folder, nil
	}
	if err := os.MkdirAll(at.scratch, 0o755); err != nil {
		return "", err
	}
	download := exec.Command("go", "mod", "download", "-json", name+"@"+version)
	download.Dir = at.scratch
	output, err := download.Output()
	if err != nil {
		return "", fmt.Errorf("cannot download %s@%s: %w", name, version, err)
	}
	var source struct{ Dir string }
	if err := json.Unmarshal(output, &source); err != nil {
		return "", err
	}
	// The module cache is read-only, and the build writes go.sum.
	partial := folder + ".partial"
	if err := os.RemoveAll(partial); err != nil {
		return "", err
	}
	if err := os.CopyFS(partial, os.DirFS(source.Dir)); err != nil {
		return "", err
	}
	return folder, os.Rename(partial, folder)
}

// overlay writes the file for `go build -overlay`, which replaces source files by others.
func overlay(at place, name string, files map[string]string) (string, error) {
	text, err := json.Marshal(map[string]any{"Replace": files})
	if err != nil {
		return "", err
	}
	path := filepath.Join(at.scratch, name+".overlay.json")
	return path, os.WriteFile(path, text, 0o644)
}
