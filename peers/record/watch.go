package main

// Records watches: their events, and the actions that cause them.

import (
	"bufio"
	"io"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	// settle is the time before the first action, pause the time after each action.
	settle, pause = 400 * time.Millisecond, 150 * time.Millisecond
	// patience is the time after the last action.
	patience = time.Second
)

// isStreaming returns true if the path requests a watch.
func isStreaming(path string) bool {
	path, text, _ := strings.Cut(path, "?")
	if strings.Contains(path, "/watch/") {
		return true
	}
	query, err := url.ParseQuery(text)
	return err == nil && query.Has("watch") && query.Get("watch") != "false" && query.Get("watch") != "False" && query.Get("watch") != "0"
}

// watch sends a watch request, does the actions of the record, and closes the watch if the server does not.
func (s *server) watch(record Record) (*Response, error) {
	if strings.Contains(record.Request.Path, "sendInitialEvents") {
		time.Sleep(settle) // so that the watch caches have seen the earlier writes
	}
	begun := time.Now()
	answer, err := s.send(*record.Request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	response := &Response{Status: answer.StatusCode, Headers: headers(answer.Header)}
	stream := follow(answer.Body)
	isWatch := answer.StatusCode == http.StatusOK && record.Keep == ""
	if isWatch {
		if err := s.meanwhile(record, stream); err != nil {
			return nil, err
		}
	}
	stream.wait(limit(record.Request.Path))
	if !isWatch {
		response.Body, err = keep(record.Keep, decoded(answer.Header, stream.text()))
		return response, err
	}
	response.Events = events(answer.Header, stream.lines)
	response.ClosedBy = "client"
	if !stream.ended.IsZero() {
		seconds := math.Floor(stream.ended.Sub(begun).Seconds())
		response.ClosedBy, response.ClosedAfterSeconds = "server", &seconds
	}
	return response, nil
}

// meanwhile does the actions of a record while its watch is open.
func (s *server) meanwhile(record Record, stream *stream) error {
	stream.wait(settle)
	for _, action := range record.DuringWatch {
		if err := s.act(action); err != nil {
			return err
		}
		stream.wait(pause)
	}
	return nil
}

// limit returns the time after the last action: until the server ends the watch, if the request has a timeout.
func limit(path string) time.Duration {
	_, text, _ := strings.Cut(path, "?")
	query, _ := url.ParseQuery(text)
	seconds, err := strconv.Atoi(query.Get("timeoutSeconds"))
	if err != nil {
		return patience
	}
	return time.Duration(seconds)*time.Second + 3*time.Second
}

// soon is the time after a bookmark within which another bookmark may or may not come, by chance.
const soon = 2 * time.Second

// events returns the events of a watch, without the bookmarks that come by chance.
func events(header http.Header, lines []line) any {
	if strings.Contains(header.Get("Content-Type"), "protobuf") {
		return "binary: frames of a 4 byte big-endian length and a protobuf WatchEvent"
	}
	found := []any{}
	var bookmark time.Time
	for _, line := range lines {
		if strings.HasPrefix(line.text, `{"type":"BOOKMARK"`) {
			byChance := line.at.Sub(bookmark) < soon
			if bookmark = line.at; byChance {
				continue
			}
		}
		event, err := decode([]byte(line.text))
		if err != nil {
			event = object{"undecoded": line.text}
		}
		found = append(found, event)
	}
	return found
}

// stream reads lines in the background.
type stream struct {
	lines []line
	came  chan line
	// ended is the time when the server closed the stream, or zero.
	ended time.Time
}

type line struct {
	text string
	at   time.Time
}

func follow(body io.Reader) *stream {
	s := &stream{came: make(chan line, 1024)}
	go func() {
		defer close(s.came)
		for reader := bufio.NewReader(body); ; {
			text, err := reader.ReadString('\n')
			if text != "" {
				s.came <- line{text, time.Now()}
			}
			if err != nil {
				return
			}
		}
	}()
	return s
}

// wait reads lines for some time, or until the stream ends.
func (s *stream) wait(limit time.Duration) {
	over := time.After(limit)
	for s.ended.IsZero() {
		select {
		case line, more := <-s.came:
			if !more {
				s.ended = time.Now()
				return
			}
			s.lines = append(s.lines, line)
		case <-over:
			return
		}
	}
}

func (s *stream) text() []byte {
	var text []byte
	for _, line := range s.lines {
		text = append(text, line.text...)
	}
	return text
}
