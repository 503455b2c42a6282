package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// crate is a package of kube-rs, as published, whose tests for a cluster are ignored unless they are asked for. What is published lacks the
// dependency of the tests on `kube`.
type crate struct{ name, features, kube string }

var kubeCrates = []crate{
	{"kube", "derive,client,runtime,ws", ""},
	{"kube-client", "client,ws,kubelet-debug,jsonpatch,unstable-client", `"derive", "client", "ws"`},
	{"kube-runtime", "unstable-runtime", `"derive", "client", "runtime"`},
}

// kubeRs builds the crates in a workspace of its own and runs what they ignore.
func kubeRs(at place) ([]outcome, error) {
	folder := filepath.Join(at.scratch, "kube-rs")
	if err := kubeWorkspace(at, folder); err != nil {
		return nil, err
	}
	var outcomes []outcome
	for _, crate := range kubeCrates {
		program, err := crate.build(folder)
		if err != nil {
			return nil, err
		}
		read := func(told string) []outcome { return libtest(crate.name, told) }
		tested, err := at.tests(filepath.Join(folder, crate.name), read, program, "--ignored", "--test-threads=1")
		if err != nil {
			return nil, err
		}
		outcomes = append(outcomes, tested...)
	}
	return outcomes, nil
}

// kubeWorkspace copies the crates from Cargo's registry, where the project's own build has put them.
func kubeWorkspace(at place, folder string) error {
	sources, err := registry(filepath.Dir(filepath.Dir(at.scratch)))
	if err != nil {
		return err
	}
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	var members, patches []string
	for _, crate := range kubeCrates {
		to := filepath.Join(folder, crate.name)
		if err := os.CopyFS(to, os.DirFS(sources[crate.name])); err != nil {
			return err
		}
		members = append(members, fmt.Sprintf("%q", crate.name))
		patches = append(patches, fmt.Sprintf("%s = { path = %q }", crate.name, crate.name))
		if crate.kube == "" {
			continue
		}
		manifest, err := os.OpenFile(filepath.Join(to, "Cargo.toml"), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		fmt.Fprintf(manifest, "\n[dev-dependencies.kube]\nversion = \"=%s\"\npath = \"../kube\"\nfeatures = [%s]\n", kubeRsVersion, crate.kube)
		if err := manifest.Close(); err != nil {
			return err
		}
	}
	text := fmt.Sprintf("[workspace]\nresolver = \"3\"\nmembers = [%s]\n\n[patch.crates-io]\n%s\n\n[profile.dev]\ndebug = false\n",
		strings.Join(members, ", "), strings.Join(patches, "\n"))
	return os.WriteFile(filepath.Join(folder, "Cargo.toml"), []byte(text), 0o644)
}

// registry says where the sources of the project's dependencies are.
func registry(project string) (map[string]string, error) {
	metadata := exec.Command("cargo", "metadata", "--locked", "--format-version", "1", "--all-features")
	metadata.Dir = project
	text, err := metadata.Output()
	if err != nil {
		return nil, err
	}
	var known struct {
		Packages []struct {
			Name, Version string
			Manifest      string `json:"manifest_path"`
		}
	}
	if err := json.Unmarshal(text, &known); err != nil {
		return nil, err
	}
	sources := map[string]string{}
	for _, one := range known.Packages {
		if one.Version == kubeRsVersion {
			sources[one.Name] = filepath.Dir(one.Manifest)
		}
	}
	for _, crate := range kubeCrates {
		if sources[crate.name] == "" {
			return nil, fmt.Errorf("the project does not depend on %s %s", crate.name, kubeRsVersion)
		}
	}
	return sources, nil
}

// build returns the program of a crate's unit tests.
func (c crate) build(folder string) (string, error) {
	build := exec.Command("cargo", "test", "--no-run", "--lib", "--message-format=json", "-p", c.name, "--features", c.features)
	build.Dir = folder
	build.Env = append(os.Environ(), "CARGO_TARGET_DIR="+folder+"-target") // the folder is made anew each time
	build.Stderr = os.Stderr
	text, err := build.Output()
	if err != nil {
		return "", fmt.Errorf("cannot build the tests of %s: %w", c.name, err)
	}
	for line := range strings.Lines(string(text)) {
		var built struct {
			Target     struct{ Name string }
			Executable string
		}
		if json.Unmarshal([]byte(line), &built) == nil && built.Executable != "" {
			return built.Executable, nil
		}
	}
	return "", fmt.Errorf("cargo has built no tests of %s", c.name)
}

var libtestLine = regexp.MustCompile(`(?m)^test (\S+) \.\.\. (?:.*\n)??(ok|FAILED)$`)

// libtest reads what a program of Rust's tests prints.
func libtest(crate, told string) (outcomes []outcome) {
	for _, found := range libtestLine.FindAllStringSubmatch(told, -1) {
		_, failure, _ := strings.Cut(told, "---- "+found[1]+" stdout ----")
		failure, _, _ = strings.Cut(failure, "---- ")
		outcomes = append(outcomes, outcome{crate + " " + found[1], found[2] == "ok", first(failure)})
	}
	return outcomes
}
