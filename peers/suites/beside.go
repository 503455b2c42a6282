package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"syscall"
	"time"
)

// patience is how long one program of tests may take.
const patience = 5 * time.Minute

// beside is a command that runs beside a cluster of its own.
func (p place) beside(ctx context.Context, cluster []string, command ...string) *exec.Cmd {
	arguments := append([]string{"cluster"}, cluster...)
	arguments = append(append(arguments, "--"), command...)
	return inGroup(exec.CommandContext(ctx, p.lab, arguments...))
}

// inGroup lets a command and what it has started end as by Ctrl-C, when its time is over.
func inGroup(run *exec.Cmd) *exec.Cmd {
	run.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	run.Cancel = func() error { return syscall.Kill(-run.Process.Pid, syscall.SIGINT) }
	run.WaitDelay = 10 * time.Second
	return run
}

// tests runs a program of tests beside a cluster, and reads how each ended from what it has told.
func (p place) tests(folder string, read func(told string) []outcome, command ...string) ([]outcome, error) {
	ctx, end := context.WithTimeout(context.Background(), patience)
	defer end()
	run := p.beside(ctx, nil, command...)
	run.Dir = folder
	told, err := run.CombinedOutput()
	if failed := (*exec.ExitError)(nil); err != nil && !errors.As(err, &failed) {
		return nil, err // a test that failed is in what it has told
	}
	outcomes := read(string(told))
	if len(outcomes) == 0 {
		return nil, fmt.Errorf("it has run nothing: %s", tail(told))
	}
	return outcomes, nil
}
