package harness

// Starts programs that end with their test.

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Process is a program that runs during its test.
type Process struct {
	Out, Err *Lines
	command  *exec.Cmd
	ended    chan struct{}
}

// Start starts a program with a minimal environment and these variables. The program ends with the test.
func Start(t *testing.T, variables []string, program string, arguments ...string) *Process {
	t.Helper()
	name := filepath.Base(program)
	p := &Process{Out: newLines(name), Err: newLines(name + " (standard error)"), ended: make(chan struct{})}
	p.command = exec.Command(program, arguments...)
	p.command.Env = environment(variables)
	p.command.Stdout, p.command.Stderr = p.Out, p.Err
	if err := p.command.Start(); err != nil {
		t.Fatalf("%s: %v", program, err)
	}
	go func() {
		_ = p.command.Wait() // its ProcessState has the exit code
		p.Out.close()
		p.Err.close()
		close(p.ended)
	}()
	t.Cleanup(func() {
		p.End(t)
		if t.Failed() {
			t.Logf("%v wrote on standard error:\n%s", p.command.Args, p.Err)
		}
	})
	return p
}

// End interrupts the program, waits for it, and returns its exit code. Later calls do nothing more.
func (p *Process) End(t *testing.T) int {
	t.Helper()
	_ = p.command.Process.Signal(syscall.SIGINT) // a process that has ended needs no signal
	return p.Wait(t)
}

// Wait waits until the program ends, and returns its exit code: -1 if a signal ended it.
func (p *Process) Wait(t *testing.T) int {
	t.Helper()
	select {
	case <-p.ended:
	case <-time.After(Patience):
		_ = p.command.Process.Kill()
		<-p.ended
		t.Errorf("%v did not end within %s", p.command.Args, Patience)
	}
	return p.command.ProcessState.ExitCode()
}

// environment returns the variables that every program needs, and the given ones.
func environment(variables []string) []string {
	return append([]string{"PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "TZ=UTC"}, variables...)
}
