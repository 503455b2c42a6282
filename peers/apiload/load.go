package main

// Measures creating and listing pods.

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// load puts load on the pods of one namespace of one server.
type load struct {
	server string
	// pods is the path of the pods.
	pods   string
	client *http.Client
	// padding fills each pod up to the size of --bytes.
	padding string
}

const podText = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"load-%06d","labels":{"app":"a%d"},"annotations":{"padding":"%s"}},` +
	`"spec":{"containers":[{"name":"c","image":"nginx:1.27"}]}}`

// pad computes the padding from a pod's size on this server, because servers add different fields: managedFields,
// defaults. It measures nothing, so it returns no figures.
func (l *load) pad() ([]figure, error) {
	answer, err := l.client.Post(l.server+l.pods, "application/json", strings.NewReader(fmt.Sprintf(podText, 0, 0, "")))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(answer.Body)
	if err = errors.Join(err, answer.Body.Close()); err != nil {
		return nil, err
	}
	if len(text) > *size {
		return nil, fmt.Errorf("a pod has %d bytes already: %s", len(text), text)
	}
	l.padding = strings.Repeat("x", *size-len(text))
	return nil, nil
}

// create measures the creates per second over all connections together.
func (l *load) create() ([]figure, error) {
	var next, created atomic.Int64
	var creating sync.WaitGroup
	failures := make(chan error, *connections)
	start := time.Now()
	for range *connections {
		creating.Go(func() {
			if err := l.createOver(&next, &created); err != nil {
				failures <- err
			}
		})
	}
	creating.Wait()
	spent := time.Since(start).Seconds()
	close(failures)
	// After the close, the receive returns the first failure, or nil without one.
	return []figure{{Part: "creates", Value: float64(*pods) / spent, Unit: "/s", Did: int(created.Load())}}, <-failures
}

// createOver creates pods over one connection, until there are enough.
func (l *load) createOver(next, created *atomic.Int64) error {
	server, err := dial(l.server)
	if err != nil {
		return err
	}
	defer server.close()
	for n := next.Add(1); n <= int64(*pods); n = next.Add(1) {
		if err := server.send(http.MethodPost, l.pods, "application/json", fmt.Sprintf(podText, n, n%100, l.padding)); err != nil {
			return err
		}
		created.Add(1)
	}
	return nil
}

// list measures lists in JSON and as Tables.
func (l *load) list() ([]figure, error) {
	plain, err := l.listAs("", "application/json")
	if err != nil {
		return nil, err
	}
	asTable, err := l.listAs(" as Table", table)
	asTable.Did = plain.Did // the same pods
	return []figure{plain, asTable}, err
}

// listAs measures the median time of a list with this Accept header. name is the end of the figure's name. The amount of work
// is the size per pod, rounded to ten bytes, because resourceVersions differ in length.
func (l *load) listAs(name, accept string) (figure, error) {
	var times []float64
	var size int64
	for range *lists {
		start := time.Now()
		request, err := http.NewRequest(http.MethodGet, l.server+l.pods, nil)
		if err != nil {
			return figure{}, err
		}
		request.Header.Set("Accept", accept)
		answer, err := l.client.Do(request)
		if err != nil {
			return figure{}, err
		}
		size, err = io.Copy(io.Discard, answer.Body)
		if err = errors.Join(err, answer.Body.Close()); err != nil {
			return figure{}, err
		}
		times = append(times, time.Since(start).Seconds()*1e3)
	}
	slices.Sort(times)
	return figure{Part: "list" + name, Value: times[len(times)/2], Unit: "ms", Did: int(math.Round(float64(size)/float64(*pods)/10)) * 10}, nil
}

func (l *load) memory() ([]figure, error) {
	if *pid == 0 {
		return nil, nil
	}
	resident, err := resident(*pid)
	return []figure{{Part: "memory", Value: resident / 1e6, Unit: "MB", Did: *pods}}, err
}
