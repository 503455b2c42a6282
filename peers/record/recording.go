package main

// The format of the recordings in fixtures/wire.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
)

// Record is a request with its response, or an action on the server.
type Record struct {
	Name string `json:"name"`
	// Server is an action on the server itself, without a request: see server.do.
	Server  string   `json:"server,omitempty"`
	Request *Request `json:"request,omitempty"`
	// DuringWatch are the actions while the watch is open: see actions.go.
	DuringWatch []string `json:"duringWatch,omitempty"`
	// Keep names the part of the body that is kept: see keep.go.
	Keep     string    `json:"keep,omitempty"`
	Response *Response `json:"response,omitempty"`
	Note     string    `json:"note,omitempty"`
}

// Request is a request. A body that is a string is sent as it is, any other body as JSON.
type Request struct {
	Method  string            `json:"method"`
	Path    string            `json:"path"`
	Headers map[string]string `json:"headers"`
	Body    any               `json:"body"`
}

// Response is a response with a body, or with the events of a watch and the side that closed the watch.
type Response struct {
	Status   int               `json:"status"`
	Headers  map[string]string `json:"headers"`
	Body     any               `json:"body,omitempty"`
	Events   any               `json:"events,omitempty"`
	ClosedBy string            `json:"closedBy,omitempty"`
	// ClosedAfterSeconds is rounded down to whole seconds, so that two recordings are equal.
	ClosedAfterSeconds *float64 `json:"closedAfterSeconds,omitempty"`
}

func read(file string) ([]Record, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var records []Record
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return records, decoder.Decode(&records)
}

func write(file string, records []Record) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(records); err != nil {
		return err
	}
	return os.WriteFile(file, text.Bytes(), 0o644)
}

// decode keeps the spelling of numbers.
func decode(text []byte) (any, error) {
	var value any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if decoder.More() {
		return nil, errors.New("the body has text after the JSON value")
	}
	return value, nil
}

func encode(body any) (string, error) {
	switch body := body.(type) {
	case nil:
		return "", nil
	case string:
		return body, nil
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(body); err != nil {
		return "", fmt.Errorf("the body is no JSON: %w", err)
	}
	return text.String(), nil
}

// mapStrings returns a copy of a value with every string replaced. It visits the strings in a fixed order.
func mapStrings(value any, by func(string) string) any {
	switch value := value.(type) {
	case string:
		return by(value)
	case []any:
		made := make([]any, len(value))
		for i, item := range value {
			made[i] = mapStrings(item, by)
		}
		return made
	case map[string]any:
		made := make(map[string]any, len(value))
		for _, name := range slices.Sorted(maps.Keys(value)) {
			made[name] = mapStrings(value[name], by)
		}
		return made
	}
	return value
}
