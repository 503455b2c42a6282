package main

// Starts and stops the API servers of the benchmarks.

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
	"sync"
	"time"
)

type server struct {
	command *exec.Cmd
	url     string
	said    tail
	// stop ends the process. Later calls do nothing.
	stop func()
}

// serve starts a program and waits until it prints a line that begins with the announcement and ends with its URL.
func serve(ctx context.Context, announcement, program string, arguments ...string) (*server, error) {
	server := &server{command: process(ctx, program, arguments...)}
	server.command.Stderr = &server.said
	out, err := server.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := server.command.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if url, found := strings.CutPrefix(lines.Text(), announcement); found {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			server.url = "http://" + strings.TrimPrefix(url, "http://")
			server.stop = sync.OnceFunc(server.end)
			return server, nil
		}
	}
	err = errors.Join(lines.Err(), server.command.Wait())
	return nil, fmt.Errorf("%v did not say %q: %w%s", server.command.Args, announcement, err, server.said.quoted())
}

func (s *server) end() {
	_ = endGroup(s.command)
	late := time.AfterFunc(s.command.WaitDelay, func() { _ = s.command.Process.Kill() })
	defer late.Stop()
	_ = s.command.Wait() // an error is expected, because a signal ends the process
}

// blame stops the server if there is an error, and adds the server's output to the error.
func (s *server) blame(err error) error {
	if err == nil {
		return nil
	}
	s.stop()
	if said := s.said.quoted(); said != "" {
		return fmt.Errorf("%w\n%v: %s", err, s.command.Args, said)
	}
	return err
}

// answers waits until the server answers a list of pods.
func (s *server) answers(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/api/v1/namespaces/default/pods", nil)
	if err != nil {
		return err
	}
	for {
		answer, err := http.DefaultClient.Do(request)
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

// resident returns the server's resident memory in MB.
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
