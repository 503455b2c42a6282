package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// server is a process that serves, and says so in a line of its output.
type server struct {
	command *exec.Cmd
	url     string
}

// serve starts a program and waits for a line that begins with this, and ends with its URL.
func serve(ctx context.Context, announcement, program string, arguments ...string) (*server, error) {
	command := exec.CommandContext(ctx, program, arguments...)
	command.Stderr = io.Discard
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if url, found := strings.CutPrefix(lines.Text(), announcement); found {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return &server{command, "http://" + strings.TrimPrefix(url, "http://")}, nil
		}
	}
	return nil, fmt.Errorf("%v did not say %q: %w", command.Args, announcement, errors.Join(lines.Err(), command.Wait()))
}

func (s *server) stop() {
	_ = s.command.Process.Signal(syscall.SIGTERM)
	_ = s.command.Wait()
}

// answers waits for the first answer to a list of pods.
func (s *server) answers() error {
	for {
		answer, err := http.Get(s.url + "/api/v1/namespaces/default/pods")
		if err != nil {
			return err
		}
		_, _ = io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
		if answer.StatusCode == http.StatusOK {
			return nil
		}
		time.Sleep(time.Millisecond)
	}
}

// resident is what the server holds in memory, in MB.
func (s *server) resident() (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.command.Process.Pid))
	if err != nil {
		return 0, err
	}
	var kilobytes float64
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	_, err = fmt.Sscan(rest, &kilobytes)
	return kilobytes * 1024 / 1e6, err
}
