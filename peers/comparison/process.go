package main

// Runs the programs of the comparison, and ends them with everything that they have started.

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// process returns a command that ends with the context, together with all processes that it has started.
func process(ctx context.Context, program string, arguments ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, program, arguments...)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return endGroup(command) }
	command.WaitDelay = 5 * time.Second // a program that ignores the signal is killed after this time
	return command
}

// endGroup sends SIGTERM to a process and to all processes that it has started.
func endGroup(command *exec.Cmd) error { return syscall.Kill(-command.Process.Pid, syscall.SIGTERM) }

// output returns the standard output of a command. If the command fails, the error quotes its standard error.
func output(command *exec.Cmd) ([]byte, error) {
	var said tail
	command.Stderr = &said
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("%v: %w%s", command.Args, err, said.quoted())
	}
	return out, nil
}

// loud runs a command and shows its output.
func loud(command *exec.Cmd) error {
	command.Stdout, command.Stderr = os.Stderr, os.Stderr
	if err := command.Run(); err != nil {
		return fmt.Errorf("%v: %w", command.Args, err)
	}
	return nil
}

// tail keeps the last bytes that were written to it.
type tail struct{ text []byte }

// kept is the number of bytes that a tail keeps.
const kept = 4096

func (t *tail) Write(text []byte) (int, error) {
	t.text = append(t.text, text...)
	t.text = t.text[max(0, len(t.text)-kept):]
	return len(text), nil
}

// quoted returns the kept text in a form to append to an error, or nothing if there is no text.
func (t *tail) quoted() string {
	if text := bytes.TrimSpace(t.text); len(text) > 0 {
		return "\nit said:\n" + string(text)
	}
	return ""
}
