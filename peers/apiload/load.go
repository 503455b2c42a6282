package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// load is the pods of one namespace of one server.
type load struct {
	base   string
	client *http.Client
}

const podText = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"load-%06d","labels":{"app":"a%d"}},` +
	`"spec":{"containers":[{"name":"c","image":"nginx:1.27"}]}}`

func (l *load) create() ([]figure, error) {
	var next, created atomic.Int64
	var creating sync.WaitGroup
	failures := make(chan error, *connection)
	start := time.Now()
	for range *connection {
		creating.Go(func() {
			for n := next.Add(1); n <= int64(*pods); n = next.Add(1) {
				if err := l.send(http.MethodPost, l.base, "application/json", fmt.Sprintf(podText, n, n%100)); err != nil {
					failures <- err
					return
				}
				created.Add(1)
			}
		})
	}
	creating.Wait()
	spent := time.Since(start).Seconds()
	close(failures)
	return []figure{{Part: "creates", Value: float64(*pods) / spent, Unit: "/s", Did: int(created.Load())}}, <-failures
}

// list tells the median time, and as what was done the size per pod.
func (l *load) list() ([]figure, error) {
	var times []float64
	var size int64
	for range *lists {
		start := time.Now()
		answer, err := l.client.Get(l.base)
		if err != nil {
			return nil, err
		}
		size, err = io.Copy(io.Discard, answer.Body)
		if err = errors.Join(err, answer.Body.Close()); err != nil {
			return nil, err
		}
		times = append(times, time.Since(start).Seconds()*1e3)
	}
	slices.Sort(times)
	return []figure{{Part: "list", Value: times[len(times)/2], Unit: "ms", Did: int(size) / *pods}}, nil
}

func (l *load) memory() ([]figure, error) {
	if *pid == 0 {
		return nil, nil
	}
	resident, err := resident(*pid)
	return []figure{{Part: "memory", Value: resident / 1e6, Unit: "MB", Did: *pods}}, err
}

func (l *load) send(method, path, contentType, body string) error {
	request, err := http.NewRequest(method, path, strings.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", contentType)
	answer, err := l.client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if answer.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("%s %s: %s %s", method, path, answer.Status, bytes.TrimSpace(text))
	}
	return err
}
