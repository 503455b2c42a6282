package main

// Counts the requests of a run by kind and verb.

import (
	"fmt"
	"io"
)

// tally is the number of requests to a kind, by its plural.
type tally map[string]*sum

// sum has the numbers of requests, of those that both servers accepted, and of those that they answered alike.
type sum struct{ asked, accepted, alike int }

func (t tally) add(request Request, real, ours Outcome, alike bool) {
	for _, name := range []string{request.Plural, "verb " + verbOf(request), ""} {
		if t[name] == nil {
			t[name] = &sum{}
		}
		t[name].asked++
		if accepted(real) && accepted(ours) {
			t[name].accepted++
		}
		if alike {
			t[name].alike++
		}
	}
}

func verbOf(request Request) string {
	switch {
	case request.Watch:
		return "WATCH"
	case request.Method == "PATCH" && request.Header["Content-Type"] == applyPatch:
		return "APPLY"
	}
	return request.Method
}

// print writes a line for each kind and verb, and one for the sum.
func (t tally) print(out io.Writer) {
	for _, name := range sortedKeys(t) {
		sum := t[name]
		if name == "" {
			name = "all"
		}
		fmt.Fprintf(out, "%7d requests, %3d %% accepted by both, %5d differ: %s\n", sum.asked, 100*sum.accepted/sum.asked, sum.asked-sum.alike, name)
	}
}
