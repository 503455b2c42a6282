package main

// The suite of kube-rs: its tests that need a cluster, and its examples of custom resources.

import (
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// crate is a published crate of kube-rs, and the features that its tests need. The tests that need a cluster are marked
// as ignored, and are run with --ignored. The published manifest lacks the dev-dependency on `kube`; the field kube is
// the list of features of that dependency.
type crate struct{ name, features, kube string }

var kubeCrates = []crate{
	{"kube", "derive,client,runtime,ws", ""},
	{"kube-client", "client,ws,kubelet-debug,jsonpatch,unstable-client", `"derive", "client", "ws"`},
	{"kube-runtime", "unstable-runtime", `"derive", "client", "runtime"`},
}

// kubeExamples are the examples of kube-rs that define custom resources and use them. No published crate contains
// them.
//
//go:embed kube-examples
var kubeExamples embed.FS

// kubeRs builds the crates and the examples in a workspace, runs the ignored tests of the crates, and runs the
// examples.
func kubeRs(at place) ([]outcome, error) {
	folder := filepath.Join(at.scratch, "kube-rs")
	if err := kubeWorkspace(at, folder); err != nil {
		return nil, err
	}
	programs, err := kubePrograms(folder)
	if err != nil {
		return nil, err
	}
	var outcomes []outcome
	for _, crate := range kubeCrates {
		read := func(output string) []outcome { return libtest(crate.name, output) }
		program := programs[strings.ReplaceAll(crate.name, "-", "_")]
		tested, err := at.tests(filepath.Join(folder, crate.name), read, program, "--ignored", "--test-threads=1")
		if err != nil {
			return nil, err
		}
		outcomes = append(outcomes, tested...)
	}
	kubectl := filepath.Join(at.scratch, "kubectl")
	if err := goBuild(filepath.Join(at.project, "peers"), kubectl, "./kubectl"); err != nil {
		return nil, err
	}
	tried, err := tryAll(at, customResourceExamples(programs, kubectl, filepath.Join(folder, "kube-examples")))
	return append(outcomes, tried...), err
}

// endingExamples are examples that exit, without an error if their assertions held. endlessExample prints what it
// sees until it is stopped.
var endingExamples = []string{"crd_api", "crd_apply", "crd_derive_multi", "crd_derive_schema"}

const endlessExample = "crd_reflector"

// customResourceExamples returns the examples with their commands and the texts that they print when they work.
func customResourceExamples(programs map[string]string, kubectl, folder string) (examples []example) {
	const ended = "it ended without an error"
	for _, name := range endingExamples {
		examples = append(examples, example{name, fmt.Sprintf("'%s' && echo %s", programs[name], ended), ended})
	}
	// The source of crd_reflector says to apply this file while the example runs.
	apply := fmt.Sprintf("while kill -0 $$ && ! '%s' apply -f '%s'; do sleep 1; done", kubectl, filepath.Join(folder, "crd-baz.yaml"))
	return append(examples, example{endlessExample, fmt.Sprintf("(%s) & exec '%s'", apply, programs[endlessExample]), "saw baz"})
}

// kubeWorkspace makes a workspace of the crates, copied from Cargo's registry, where the project's own build has put
// them, and of the examples.
func kubeWorkspace(at place, folder string) error {
	sources, err := registry(at.project)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	if err := os.CopyFS(folder, kubeExamples); err != nil {
		return err
	}
	members := []string{`"kube-examples"`}
	var patches []string
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
	if err := os.WriteFile(filepath.Join(folder, "Cargo.toml"), []byte(text), 0o644); err != nil {
		return err
	}
	lock, err := os.ReadFile(filepath.Join(at.project, "Cargo.lock")) // so that shared dependencies have the project's versions
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "Cargo.lock"), lock, 0o644)
}

// registry returns the folders with the sources of the project's dependencies.
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

// kubePrograms builds the unit tests of each crate, and each example. Both commands select the same packages and
// features, so that nothing is built twice.
func kubePrograms(folder string) (map[string]string, error) {
	chosen := []string{"-p", "kube-examples"}
	for _, crate := range kubeCrates {
		chosen = append(chosen, "-p", crate.name)
		for feature := range strings.SplitSeq(crate.features, ",") {
			chosen = append(chosen, "--features", crate.name+"/"+feature)
		}
	}
	programs := map[string]string{}
	for _, command := range [][]string{{"test", "--no-run", "--lib"}, {"build", "--examples"}} {
		if err := cargoPrograms(folder, append(command, chosen...), programs); err != nil {
			return nil, fmt.Errorf("cannot build kube-rs: %w", err)
		}
	}
	if want := len(kubeCrates) + len(endingExamples) + 1; len(programs) != want {
		return nil, fmt.Errorf("cargo built %d programs of kube-rs instead of %d", len(programs), want)
	}
	return programs, nil
}

// cargoPrograms maps the names of the built targets to the paths of their executables.
func cargoPrograms(folder string, arguments []string, to map[string]string) error {
	build := exec.Command("cargo", append(arguments, "--quiet", "--message-format=json")...)
	build.Dir = folder
	build.Env = append(os.Environ(), "CARGO_TARGET_DIR="+folder+"-target") // beside the folder, which is made anew each time
	build.Stderr = os.Stderr
	text, err := build.Output()
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		var built struct {
			Target     struct{ Name string }
			Executable string
		}
		if json.Unmarshal([]byte(line), &built) == nil && built.Executable != "" {
			to[built.Target.Name] = built.Executable
		}
	}
	return nil
}

var libtestLine = regexp.MustCompile(`(?m)^test (\S+) \.\.\. (?:.*\n)??(ok|FAILED)$`)

// libtest parses the output of Rust's test harness.
func libtest(crate, output string) (outcomes []outcome) {
	for _, found := range libtestLine.FindAllStringSubmatch(output, -1) {
		_, failure, _ := strings.Cut(output, "---- "+found[1]+" stdout ----")
		failure, _, _ = strings.Cut(failure, "---- ")
		outcomes = append(outcomes, outcome{crate + " " + found[1], found[2] == "ok", first(failure)})
	}
	return outcomes
}
