package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
)

// Record is one question and its answer, or something that was done to the server.
type Record struct {
	Name string `json:"name"`
	// Server is what was done to the server instead of asking it: see server.do.
	Server  string   `json:"server,omitempty"`
	Request *Request `json:"request,omitempty"`
	// DuringWatch is what was done while the watch was open: see actions.go.
	DuringWatch []string `json:"duringWatch,omitempty"`
	// Keep is the part of the body that is kept: see keep.go.
	Keep     string    `json:"keep,omitempty"`
	Response *Response `json:"response,omitempty"`
	Note     string    `json:"note,omitempty"`
}

// Request is what was sent. A body that is a string was sent as it is, any other as JSON.
type Request struct {
	Method  string            `json:"method"`
	Path    string            `json:"path"`
	Headers map[string]string `json:"headers"`
	Body    any               `json:"body"`
}

// Response has a body, or the events of a watch and who ended it.
type Response struct {
	Status   int               `json:"status"`
	Headers  map[string]string `json:"headers"`
	Body     any               `json:"body,omitempty"`
	Events   any               `json:"events,omitempty"`
	ClosedBy string            `json:"closedBy,omitempty"`
	// ClosedAfterSeconds is in whole seconds, so that two recordings are equal.
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

// decode reads JSON; numbers stay as they are written.
func decode(text []byte) (any, error) {
	var value any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if decoder.More() {
		return nil, errors.New("there is something after the value")
	}
	return value, nil
}

// encode writes a body as a client sends it.
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

// mapStrings gives a value with every string in it replaced, always in the same order.
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
