package main

// Builds all programs that take part in the benchmark comparison.

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// programs holds the paths of all programs that run. All paths are absolute.
type programs struct {
	// root is the project's folder.
	root string
	// work is the benchmark program of our libraries, informerLab is informer-lab itself.
	work, informerLab string
	// before is informer-lab as it was at the revision of --before, or empty.
	before string
	// kubeRuntime is the benchmark program on kube-runtime, goPeers the folder of the programs in Go. cacheTests and
	// queueTests are client-go's own benchmarks.
	kubeRuntime, goPeers, cacheTests, queueTests string
	// scratch is a folder for temporary files, removed at the end.
	scratch string
}

func (p programs) peer(name string) string { return filepath.Join(p.goPeers, name) }

// build builds all programs: debug builds for the smallest size, optimised ones for the others.
func build(ctx context.Context, root, scratch string, size size) (p programs, err error) {
	target := filepath.Join(root, "target", "peers")
	p = programs{
		root: root, goPeers: target, scratch: scratch,
		cacheTests: filepath.Join(target, "cache.test"), queueTests: filepath.Join(target, "workqueue.test"),
	}
	peers := filepath.Join(root, "peers")
	for _, arguments := range [][]string{
		{"build", "-buildvcs=false", "-o", target + "/", "./bench", "./staticserver", "./apiload", "./tutorial/deltafifo", "./apiserver"},
		{"test", "-c", "-o", p.cacheTests, "k8s.io/client-go/tools/cache"},
		{"test", "-c", "-o", p.queueTests, "k8s.io/client-go/util/workqueue"},
	} {
		building := process(ctx, "go", arguments...)
		building.Dir = peers
		if err := loud(building); err != nil {
			return p, err
		}
	}
	profile := "release"
	of := func(name string) []string { return []string{"build", "--locked", "-p", name, "--profile"} }
	if size == smallest {
		profile = "dev"
		// A build of both packages together has the same features as a build of the tests, so it reuses most of what the
		// tests have built.
		of = func(string) []string {
			return []string{"build", "--locked", "-p", "informer-lab", "-p", "informer-lab-benches", "--profile"}
		}
	}
	if p.work, err = cargo(ctx, root, "work", append(of("informer-lab-benches"), profile)...); err != nil {
		return p, err
	}
	if p.informerLab, err = cargo(ctx, root, "informer-lab", append(of("informer-lab"), profile)...); err != nil {
		return p, err
	}
	if *before != "" {
		if p.before, err = buildBefore(ctx, p, profile, *before); err != nil {
			return p, err
		}
	}
	p.kubeRuntime, err = cargo(ctx, filepath.Join(peers, "kube-runtime"), "peer-kube-runtime",
		"build", "--locked", "--target-dir", filepath.Join(root, "target"), "--profile", profile)
	return p, err
}

// cargo runs a build and returns the path of the executable with this name.
func cargo(ctx context.Context, folder, name string, arguments ...string) (string, error) {
	building := process(ctx, "cargo", append(arguments, "--message-format", "json-render-diagnostics")...)
	building.Dir, building.Stderr = folder, os.Stderr
	out, err := building.Output()
	if err != nil {
		return "", fmt.Errorf("%v: %w", building.Args, err)
	}
	for line := range bytes.Lines(out) {
		var made struct {
			Target     struct{ Name string }
			Executable string
		}
		if json.Unmarshal(line, &made) == nil && made.Target.Name == name && made.Executable != "" {
			return made.Executable, nil
		}
	}
	return "", fmt.Errorf("cargo %s built no executable %s", strings.Join(arguments, " "), name)
}
