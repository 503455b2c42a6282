package main

// Sends the requests of a recording and reads the answers.

import (
	"bytes"
	"encoding/hex"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// kept are the recorded headers: those that a client acts on. The others belong to the connection.
var kept = []string{"Etag", "Content-Type", "Cache-Control", "Retry-After", "Warning", "Vary", "Content-Encoding", "Location", "Allow"}

// transport follows no redirects and decompresses nothing.
var transport = &http.Transport{DisableCompression: true}

// send sends a request. Its path is sent as it is, not cleaned; only spaces are escaped.
func (s *server) send(request Request) (*http.Response, error) {
	body, err := encode(request.Body)
	if err != nil {
		return nil, err
	}
	var reader io.Reader
	if request.Body != nil {
		reader = strings.NewReader(body)
	}
	sent, err := http.NewRequest(request.Method, s.url, reader)
	if err != nil {
		return nil, err
	}
	path, query, _ := strings.Cut(request.Path, "?")
	sent.URL = &url.URL{Scheme: "http", Host: sent.URL.Host, Opaque: strings.ReplaceAll(path, " ", "%20"), RawQuery: strings.ReplaceAll(query, " ", "%20")}
	sent.URL.Opaque = "//" + sent.URL.Host + sent.URL.Opaque
	sent.Header.Set("User-Agent", "wire-recorder")
	for name, value := range request.Headers {
		sent.Header.Set(name, value)
	}
	return transport.RoundTrip(sent)
}

// ask sends the request of a record and reads the answer.
func (s *server) ask(record Record) (*Response, error) {
	if isStreaming(record.Request.Path) {
		return s.watch(record)
	}
	if record.Request.Method == http.MethodDelete {
		time.Sleep(pause) // the watch cache must show the pod as bound: an unbound pod is deleted at once, without its grace period
	}
	answer, err := s.send(*record.Request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	body, err := keep(record.Keep, decoded(answer.Header, text))
	if err != nil {
		return nil, err
	}
	return &Response{Status: answer.StatusCode, Headers: headers(answer.Header), Body: body}, nil
}

func headers(all http.Header) map[string]string {
	found := map[string]string{}
	for _, name := range kept {
		if values := all.Values(name); len(values) > 0 {
			found[strings.ToLower(name)] = strings.Join(values, ", ")
		}
	}
	return found
}

// decoded returns a body in the form that is recorded.
func decoded(header http.Header, text []byte) any {
	if header.Get("Content-Encoding") == "gzip" {
		return map[string]any{"gzip": true}
	}
	if strings.Contains(header.Get("Content-Type"), "json") {
		if value, err := decode(text); err == nil {
			return value
		}
	}
	if magic := []byte("k8s\x00"); bytes.HasPrefix(text, magic) {
		return map[string]any{"protobuf": true, "firstBytesHex": hex.EncodeToString(magic)}
	}
	return string(text)
}
