package main

import (
	"context"
	"fmt"
	"os/exec"
	"time"
)

// apiserver starts an API server anew for each run, looks at how long that takes and what it holds, and puts load on it.
func apiserver(name, load string, size size, announcement, program string, arguments ...string) contender {
	return contender{name, func(ctx context.Context) ([]figure, error) {
		start := time.Now()
		server, err := serve(ctx, announcement, program, arguments...)
		if err != nil {
			return nil, err
		}
		defer server.stop()
		if err := server.answers(); err != nil {
			return nil, err
		}
		started := time.Since(start)
		time.Sleep(time.Second) // what it does after its first answer is part of what it is
		idle, err := server.resident()
		if err != nil {
			return nil, err
		}
		out, err := output(exec.CommandContext(ctx, load, "--url", server.url, "--pid", fmt.Sprint(server.command.Process.Pid),
			"--pods", fmt.Sprint(size.pods), "--watchers", size.text(1000), "--changes", size.text(50)))
		if err != nil {
			return nil, err
		}
		figures, err := decode(out)
		return append(figures,
			figure{"start", float64(started.Microseconds()) / 1e3, "ms", 1},
			figure{"idle", idle, "MB", 1}), err
	}}
}
