package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/apiserver/pkg/storage/etcd3"
)

const (
	// firstRevision is high, so that a revision is told from any other number in an answer.
	firstRevision = 20_000
	// noticed is after how long the watch caches have surely noticed a compaction: they look twice in this time.
	noticed = 33 * time.Second
)

// server is a real API server with an etcd of its own.
type server struct {
	program, folder string
	flags           []string
	url, etcd       string
	command         *exec.Cmd
}

// start starts a server on an empty etcd.
func start(program, gates string) (*server, error) {
	folder, err := os.MkdirTemp("", "informer-lab-record-")
	if err != nil {
		return nil, err
	}
	s := &server{program: program, folder: folder, flags: []string{"--listen", "127.0.0.1:0", "--data-dir", folder, "--feature-gates", gates}}
	if err := s.run(); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

// run starts the program, and reads where it and its etcd are.
func (s *server) run() error {
	s.command = exec.Command(s.program, s.flags...)
	var said bytes.Buffer
	s.command.Stderr = &said // it tells of every refused request
	out, err := s.command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := s.command.Start(); err != nil {
		return fmt.Errorf("cannot start the API server: %w. Build it first: go build -o ../target/peers/ ./apiserver", err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if etcd, found := strings.CutPrefix(lines.Text(), "etcd "); found {
			s.etcd = etcd
		}
		if url, found := strings.CutPrefix(lines.Text(), "ready "); found {
			s.url = url
			go io.Copy(io.Discard, out)
			return nil
		}
	}
	_ = s.command.Wait() // what it said is known then
	return fmt.Errorf("the API server ended before it served: %s", said.String())
}

func (s *server) end() {
	if s.command != nil && s.command.Process != nil {
		_ = s.command.Process.Signal(syscall.SIGTERM) // one that has ended already needs none
		_ = s.command.Wait()                          // by a signal, as asked
	}
}

func (s *server) stop() {
	s.end()
	os.RemoveAll(s.folder)
}

// gates are the feature gates of a recording: its first record may name them.
func gates(records []Record) string {
	if len(records) == 0 {
		return ""
	}
	gates, _ := strings.CutPrefix(records[0].Server, "feature-gates ")
	return gates
}

// do does something to the server that no request can.
func (s *server) do(action string) error {
	switch {
	case strings.HasPrefix(action, "feature-gates "):
		return nil // it was started with them
	case action == "restart":
		s.end()
		return s.run()
	case action == "compact":
		return s.inEtcd(compact)
	case action == "notice":
		time.Sleep(noticed)
		return nil
	}
	return fmt.Errorf("the recorder cannot do %q to a server: it knows feature-gates, restart, compact and notice", action)
}

func (s *server) inEtcd(do func(context.Context, *clientv3.Client) error) error {
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{s.etcd}, DialTimeout: 5 * time.Second})
	if err != nil {
		return err
	}
	defer client.Close()
	return do(context.Background(), client)
}

// compact does what the API server does every five minutes: it notes the revision, and compacts etcd.
func compact(ctx context.Context, client *clientv3.Client) error {
	key, err := client.Get(ctx, "compact_rev_key")
	if err != nil {
		return err
	}
	version := int64(0)
	if len(key.Kvs) > 0 {
		version = key.Kvs[0].Version
	}
	_, _, _, err = etcd3.Compact(ctx, client, version, key.Header.Revision)
	return err
}

// raise writes a key that no server reads, until the revisions are high.
func raise(ctx context.Context, client *clientv3.Client) error {
	for {
		put, err := client.Put(ctx, "/raised", "")
		if err != nil || put.Header.Revision >= firstRevision {
			return err
		}
	}
}

// inProject is a path in the project.
func inProject(path ...string) string {
	_, file, _, _ := runtime.Caller(0) // this file has a name
	return filepath.Join(append([]string{filepath.Dir(file), "..", ".."}, path...)...)
}
