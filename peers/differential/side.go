package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// Side is one of the two servers, and the one connection on which it is asked.
type Side struct {
	name, url string
	client    *http.Client
	// dialled counts the connections, to notice one that was dropped without a word.
	dialled atomic.Int64
	// expectsDial says that the last answer closed its connection, as it said.
	expectsDial bool
	memory      *memory
	normal      *normaliser
}

func newSide(name, url string) *Side {
	side := &Side{name: name, url: url, expectsDial: true}
	dialer := net.Dialer{}
	side.client = &http.Client{
		Transport: &http.Transport{
			DisableCompression:  true,
			MaxIdleConnsPerHost: 1,
			DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				side.dialled.Add(1)
				return dialer.DialContext(ctx, network, address)
			},
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Timeout:       40 * time.Second,
	}
	return side
}

// begin forgets what was answered, for a new sequence.
func (s *Side) begin(namespace string) {
	s.memory = newMemory(namespace)
	s.normal = newNormaliser()
}

// Answer is what a server said, as it was sent.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	Close  bool
	// Lost says that the connection was gone before this request, though nobody had said so.
	Lost bool
	// Failed is why there is no answer.
	Failed string
}

// ask sends a request that has an end.
func (s *Side) ask(request Request) Answer {
	before := s.dialled.Load()
	response, err := s.client.Do(s.request(context.Background(), request))
	if err != nil {
		s.expectsDial = true
		return Answer{Failed: failure(err)}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	answer := Answer{Status: response.StatusCode, Header: response.Header, Body: body, Close: response.Close}
	answer.Lost = s.dialled.Load() > before && !s.expectsDial
	s.expectsDial = response.Close
	if err != nil {
		answer.Failed = failure(err)
		s.expectsDial = true
	}
	return answer
}

func (s *Side) request(ctx context.Context, request Request) *http.Request {
	var body io.Reader
	if request.Body != "" {
		body = strings.NewReader(s.memory.resolve(request.Body))
	}
	made, err := http.NewRequestWithContext(ctx, request.Method, s.url, body)
	if err != nil {
		panic(err) // the generator has made something that is no request
	}
	path, query, _ := strings.Cut(s.memory.resolve(request.Path), "?")
	made.URL.Opaque = "//" + made.URL.Host + path
	made.URL.RawQuery = query
	made.Header.Set("User-Agent", "differential")
	for name, value := range request.Header {
		made.Header.Set(name, s.memory.resolve(value))
	}
	return made
}

// failure is an error without what is by chance in it: addresses.
func failure(err error) string {
	for _, known := range []string{"EOF", "connection reset", "broken pipe", "deadline exceeded", "malformed HTTP"} {
		if strings.Contains(err.Error(), known) {
			return known
		}
	}
	return err.Error()
}
