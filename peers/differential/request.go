package main

// A request of the differential test.

import (
	"fmt"
	"sort"
	"strings"
)

// Request is a request to both servers. Its path, headers and body may contain references (see memory.go), which each
// side replaces with values from its own earlier answers.
type Request struct {
	Method, Path string
	Header       map[string]string
	Body         string
	// Plural names the kind of the request. Watch is true if the answer is a stream of events that stays open until
	// the sequence ends.
	Plural string
	Watch  bool
	// eventually is true if the answers may differ until controllers have finished.
	eventually bool
	// protobuf is the encoding of the body when it is sent.
	protobuf protobufBody
}

func (r Request) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s %s", r.Method, r.Path)
	for _, name := range sortedKeys(r.Header) {
		fmt.Fprintf(&text, "\n  %s: %s", name, cut(r.Header[name]))
	}
	if r.protobuf != noProtobuf {
		text.WriteString("\n  in protobuf:")
	}
	if r.Body != "" {
		fmt.Fprintf(&text, "\n  %s", cut(r.Body))
	}
	return text.String()
}

func cut(text string) string {
	const longest = 1500
	if len(text) > longest {
		return fmt.Sprintf("%s… (%d bytes)", text[:longest], len(text))
	}
	return text
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
