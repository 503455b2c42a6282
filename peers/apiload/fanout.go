package main

// Measures the events to many watchers of one pod.

import (
	"bufio"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// fanOut measures the events of a watch in each form.
func (l *load) fanOut() ([]figure, error) {
	var figures []figure
	for _, form := range forms {
		measured, err := l.fanOutAs(form)
		if err != nil {
			return nil, fmt.Errorf("a watch%s: %w", form.name, err)
		}
		figures = append(figures, measured...)
	}
	return figures, nil
}

// fanOutAs changes one pod while many clients watch it, and measures the events per second and the server's processor
// time per event.
func (l *load) fanOutAs(form form) ([]figure, error) {
	var seen atomic.Int64
	ready, ended := make(chan error, *watchers), make(chan error, *watchers)
	client := &http.Client{Transport: &http.Transport{}}
	for range *watchers {
		go func() { ended <- l.watch(client, form, ready, &seen) }()
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
		body := fmt.Sprintf(`{"metadata":{"labels":{"turn":"%d%s"}}}`, n, strings.ReplaceAll(form.name, " ", "-"))
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
	figures := []figure{{Part: "events" + form.name, Value: float64(events) / spent, Unit: "/s", Did: events}}
	if *pid == 0 {
		return figures, nil
	}
	usedNow, err := processorTime(*pid)
	perEvent := (usedNow - used).Seconds() * 1e6 / float64(events)
	return append(figures, figure{Part: "processor" + form.name, Value: perEvent, Unit: "us", Did: events}), err
}

// watch reads the pod's initial event, reports that it is ready, and then reads every change.
func (l *load) watch(client *http.Client, form form, ready chan<- error, seen *atomic.Int64) error {
	request, err := http.NewRequest(http.MethodGet, l.server+l.pods+"?watch=true&fieldSelector=metadata.name%3Dload-000001&resourceVersion=0", nil)
	if err != nil {
		ready <- err
		return err
	}
	request.Header.Set("Accept", form.accept)
	answer, err := client.Do(request)
	if err != nil {
		ready <- err
		return err
	}
	defer answer.Body.Close()
	events := bufio.NewReaderSize(answer.Body, 16384)
	err = form.skip(events)
	ready <- err
	for range *changes {
		if err := form.skip(events); err != nil {
			return err
		}
		seen.Add(1)
	}
	return nil
}
