package main

// The connection to one of the two compared servers: sends requests, and notices when the server closes the connection.

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// Side is one of the two servers, with the single connection to it.
type Side struct {
	name, url string
	client    *http.Client
	// dropped is true once the server has closed the connection.
	dropped atomic.Bool
	// expectsDial is true if the next request needs a new connection anyway: the last answer announced the close, or
	// failed.
	expectsDial bool
	memory      *memory
	normal      *normaliser
	// atStart has the plural and the name of each object that the server had before the first sequence.
	atStart map[string]bool
}

func newSide(name, url string) *Side {
	side := &Side{name: name, url: url, expectsDial: true}
	dialer := net.Dialer{}
	side.client = &http.Client{
		Transport: &http.Transport{
			DisableCompression:  true,
			TLSClientConfig:     loopbackTLS,
			MaxIdleConnsPerHost: 1,
			DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				side.dropped.Store(false)
				connection, err := dialer.DialContext(ctx, network, address)
				return &watched{connection, &side.dropped}, err
			},
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Timeout:       40 * time.Second,
	}
	return side
}

// watched is a connection that notes when the server closes it.
type watched struct {
	net.Conn
	dropped *atomic.Bool
}

func (w *watched) Read(into []byte) (int, error) {
	n, err := w.Conn.Read(into)
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) {
		w.dropped.Store(true)
	}
	return n, err
}

// begin forgets all answers, for a new sequence.
func (s *Side) begin(namespace string) {
	s.memory = newMemory(namespace)
	s.normal = newNormaliser()
}

type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	// Close is true if the server announced that it closes the connection after this answer.
	Close bool
	// Lost is true if the server closed the connection before this request without announcing it.
	Lost bool
	// Failed is the reason why there is no answer.
	Failed string
}

// ask sends a request and reads the whole answer. Watches are opened by watch.
func (s *Side) ask(request Request) Answer {
	dropped := s.dropped.Load()
	response, err := s.client.Do(s.request(context.Background(), request))
	if err != nil {
		s.expectsDial = true
		return Answer{Failed: failure(err)}
	}
	defer response.Body.Close()
	body, err := read(response)
	answer := Answer{Status: response.StatusCode, Header: response.Header, Body: body, Close: response.Close}
	answer.Lost = dropped && !s.expectsDial
	s.expectsDial = response.Close
	if err != nil {
		answer.Failed = failure(err)
		s.expectsDial = true
	}
	return answer
}

// read returns the whole body, decompressed.
func read(response *http.Response) ([]byte, error) {
	if response.Header.Get("Content-Encoding") != "gzip" {
		return io.ReadAll(response.Body)
	}
	plain, err := gzip.NewReader(response.Body)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(plain)
}

func (s *Side) request(ctx context.Context, request Request) *http.Request {
	var body io.Reader
	if request.Body != "" {
		body = strings.NewReader(request.protobuf.encode(s.memory.resolve(request.Body)))
	}
	made, err := http.NewRequestWithContext(ctx, request.Method, s.url, body)
	if err != nil {
		panic(err) // a bug in the generator
	}
	path, query, _ := strings.Cut(s.memory.resolve(request.Path), "?")
	// The opaque part is sent as it is. Go would clean and encode a path.
	made.URL.Opaque = "//" + made.URL.Host + path
	made.URL.RawQuery = query
	made.Header.Set("User-Agent", "differential")
	if made.URL.Scheme == "https" {
		made.Header.Set("Authorization", "Bearer "+token)
	}
	for name, value := range request.Header {
		made.Header.Set(name, s.memory.resolve(value))
	}
	return made
}

// failure returns an error's text without what differs by chance, such as addresses.
func failure(err error) string {
	for _, known := range []string{"EOF", "connection reset", "broken pipe", "deadline exceeded", "malformed HTTP"} {
		if strings.Contains(err.Error(), known) {
			return known
		}
	}
	return err.Error()
}
