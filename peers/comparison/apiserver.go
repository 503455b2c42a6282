package main

// Benchmarks API servers: ours, and upstream's on etcd.

import (
	"context"
	"fmt"
	"time"
)

// apiserver returns a contender that starts a new API server for each run, measures its time to the first answer and
// its idle memory, and then puts load on it. load is the command line of apiload.
func apiserver(name string, load []string, announcement, program string, arguments ...string) contender {
	return contender{name, func(ctx context.Context) ([]figure, error) {
		start := time.Now()
		server, err := serve(ctx, announcement, program, arguments...)
		if err != nil {
			return nil, err
		}
		defer server.stop()
		figures, err := loaded(ctx, server, start, load)
		return figures, server.blame(err)
	}}
}

// loaded measures a server that has just been started, and puts load on it.
func loaded(ctx context.Context, server *server, start time.Time, load []string) ([]figure, error) {
	if err := server.answers(ctx); err != nil {
		return nil, err
	}
	started := time.Since(start)
	time.Sleep(time.Second) // the server works on after its first answer, and its idle memory includes that work
	idle, err := server.resident()
	if err != nil {
		return nil, err
	}
	arguments := append([]string{"--url", server.url, "--pid", fmt.Sprint(server.command.Process.Pid)}, load[1:]...)
	out, err := output(process(ctx, load[0], arguments...))
	if err != nil {
		return nil, err
	}
	figures, err := decode(out)
	return append(figures,
		figure{"start", float64(started.Microseconds()) / 1e3, "ms", 1},
		figure{"idle", idle, "MB", 1}), err
}
