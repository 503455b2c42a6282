package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// again is how often a lesson is run for one figure.
const again = 20

// lesson runs a program from its start to its end, and compares what it prints.
func lesson(name, trace, program string, arguments ...string) contender {
	return contender{name, func(ctx context.Context) ([]figure, error) {
		wanted, err := os.ReadFile(trace)
		if err != nil {
			return nil, err
		}
		var spent time.Duration
		var memory float64
		for range again {
			command := exec.CommandContext(ctx, program, arguments...)
			start := time.Now()
			out, err := output(command)
			if err != nil {
				return nil, err
			}
			spent += time.Since(start)
			if !bytes.Equal(out, wanted) {
				return nil, fmt.Errorf("%v printed\n%s", command.Args, out)
			}
			memory = max(memory, float64(command.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)*1024/1e6)
		}
		did := uint64(len(wanted))
		return []figure{
			{"time", float64((spent / again).Microseconds()) / 1e3, "ms", did},
			{"peak", memory, "MB", did},
		}, nil
	}}
}

// program tells the size of an executable.
func program(name, path string) contender {
	return contender{name, func(context.Context) ([]figure, error) {
		file, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		return []figure{{"size", float64(file.Size()) / 1e6, "MB", 1}}, nil
	}}
}

// coldBuild builds from nothing but downloaded sources, and then runs something; the environment variable names the folder of what is built.
func coldBuild(name, folder, scratch, variable string, steps ...[]string) contender {
	return contender{name, func(ctx context.Context) ([]figure, error) {
		cache := filepath.Join(scratch, name)
		defer os.RemoveAll(cache)
		start := time.Now()
		for _, step := range steps {
			command := exec.CommandContext(ctx, step[0], step[1:]...)
			command.Dir, command.Env = folder, append(os.Environ(), variable+"="+cache)
			if err := loud(command); err != nil {
				return nil, err
			}
		}
		return []figure{{"", time.Since(start).Seconds(), "s", 1}}, nil
	}}
}
