package main

// Starts and stops the two API servers whose answers are compared.

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

type server struct {
	url     string
	command *exec.Cmd
	// cleanUp removes what the server leaves behind; nil if it leaves nothing.
	cleanUp func()
}

// startReal starts the API server of upstream's libraries, peers/apiserver.
func startReal(program string) (*server, error) {
	return start(program, "ready http://", "--listen", "127.0.0.1:0")
}

// startOurs returns a function that starts informer-lab's cluster with this admission, and without nodes, controllers and
// kubelet stages, so that nothing changes objects by itself.
func startOurs(admission string) func(program string) (*server, error) {
	return func(program string) (*server, error) {
		still := inProject("peers", "differential", "still.yaml")
		return start(program, "http://", "cluster", "--listen", "127.0.0.1:0", "--nodes", "0", "--controllers", "none", "--admission", admission, "--managed-fields", "all",
			"--stages", still)
	}
}

// start starts a program and reads its output up to the line with its URL. The sign stands before the URL in that line
// and ends with the URL's own "http://".
func start(program, sign string, arguments ...string) (*server, error) {
	command := exec.Command(program, arguments...)
	command.Stderr = os.Stderr
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("cannot start %s: %w", program, err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if at := strings.Index(lines.Text(), sign); at >= 0 {
			go io.Copy(io.Discard, out)
			url := lines.Text()[at+len(sign)-len("http://"):]
			return &server{url: strings.Fields(url)[0], command: command}, nil
		}
	}
	_ = command.Wait() // it ended by itself and has printed why
	return nil, fmt.Errorf("%s ended before it served", program)
}

func (s *server) stop() {
	_ = s.command.Process.Signal(syscall.SIGTERM) // an error means that it has ended already
	_ = s.command.Wait()                          // the error is the signal
	if s.cleanUp != nil {
		s.cleanUp()
	}
}

func inProject(path ...string) string {
	_, file, _, _ := runtime.Caller(0) // always known for this file
	return filepath.Join(append([]string{filepath.Dir(file), "..", ".."}, path...)...)
}
