package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// machine is where it was measured, and with which versions.
type machine struct {
	date, processor, memory, system, load string
	versions                              []string
}

func look(ctx context.Context) machine {
	m := machine{
		date:      time.Now().UTC().Format(time.DateOnly),
		processor: fmt.Sprintf("%d × %s", runtime.NumCPU(), field("/proc/cpuinfo", "model name")),
		memory:    field("/proc/meminfo", "MemTotal"),
		system:    said(ctx, "uname", "-sr"),
		load:      firstWords("/proc/loadavg", 3),
		versions:  []string{said(ctx, "rustc", "--version"), runtime.Version()},
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == "k8s.io/client-go" {
				m.versions = append(m.versions, "client-go and kube-apiserver's library "+module.Version)
			}
		}
	}
	m.versions = append(m.versions, "kube-runtime "+lockedVersion("kube-runtime/Cargo.lock", "kube-runtime"))
	return m
}

// lockedVersion is the version of a package in a Cargo.lock.
func lockedVersion(lock, name string) string {
	text, _ := os.ReadFile(lock)
	_, rest, _ := strings.Cut(string(text), fmt.Sprintf("name = %q\nversion = \"", name))
	version, _, _ := strings.Cut(rest, `"`)
	return version
}

func said(ctx context.Context, program string, arguments ...string) string {
	out, err := output(exec.CommandContext(ctx, program, arguments...))
	if err != nil {
		return "unknown " + program
	}
	return strings.TrimSpace(string(out))
}

// field is the value behind a name in one of the kernel's files.
func field(path, name string) string {
	text, _ := os.ReadFile(path)
	for line := range strings.Lines(string(text)) {
		if before, after, found := strings.Cut(line, ":"); found && strings.TrimSpace(before) == name {
			return strings.TrimSpace(after)
		}
	}
	return "unknown"
}

func firstWords(path string, number int) string {
	text, _ := os.ReadFile(path)
	words := strings.Fields(string(text))
	return strings.Join(words[:min(number, len(words))], " ")
}
