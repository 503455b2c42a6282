package main

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

// connection sends one request after the other to a server, over HTTP/1.1. net/http's client has two goroutines for each connection, and
// switching between them costs more than all else in a request: the load would take from the server what is to be measured.
type connection struct {
	host    string
	socket  net.Conn
	request bytes.Buffer
	answers *bufio.Reader
}

// userAgent is that of net/http, with which the size of a pod is measured: a server may keep it in managedFields.
const userAgent = "Go-http-client/1.1"

// dial connects to the server with this URL.
func dial(server string) (*connection, error) {
	host := strings.TrimPrefix(server, "http://")
	socket, err := net.Dial("tcp", host)
	if err != nil {
		return nil, err
	}
	return &connection{host: host, socket: socket, answers: bufio.NewReader(socket)}, nil
}

// send sends a request and reads the answer. An answer that refuses is an error.
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
	_, err = io.Copy(io.Discard, answer.Body) // the next answer begins behind it, nobody needs the object
	return err
}

func (c *connection) close() { _ = c.socket.Close() }
