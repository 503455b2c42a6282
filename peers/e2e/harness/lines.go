package harness

// Collects the output of a program line by line.

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Lines collects the lines that a program writes, and lets tests wait for more.
type Lines struct {
	name    string
	mutex   sync.Mutex
	partial []byte
	lines   []string
	closed  bool
	changed chan struct{}
}

func newLines(name string) *Lines {
	return &Lines{name: name, changed: make(chan struct{})}
}

func (l *Lines) Write(data []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.partial = append(l.partial, data...)
	for {
		line, rest, found := bytes.Cut(l.partial, []byte("\n"))
		if !found {
			break
		}
		l.lines = append(l.lines, string(line))
		l.partial = rest
	}
	l.wake()
	return len(data), nil
}

func (l *Lines) close() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.closed = true
	l.wake()
}

func (l *Lines) wake() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// All returns all complete lines so far.
func (l *Lines) All() []string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return slices.Clone(l.lines)
}

func (l *Lines) String() string {
	return strings.Join(l.All(), "\n")
}

// Await waits until the lines satisfy the condition, and returns them. what describes the condition in failures.
func (l *Lines) Await(t *testing.T, what string, condition func(lines []string) bool) []string {
	t.Helper()
	deadline := time.After(Patience)
	for {
		l.mutex.Lock()
		lines, closed, changed := slices.Clone(l.lines), l.closed, l.changed
		l.mutex.Unlock()
		if condition(lines) {
			return lines
		}
		if closed {
			t.Fatalf("%s ended before %s; it wrote:\n%s", l.name, what, strings.Join(lines, "\n"))
		}
		select {
		case <-changed:
		case <-deadline:
			t.Fatalf("%s: no %s within %s; it wrote:\n%s", l.name, what, Patience, strings.Join(lines, "\n"))
		}
	}
}

// AwaitLine waits for a line that contains the text, and returns it.
func (l *Lines) AwaitLine(t *testing.T, text string) string {
	t.Helper()
	contains := func(line string) bool { return strings.Contains(line, text) }
	lines := l.Await(t, "line with "+text, func(lines []string) bool { return slices.ContainsFunc(lines, contains) })
	return lines[slices.IndexFunc(lines, contains)]
}

// AwaitCount waits for this many lines, and returns all of them.
func (l *Lines) AwaitCount(t *testing.T, count int, what string) []string {
	t.Helper()
	return l.Await(t, what, func(lines []string) bool { return len(lines) >= count })
}
