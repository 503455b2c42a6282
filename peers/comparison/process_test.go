package main

// Tests that programs of the comparison end as they should.

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func TestAFailureShowsTheStandardErrorOfTheCommand(t *testing.T) {
	_, err := output(process(t.Context(), "sh", "-c", "echo no such pod >&2; exit 3"))
	if err == nil || !strings.Contains(err.Error(), "no such pod") || !strings.Contains(err.Error(), "exit status 3") {
		t.Error(err)
	}
	_, err = serve(t.Context(), "ready ", "sh", "-c", "echo port taken >&2; exit 1")
	if err == nil || !strings.Contains(err.Error(), "port taken") {
		t.Error(err)
	}
}

func TestOnlyTheEndOfStandardErrorIsKept(t *testing.T) {
	var said tail
	for range kept {
		_, _ = said.Write([]byte("ab"))
	}
	_, _ = said.Write([]byte("end\n"))
	if got := said.quoted(); len(got) > kept+20 || !strings.HasSuffix(got, "abend") {
		t.Errorf("%d bytes: %q", len(got), got)
	}
}

// A server starts a child, and announces the child's process id in the place of a URL. Both end with the context.
func TestNothingOutlivesTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	server, err := serve(ctx, "ready ", "sh", "-c", "sleep 1000 & echo ready $!; wait")
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimPrefix(server.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	server.stop()
	server.stop() // stop may be called twice
	for isRunning(child) {
		runtime.Gosched()
	}
	if err := syscall.Kill(server.command.Process.Pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Error(err)
	}
}

// isRunning returns true if a process runs. A zombie, which its parent has not waited for, does not count.
func isRunning(pid int) bool {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	_, state, _ := strings.Cut(string(text), ") ")
	return err == nil && !strings.HasPrefix(state, "Z")
}
