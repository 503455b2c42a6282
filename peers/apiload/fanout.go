package main

// Measures the events to many watchers of one pod.

import (
	"bufio"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"
)

// fanOut changes one pod while many clients watch it, and measures the events per second and the server's processor
// time per event.
func (l *load) fanOut() ([]figure, error) {
	var seen atomic.Int64
	ready, ended := make(chan error, *watchers), make(chan error, *watchers)
	client := &http.Client{Transport: &http.Transport{}}
	for range *watchers {
		go func() { ended <- l.watch(client, ready, &seen) }()
	}
	for range *watchers {
		if err := <-ready; err != nil {
			return nil, err
		}
	}
	server, err := dial(l.server)
	if err != nil {
		return nil, err
	}
	defer server.close()
	used, err := processorTime(*pid)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	for n := range *changes {
		body := fmt.Sprintf(`{"metadata":{"labels":{"turn":"%d"}}}`, n)
		if err := server.send(http.MethodPatch, l.pods+"/load-000001", "application/merge-patch+json", body); err != nil {
			return nil, err
		}
	}
	for range *watchers {
		if err := <-ended; err != nil {
			return nil, err
		}
	}
	spent, events := time.Since(start).Seconds(), int(seen.Load())
	figures := []figure{{Part: "events", Value: float64(events) / spent, Unit: "/s", Did: events}}
	if *pid == 0 {
		return figures, nil
	}
	usedNow, err := processorTime(*pid)
	perEvent := (usedNow - used).Seconds() * 1e6 / float64(events)
	return append(figures, figure{Part: "processor", Value: perEvent, Unit: "us", Did: events}), err
}

// watch reads the pod's initial event, reports that it is ready, and then reads every change.
func (l *load) watch(client *http.Client, ready chan<- error, seen *atomic.Int64) error {
	answer, err := client.Get(l.server + l.pods + "?watch=true&fieldSelector=metadata.name%3Dload-000001&resourceVersion=0")
	if err != nil {
		ready <- err
		return err
	}
	defer answer.Body.Close()
	lines := bufio.NewReaderSize(answer.Body, 8192)
	_, err = lines.ReadSlice('\n')
	ready <- err
	for range *changes {
		if _, err := lines.ReadSlice('\n'); err != nil {
			return err
		}
		seen.Add(1)
	}
	return nil
}
