package main

// The real API server that recordings are made with, and the actions on it.

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
	// firstRevision is high, so that revisions differ from all other numbers in an answer.
	firstRevision = 20_000
	// noticed is long enough for the watch caches to notice a compaction, because they look for one twice in this time.
	noticed = 33 * time.Second
)

// server is a real API server with its own etcd.
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

// run starts the program and reads its URL and the URL of its etcd.
func (s *server) run() error {
	s.command = exec.Command(s.program, s.flags...)
	var said bytes.Buffer
	s.command.Stderr = &said // kept for an error only: the server logs every refused request
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
	_ = s.command.Wait() // afterwards its whole output has been read
	return fmt.Errorf("the API server ended before it served: %s", said.String())
}

func (s *server) end() {
	if s.command != nil && s.command.Process != nil {
		_ = s.command.Process.Signal(syscall.SIGTERM) // an error means that it has ended already
		_ = s.command.Wait()                          // the error is the signal
	}
}

func (s *server) stop() {
	s.end()
	os.RemoveAll(s.folder)
}

// gates returns the feature gates of a recording, which its first record may name.
func gates(records []Record) string {
	if len(records) == 0 {
		return ""
	}
	gates, _ := strings.CutPrefix(records[0].Server, "feature-gates ")
	return gates
}

// do does an action that no request can do.
func (s *server) do(action string) error {
	switch {
	case strings.HasPrefix(action, "feature-gates "):
		return nil // the server was started with them
	case action == "restart":
		s.end()
		defer newSecond()
		return s.run()
	case action == "compact":
		return s.inEtcd(compact)
	case action == "notice":
		time.Sleep(noticed)
		return nil
	}
	return fmt.Errorf("the recorder cannot do %q to a server: it knows feature-gates, restart, compact and notice", action)
}

// newSecond waits for the next second. The order of managed fields depends on the second of each write, so it must not
// be chance whether writes before and after a restart, or those of prepare, are in the same one.
func newSecond() {
	time.Sleep(time.Until(time.Now().Truncate(time.Second).Add(time.Second)))
}

func (s *server) inEtcd(do func(context.Context, *clientv3.Client) error) error {
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{s.etcd}, DialTimeout: 5 * time.Second})
	if err != nil {
		return err
	}
	defer client.Close()
	return do(context.Background(), client)
}

// compact does what the API server does every five minutes: it stores the revision, and compacts etcd.
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

// raise writes a key that no server reads until the revision is at least firstRevision.
func raise(ctx context.Context, client *clientv3.Client) error {
	for {
		put, err := client.Put(ctx, "/raised", "")
		if err != nil || put.Header.Revision >= firstRevision {
			return err
		}
	}
}

func inProject(path ...string) string {
	_, file, _, _ := runtime.Caller(0) // always known for this file
	return filepath.Join(append([]string{filepath.Dir(file), "..", ".."}, path...)...)
}
