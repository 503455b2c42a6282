package main

// Measured figures, and the contenders that measure them.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
)

// figure is one measured number: the part of the work that was measured, the value with its unit, and the amount of
// work, which must be the same for all contenders.
type figure struct {
	Part  string  `json:"part"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	Did   uint64  `json:"did"`
}

// samples are the figures of one contender by part, one figure for each run.
type samples map[string][]figure

// contender is an implementation that does a piece of work and measures it.
type contender struct {
	name string
	run  func(context.Context) ([]figure, error)
}

// command returns a contender that runs a program, which prints its figures as one JSON object on each line.
func command(name, program string, arguments ...string) contender {
	return contender{name, func(ctx context.Context) ([]figure, error) {
		out, err := output(process(ctx, program, arguments...))
		if err != nil {
			return nil, err
		}
		return decode(out)
	}}
}

func decode(out []byte) (figures []figure, err error) {
	lines := json.NewDecoder(bytes.NewReader(out))
	for {
		var figure figure
		switch err := lines.Decode(&figure); {
		case errors.Is(err, io.EOF):
			return figures, nil
		case err != nil:
			return nil, err
		}
		figures = append(figures, figure)
	}
}

func values(figures []figure) []float64 {
	values := make([]float64, len(figures))
	for n, figure := range figures {
		values[n] = figure.Value
	}
	return values
}

// median returns the middle value, or the mean of the two in the middle. There must be at least one value.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}
