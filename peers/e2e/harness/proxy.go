package harness

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"
	"time"
)

// Proxy stands between a client and its API server, and counts the watches that were accepted.
type Proxy struct {
	URL      string
	mutex    sync.Mutex
	watches  int
	accepted chan struct{}
}

// NewProxy starts a proxy in front of the cluster.
func NewProxy(t *testing.T, cluster Cluster) *Proxy {
	t.Helper()
	target, err := url.Parse(cluster.URL)
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{accepted: make(chan struct{})}
	server := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(target) },
		FlushInterval:  -1, // a watch event is passed on at once
		ModifyResponse: p.see,
	})
	p.URL = server.URL
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return p
}

func (p *Proxy) see(response *http.Response) error {
	if response.StatusCode == http.StatusOK && response.Request.URL.Query().Has("watch") {
		p.mutex.Lock()
		defer p.mutex.Unlock()
		p.watches++
		close(p.accepted)
		p.accepted = make(chan struct{})
	}
	return nil
}

// AwaitWatch waits until the API server has accepted a watch: from then on, no change is missed.
func (p *Proxy) AwaitWatch(t *testing.T) {
	t.Helper()
	deadline := time.After(Patience)
	for {
		p.mutex.Lock()
		watches, accepted := p.watches, p.accepted
		p.mutex.Unlock()
		if watches > 0 {
			return
		}
		select {
		case <-accepted:
		case <-deadline:
			t.Fatalf("no watch within %s", Patience)
		}
	}
}
