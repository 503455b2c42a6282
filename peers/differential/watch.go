package main

// Opens watches on both servers, reads their events, and compares them when the sequence ends.

import (
	"bufio"
	"bytes"
	"context"
	bigendian "encoding/binary"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// stream is an open watch on one server, or the answer that refused it.
type stream struct {
	// answer has the status and the headers. The answer to a refused watch has a body, too.
	answer Answer
	// end closes the watch. It is nil if the watch was refused.
	end context.CancelFunc
	// content is the media type of the events.
	content string

	mutex  sync.Mutex
	events [][]byte
	ended  bool
}

// watchPair is the same watch on both servers.
type watchPair struct {
	// index is the position of the watch's request in the sequence.
	index      int
	real, ours *stream
}

// open opens a watch on both servers. It returns when both have sent their headers.
func (r *Runner) open(request Request) (watchPair, bool) {
	var pair watchPair
	streams := map[*Side]**stream{r.real: &pair.real, r.ours: &pair.ours}
	r.both(func(side *Side) { *streams[side] = side.watch(request) })
	begun := pair.real.end != nil && pair.ours.end != nil
	if begun && request.Plural == "events" {
		// Events have no watch cache, so the real server sends the headers before it has read the objects.
		r.awaitBeginning(request, pair)
	}
	return pair, begun
}

// awaitBeginning waits until both servers have read the state that a watch begins with. An initial list ends with a
// bookmark. For any other watch, it writes an object and waits for its event.
func (r *Runner) awaitBeginning(request Request, pair watchPair) {
	mark := initialEnd
	if !marksItsList(request) {
		r.openings++
		mark = fmt.Sprint(opening, r.openings)
		r.write("events", mark)
	}
	if selects(request) && mark != initialEnd || !pair.await(mark) {
		time.Sleep(quiet)
	}
}

// marksItsList returns true if a watch begins with a list and ends the list with a bookmark. Upstream does both for a
// watch with allowWatchBookmarks and no resourceVersion, or "0".
func marksItsList(request Request) bool {
	_, query, _ := strings.Cut(request.Path, "?")
	options, _ := url.ParseQuery(query)
	if options.Has("sendInitialEvents") {
		return options.Get("sendInitialEvents") == "true"
	}
	version := options.Get("resourceVersion")
	return options.Get("allowWatchBookmarks") == "true" && (version == "" || version == "0")
}

func (s *Side) watch(request Request) *stream {
	ctx, end := context.WithCancel(context.Background())
	transport := &http.Transport{TLSClientConfig: loopbackTLS, DisableCompression: true}
	response, err := (&http.Client{Transport: transport}).Do(s.request(ctx, request))
	if err != nil {
		end()
		return &stream{answer: Answer{Failed: failure(err)}}
	}
	answer := Answer{Status: response.StatusCode, Header: response.Header}
	if response.StatusCode != http.StatusOK {
		defer end()
		defer response.Body.Close()
		answer.Body, _ = io.ReadAll(response.Body) // the part that could be read is compared
		return &stream{answer: answer}
	}
	opened := &stream{answer: answer, content: response.Header.Get("Content-Type")}
	opened.end = func() {
		end()
		transport.CloseIdleConnections()
	}
	go opened.read(response.Body)
	return opened
}

// read keeps each event: a line of JSON, or a length-delimited frame of protobuf.
func (s *stream) read(body io.ReadCloser) {
	defer body.Close()
	next := line
	if strings.HasPrefix(s.content, "application/vnd.kubernetes.protobuf") {
		next = frame
	}
	reader := bufio.NewReader(body)
	for {
		event, err := next(reader)
		if len(bytes.TrimSpace(event)) > 0 {
			s.mutex.Lock()
			s.events = append(s.events, event)
			s.mutex.Unlock()
		}
		if err != nil {
			s.mutex.Lock()
			s.ended = true
			s.mutex.Unlock()
			return
		}
	}
}

func line(reader *bufio.Reader) ([]byte, error) { return reader.ReadBytes('\n') }

// frame reads a protobuf event: its length, then the event.
func frame(reader *bufio.Reader) ([]byte, error) {
	var length uint32
	if err := bigendian.Read(reader, bigendian.BigEndian, &length); err != nil {
		return nil, err
	}
	event := make([]byte, length)
	_, err := io.ReadFull(reader, event)
	return event, err
}

// outcome returns the watch's status and headers, or the refusal.
func (s *stream) outcome(side *Side) Outcome {
	if s.end == nil {
		return outcome(side, s.answer)
	}
	// The empty path is that of the body, which was not read.
	return outcome(side, Answer{Status: s.answer.Status, Header: s.answer.Header}).without(func(path string) bool { return path == "" })
}

// all returns the events so far, normalised. Each server sends bookmarks at its own times, so only the bookmark that
// ends an initial list is compared.
func (s *stream) all(request Request, normal *normaliser) Outcome {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	seen := Outcome{"ended": fmt.Sprint(s.ended)}
	if noTime.MatchString(request.Path) {
		return seen // its events before the timeout depend on chance: upstream selects among ready channels at random
	}
	var events []any
	for _, sent := range s.events {
		event := decodeEvent(s.content, sent)
		if !isOrdinaryBookmark(event) {
			events = append(events, normal.value(event))
		}
	}
	flatten(seen, "", any(events))
	return seen
}

// noTime finds a watch whose timeout is over at once.
var noTime = regexp.MustCompile(`timeoutSeconds=(-|9223372037)`)

func isOrdinaryBookmark(event any) bool {
	fields, _ := event.(object)
	if fields["type"] != "BOOKMARK" {
		return false
	}
	at, _ := fields["object"].(object)
	metadata, _ := at["metadata"].(object)
	return metadata["annotations"] == nil
}

const (
	// quiet is how long to wait for the events of a stream that need not show a sentinel. patience is the longest wait
	// for both streams to be equal.
	quiet    = 25 * time.Millisecond
	patience = time.Second
)

// events compares the events of a sequence's watches, and closes them.
func (r *Runner) events(sequence []Request, watches []watchPair) []Finding {
	var found []Finding
	if !r.writeSentinels(sequence, watches) {
		time.Sleep(quiet)
	}
	for _, pair := range watches {
		request := sequence[pair.index]
		left := r.compareStreams(request, pair)
		for deadline := time.Now().Add(patience); len(left) > 0 && time.Now().Before(deadline); {
			time.Sleep(quiet)
			left = r.compareStreams(request, pair)
		}
		if len(left) > 0 {
			found = append(found, Finding{sequence, left})
		}
		pair.real.end()
		pair.ours.end()
	}
	return found
}

const (
	// opening begins the names of the objects whose events show that a watch has begun.
	opening = "zz-opening-"
	// initialEnd is the annotation of the bookmark that ends an initial list.
	initialEnd = "k8s.io/initial-events-end"
	// sentinel is the name of the last object of a sequence. No event that matters comes after its event.
	sentinel = "zz-sentinel"
)

// writeSentinels creates a last object of each watched kind, and waits until the watches show it. It returns false if a
// watch need not show its sentinel: one with a selector, or one of a kind whose sentinel was refused.
func (r *Runner) writeSentinels(sequence []Request, watches []watchPair) (all bool) {
	all = true
	written, taken := map[string]bool{}, map[string]bool{}
	for _, pair := range watches {
		request := sequence[pair.index]
		if selects(request) {
			all = false
			continue
		}
		if !written[request.Plural] {
			written[request.Plural] = true
			taken[request.Plural] = r.write(request.Plural, sentinel)
		}
		if !taken[request.Plural] {
			all = false
			continue
		}
		pair.await(sentinel)
	}
	return all
}

// selects returns true if a watch may leave out a sentinel or an opening object.
func selects(request Request) bool {
	return strings.Contains(request.Path, "elector=") || strings.Contains(request.Path, "includeObject=None")
}

// write creates an object on both servers, and returns true if both accepted it.
func (r *Runner) write(plural, name string) bool {
	kind := r.kinds[slices.IndexFunc(r.kinds, func(kind kind) bool { return kind.plural == plural })]
	real, ours := r.ask(Request{Method: "POST", Path: kind.path(), Plural: plural, Body: asText(named(kind, name)),
		Header: map[string]string{"Content-Type": "application/json"}})
	return real["status"] == "201" && ours["status"] == "201"
}

// await waits until both streams have an event with this name, or have ended. It returns false if they do not in time.
func (p watchPair) await(name string) bool {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if p.real.has(name) && p.ours.has(name) {
			return true
		}
	}
	return false
}

func (s *stream) has(name string) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.ended || slices.ContainsFunc(s.events, func(event []byte) bool { return bytes.Contains(event, []byte(name)) })
}

func (r *Runner) compareStreams(request Request, pair watchPair) []difference {
	real, ours := r.real.normal.clone(), r.ours.normal.clone()
	left := r.peer.unexplained(request, pair.real.all(request, real), pair.ours.all(request, ours), r.used)
	if len(left) == 0 {
		r.real.normal, r.ours.normal = real, ours
	}
	return left
}
