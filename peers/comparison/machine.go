package main

// The description of the machine in RESULTS.md.

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

type machine struct {
	date, processor, memory, system string
	// before and after are the load averages at the start and at the end.
	before, after string
	versions      []string
}

func describeMachine(ctx context.Context, p programs, before string) machine {
	goModule := filepath.Join(p.root, "peers", "go.mod")
	cargoLock := filepath.Join(p.root, "Cargo.lock")
	runtimeLock := filepath.Join(p.root, "peers", "kube-runtime", "Cargo.lock")
	return machine{
		date:      time.Now().UTC().Format(time.DateOnly),
		processor: fmt.Sprintf("%d × %s", runtime.NumCPU(), field("/proc/cpuinfo", "model name")),
		memory:    field("/proc/meminfo", "MemTotal"),
		system:    said(ctx, p.root, "uname", "-sr"),
		before:    before,
		versions: []string{
			"this project at " + said(ctx, p.root, "git", "describe", "--always", "--dirty"),
			said(ctx, p.root, "rustc", "--version"),
			runtime.Version(),
			"client-go " + required(goModule, "k8s.io/client-go"),
			"kube-apiserver's library " + required(goModule, "k8s.io/apiserver"),
			"etcd " + required(goModule, "go.etcd.io/etcd/server/v3"),
			"kube-runtime " + locked(runtimeLock, "kube-runtime"),
			"kube " + locked(cargoLock, "kube"),
			"k8s-openapi " + locked(cargoLock, "k8s-openapi"),
		},
	}
}

func (m machine) markdown() string {
	text := fmt.Sprintf("Machine: %s, %s, %s; load before %s, after %s. Versions: %s.\n", m.processor, m.memory, m.system, m.before, m.after, strings.Join(m.versions, ", "))
	if m.isBusy() {
		text += "\n**The machine was busy when it began**: figures of this run are not for the record.\n"
	}
	return text
}

// isBusy returns true if other programs used more than a quarter of the processors in the minute before the start.
func (m machine) isBusy() bool {
	lastMinute, _, _ := strings.Cut(m.before, " ")
	load, err := strconv.ParseFloat(lastMinute, 64)
	return err == nil && load > float64(runtime.NumCPU())/4
}

// locked returns the version of a package in a Cargo.lock.
func locked(lock, name string) string {
	text, _ := os.ReadFile(lock)
	_, rest, _ := strings.Cut(string(text), fmt.Sprintf("name = %q\nversion = \"", name))
	version, _, _ := strings.Cut(rest, `"`)
	return version
}

// required returns the version of a module in a go.mod.
func required(module, name string) string {
	text, _ := os.ReadFile(module)
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) >= 2 && words[0] == name {
			return words[1]
		}
	}
	return "unknown"
}

// said returns what a program prints.
func said(ctx context.Context, folder, program string, arguments ...string) string {
	command := process(ctx, program, arguments...)
	command.Dir = folder
	out, err := output(command)
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

// field returns the value of a name in a file of /proc.
func field(path, name string) string {
	text, _ := os.ReadFile(path)
	for line := range strings.Lines(string(text)) {
		if before, after, found := strings.Cut(line, ":"); found && strings.TrimSpace(before) == name {
			return strings.TrimSpace(after)
		}
	}
	return "unknown"
}

// load returns the load averages of the last 1, 5 and 15 minutes.
func load() string {
	text, _ := os.ReadFile("/proc/loadavg")
	words := strings.Fields(string(text))
	return strings.Join(words[:min(3, len(words))], " ")
}
