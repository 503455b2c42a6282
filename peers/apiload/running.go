package main

// Measures how fast a cluster brings pods to Running.

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"time"
)

// stalled is the longest time without a pod that begins to run. After it, the measurement fails, because the pods that
// are left have no room, or the server hangs.
const stalled = time.Minute

// run creates pods as create does, and waits until the server's scheduler and kubelet have brought all of them to
// Running.
func (l *load) run() ([]figure, error) {
	watch, err := l.watchRunning()
	if err != nil {
		return nil, err
	}
	defer watch.Body.Close()
	ended := make(chan error, 1)
	go func() { ended <- countAdded(watch.Body, *pods) }()
	used, err := processorTime(*pid)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	if _, err := l.create(); err != nil {
		return nil, err
	}
	if err := <-ended; err != nil {
		return nil, err
	}
	spent := time.Since(start).Seconds()
	usedNow, err := processorTime(*pid)
	figures := []figure{{Part: "running", Value: float64(*pods) / spent, Unit: "/s", Did: *pods}}
	if *pid != 0 {
		perPod := (usedNow - used).Seconds() * 1e6 / float64(*pods)
		figures = append(figures, figure{Part: "processor per pod", Value: perPod, Unit: "us", Did: *pods})
	}
	return figures, err
}

// watchRunning opens a watch of the running pods. Its events carry whole pods, as for an informer.
func (l *load) watchRunning() (*http.Response, error) {
	return l.client.Get(l.server + l.pods + "?watch=true&resourceVersion=0&fieldSelector=status.phase%3DRunning")
}

// countAdded reads events until this many objects were added. The watch adds a pod when the pod begins to run.
func countAdded(watch io.ReadCloser, wanted int) error {
	lines := bufio.NewReaderSize(watch, 1<<20)
	limit := time.AfterFunc(stalled, func() { watch.Close() })
	defer limit.Stop()
	for added := 0; added < wanted; {
		line, err := lines.ReadSlice('\n')
		limit.Reset(stalled)
		if err != nil {
			return fmt.Errorf("the watch has ended with %d of %d pods: %w", added, wanted, err)
		}
		if bytes.HasPrefix(line, []byte(`{"type":"ADDED"`)) {
			added++
		}
	}
	return nil
}
