package harness

// A proxy that can cut watches.

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"
)

// Proxy forwards requests to an API server. It tracks the open watches and can cut them.
type Proxy struct {
	URL     string
	forward http.Handler

	mutex   sync.Mutex
	changed chan struct{}
	// open holds the watches that the server has accepted, each with the function that cuts it.
	open map[*http.Request]context.CancelFunc
	// held is true while no watch may be opened.
	held bool
	// lists counts the lists that were begun, streamed or not.
	lists int
}

func NewProxy(t *testing.T, cluster Cluster) *Proxy {
	t.Helper()
	target, err := url.Parse(cluster.URL)
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{changed: make(chan struct{}), open: map[*http.Request]context.CancelFunc{}}
	p.forward = &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target) },
		FlushInterval: -1, // forward each watch event at once
	}
	server := httptest.NewServer(p)
	p.URL = server.URL
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return p
}

func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	if r.Method == http.MethodGet && (!query.Has("watch") || query.Has("sendInitialEvents")) {
		p.change(func() { p.lists++ })
	}
	if !query.Has("watch") {
		p.forward.ServeHTTP(w, r)
		return
	}
	if !p.await(r.Context(), func() bool { return !p.held }) {
		return // the client has gone
	}
	ctx, cut := context.WithCancel(r.Context())
	defer cut()
	r = r.WithContext(ctx)
	defer p.change(func() { delete(p.open, r) })
	accepted := func() { p.change(func() { p.open[r] = cut }) }
	p.forward.ServeHTTP(&acceptance{ResponseWriter: w, accepted: accepted}, r)
}

// Cut closes all open watches, and lets no watch through until Resume.
func (p *Proxy) Cut() {
	p.change(func() {
		p.held = true
		for _, cut := range p.open {
			cut()
		}
	})
}

func (p *Proxy) Resume() {
	p.change(func() { p.held = false })
}

// Lists returns the number of lists that were begun, streamed or not.
func (p *Proxy) Lists() int {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.lists
}

// AwaitWatches waits until this many watches are open. From then on they miss no change.
func (p *Proxy) AwaitWatches(t *testing.T, count int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	defer cancel()
	if !p.await(ctx, func() bool { return len(p.open) == count }) {
		t.Fatalf("there were not %d open watches within %s", count, Patience)
	}
}

// await waits for the condition. It returns false if the context ends first.
func (p *Proxy) await(ctx context.Context, condition func() bool) bool {
	for {
		p.mutex.Lock()
		holds, changed := condition(), p.changed
		p.mutex.Unlock()
		if holds {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

func (p *Proxy) change(what func()) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	what()
	close(p.changed)
	p.changed = make(chan struct{})
}

// acceptance is a ResponseWriter that calls accepted when the server answers 200.
type acceptance struct {
	http.ResponseWriter
	accepted func()
}

func (a *acceptance) WriteHeader(status int) {
	if status == http.StatusOK {
		a.accepted()
	}
	a.ResponseWriter.WriteHeader(status)
}

// Unwrap lets the proxy flush.
func (a *acceptance) Unwrap() http.ResponseWriter {
	return a.ResponseWriter
}
