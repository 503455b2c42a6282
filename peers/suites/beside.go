package main

// Runs commands beside a new cluster of informer-lab.

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"syscall"
	"time"
)

// patience is the longest time for one test program.
const patience = 5 * time.Minute

// beside returns a command that runs while a new cluster runs, with KUBECONFIG set to the cluster.
func (p place) beside(ctx context.Context, cluster []string, command ...string) *exec.Cmd {
	arguments := append([]string{"cluster"}, cluster...)
	arguments = append(append(arguments, "--"), command...)
	return inGroup(exec.CommandContext(ctx, p.lab, arguments...))
}

// inGroup makes the timeout end a command, and all processes that it has started, as Ctrl-C would.
func inGroup(run *exec.Cmd) *exec.Cmd {
	run.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	run.Cancel = func() error { return syscall.Kill(-run.Process.Pid, syscall.SIGINT) }
	run.WaitDelay = 10 * time.Second
	return run
}

// tests runs a test program beside a cluster, and reads the outcome of each test from its output.
func (p place) tests(folder string, read func(output string) []outcome, command ...string) ([]outcome, error) {
	ctx, end := context.WithTimeout(context.Background(), patience)
	defer end()
	run := p.beside(ctx, nil, command...)
	run.Dir = folder
	output, err := run.CombinedOutput()
	if failed := (*exec.ExitError)(nil); err != nil && !errors.As(err, &failed) {
		return nil, err // failed tests are read from the output
	}
	outcomes := read(string(output))
	if len(outcomes) == 0 {
		return nil, fmt.Errorf("no test has run: %s", tail(output))
	}
	return outcomes, nil
}
