package main

// Benchmarks of whole programs: a lesson from start to exit, its peak memory, the size of an executable, and a clean
// build.

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// again is the number of times that a lesson runs for one figure.
const again = 20

// lesson returns a contender that runs a lesson from start to exit, and checks its output against the trace.
func lesson(name, trace, program string, arguments ...string) contender {
	return contender{name, func(ctx context.Context) ([]figure, error) {
		wanted, err := os.ReadFile(trace)
		if err != nil {
			return nil, err
		}
		var spent time.Duration
		for range again {
			command := process(ctx, program, arguments...)
			start := time.Now()
			out, err := output(command)
			if err != nil {
				return nil, err
			}
			spent += time.Since(start)
			if !bytes.Equal(out, wanted) {
				return nil, fmt.Errorf("%v printed\n%s", command.Args, out)
			}
		}
		peak, err := peakOf(ctx, program, arguments...)
		did := uint64(len(wanted))
		return []figure{
			{"time", float64((spent / again).Microseconds()) / 1e3, "ms", did},
			{"peak", peak, "MB", did},
		}, err
	}}
}

// asHelper is the first argument with which this program starts itself again as a helper, to measure the peak memory
// of another program.
const asHelper = "peak-of"

// peakOf returns the largest resident size of a program in MB. The kernel's figure includes the memory of the parent
// process at the fork, and this process is large. So a small process starts the program: this program as a helper.
func peakOf(ctx context.Context, program string, arguments ...string) (float64, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	out, err := output(process(ctx, self, append([]string{asHelper, program}, arguments...)...))
	if err != nil {
		return 0, err
	}
	kilobytes, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	return kilobytes * 1024 / 1e6, err
}

// runAsHelper is what the helper does: it runs a command and prints the command's peak memory in KB.
func runAsHelper(words []string) error {
	command := exec.Command(words[0], words[1:]...) // in the helper's own process group, which ends as a whole
	if _, err := output(command); err != nil {
		return err
	}
	fmt.Println(command.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
	return nil
}

// program returns a contender that measures the size of an executable.
func program(name, path string) contender {
	return contender{name, func(context.Context) ([]figure, error) {
		file, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		return []figure{{"size", float64(file.Size()) / 1e6, "MB", 1}}, nil
	}}
}

// coldBuild returns a contender that builds everything from downloaded sources into a new folder. variable is the
// environment variable that names this folder to the build tool, such as GOCACHE.
func coldBuild(name, folder, scratch, variable string, words ...string) contender {
	return contender{name, func(ctx context.Context) ([]figure, error) {
		cache := filepath.Join(scratch, name)
		defer os.RemoveAll(cache)
		command := process(ctx, words[0], words[1:]...)
		command.Dir, command.Env = folder, append(os.Environ(), variable+"="+cache)
		start := time.Now()
		if err := loud(command); err != nil {
			return nil, err
		}
		return []figure{{"", time.Since(start).Seconds(), "s", 1}}, nil
	}}
}
