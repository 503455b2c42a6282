package harness

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// Kubectl is a kubectl program for one cluster, with its own home folder.
type Kubectl struct {
	program   string
	variables []string
}

// Kubectl returns the new kubectl for this cluster.
func (c Cluster) Kubectl() Kubectl {
	return c.kubectl(Peer("kubectl"))
}

// OldKubectl returns kubectl 1.20 for this cluster. The test fails if it is missing.
func (c Cluster) OldKubectl(t *testing.T) Kubectl {
	t.Helper()
	if _, err := os.Stat(OldKubectl()); err != nil {
		t.Fatalf("Debian's kubectl 1.20 is missing: run .ci/kubectl-1.20, or name it in KUBECTL_1_20: %v", err)
	}
	return c.kubectl(OldKubectl())
}

func (c Cluster) kubectl(program string) Kubectl {
	return Kubectl{program: program, variables: []string{"KUBECONFIG=" + c.Kubeconfig, "HOME=" + c.home}}
}

// With returns the same kubectl with additional environment variables.
func (k Kubectl) With(variables ...string) Kubectl {
	return Kubectl{program: k.program, variables: append(append([]string{}, k.variables...), variables...)}
}

type Result struct {
	Out, Err string
	Code     int
}

// Try runs a command with this standard input. The command may fail.
func (k Kubectl) Try(t *testing.T, input string, arguments ...string) Result {
	t.Helper()
	var out, err bytes.Buffer
	command := exec.CommandContext(t.Context(), k.program, arguments...)
	command.Env = environment(k.variables)
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader(input), &out, &err
	timer := time.AfterFunc(Patience, func() {
		if command.Process != nil {
			_ = command.Process.Kill()
		}
	})
	defer timer.Stop()
	failure := command.Run()
	var exit *exec.ExitError
	if failure != nil && !errors.As(failure, &exit) {
		t.Fatalf("kubectl %s: %v", strings.Join(arguments, " "), failure)
	}
	return Result{Out: out.String(), Err: err.String(), Code: command.ProcessState.ExitCode()}
}

// Run runs a command that must succeed, and returns its standard output.
func (k Kubectl) Run(t *testing.T, arguments ...string) string {
	t.Helper()
	return k.Feed(t, "", arguments...)
}

// Feed runs a command with this standard input that must succeed, and returns its standard output.
func (k Kubectl) Feed(t *testing.T, input string, arguments ...string) string {
	t.Helper()
	result := k.Try(t, input, arguments...)
	if result.Code != 0 {
		t.Fatalf("kubectl %s ended with %d:\n%s%s", strings.Join(arguments, " "), result.Code, result.Out, result.Err)
	}
	return result.Out
}

// Fail runs a command that must fail, and returns its standard error.
func (k Kubectl) Fail(t *testing.T, arguments ...string) string {
	t.Helper()
	result := k.Try(t, "", arguments...)
	if result.Code <= 0 {
		t.Fatalf("kubectl %s ended with %d instead of failing by itself:\n%s%s", strings.Join(arguments, " "), result.Code, result.Out, result.Err)
	}
	return result.Err
}

// Start starts a command that runs beside the test.
func (k Kubectl) Start(t *testing.T, arguments ...string) *Process {
	t.Helper()
	return Start(t, k.variables, k.program, arguments...)
}
