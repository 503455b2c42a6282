package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// programs is what runs. All paths are absolute.
type programs struct {
	// root is the project.
	root string
	// work is the project's machinery, informerLab its program.
	work, informerLab string
	// kubeRuntime is the peer in Rust, goPeers the folder of those in Go, cacheTests and queueTests client-go's own.
	kubeRuntime, goPeers, cacheTests, queueTests string
	// scratch is a folder that is removed at the end.
	scratch string
}

func (p programs) peer(name string) string { return filepath.Join(p.goPeers, name) }

func build(ctx context.Context, size size) (programs, error) {
	root, err := filepath.Abs("..")
	if err != nil {
		return programs{}, err
	}
	scratch, err := os.MkdirTemp("", "comparison")
	if err != nil {
		return programs{}, err
	}
	target := filepath.Join(root, "target", "peers")
	p := programs{
		root: root, goPeers: target, scratch: scratch,
		cacheTests: filepath.Join(target, "cache.test"), queueTests: filepath.Join(target, "workqueue.test"),
	}
	for _, arguments := range [][]string{
		{"build", "-buildvcs=false", "-o", target + "/", "./bench", "./staticserver", "./apiload", "./lesson", "./apiserver", "./tracer"},
		{"test", "-c", "-o", p.cacheTests, "k8s.io/client-go/tools/cache"},
		{"test", "-c", "-o", p.queueTests, "k8s.io/client-go/util/workqueue"},
	} {
		if err := loud(exec.CommandContext(ctx, "go", arguments...)); err != nil {
			return p, err
		}
	}
	inBench, inBuild := "bench", "release"
	if size == smallest {
		inBench, inBuild = "dev", "dev" // which the tests have built already
	}
	p.work, err = cargo(ctx, root, "work", "bench", "--locked", "--bench", "work", "--no-run", "--profile", inBench)
	if err != nil {
		return p, err
	}
	p.informerLab = filepath.Join(filepath.Dir(filepath.Dir(p.work)), "informer-lab")
	p.kubeRuntime, err = cargo(ctx, filepath.Join(root, "peers", "kube-runtime"), "peer-kube-runtime",
		"build", "--locked", "--target-dir", filepath.Join(root, "target"), "--profile", inBuild)
	return p, err
}

// cargo builds, and tells where the executable of this name is.
func cargo(ctx context.Context, folder, name string, arguments ...string) (string, error) {
	building := exec.CommandContext(ctx, "cargo", append(arguments, "--message-format", "json-render-diagnostics")...)
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
	return "", fmt.Errorf("cargo %s made no %s", strings.Join(arguments, " "), name)
}
