package main

// A minimal HTTP client, which takes little processor time from the measured server.

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
)

// connection sends one request after the other over HTTP/1.1. net/http's client needs two goroutines for each
// connection, and switching between them costs more than the rest of a request: the load would take processor time
// from the measured server.
type connection struct {
	host    string
	socket  net.Conn
	request bytes.Buffer
	answers *bufio.Reader
}

// userAgent is that of net/http, because pad measures the size of a pod with net/http, and a server may store the
// user agent in managedFields.
const userAgent = "Go-http-client/1.1"

func dial(server string) (*connection, error) {
	host := strings.TrimPrefix(server, "http://")
	socket, err := net.Dial("tcp", host)
	if err != nil {
		return nil, err
	}
	return &connection{host: host, socket: socket, answers: bufio.NewReader(socket)}, nil
}

// send sends a request and reads the answer. A status of 300 or more is an error.
func (c *connection) send(method, path, contentType, body string) error {
	c.request.Reset()
	fmt.Fprintf(&c.request, "%s %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s",
		method, path, c.host, userAgent, contentType, len(body), body)
	if _, err := c.socket.Write(c.request.Bytes()); err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	answer, err := http.ReadResponse(c.answers, nil)
	if err != nil {
		return fmt.Errorf("the answer to %s %s: %w", method, path, err)
	}
	defer answer.Body.Close()
	if answer.StatusCode >= http.StatusMultipleChoices {
		text, err := io.ReadAll(answer.Body)
		return errors.Join(fmt.Errorf("%s %s: %s %s", method, path, answer.Status, bytes.TrimSpace(text)), err)
	}
	// The object is not needed, but must be read, because the next answer follows it on the connection.
	_, err = io.Copy(io.Discard, answer.Body)
	return err
}

func (c *connection) close() { _ = c.socket.Close() }
