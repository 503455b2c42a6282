package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// figure is what was measured: of which part of the work, how much, and how much was done.
type figure struct {
	Part  string  `json:"part"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	Did   uint64  `json:"did"`
}

// contender does a piece of work and measures it.
type contender struct {
	name string
	run  func(context.Context) ([]figure, error)
}

// command is a contender that prints its figures, one JSON object a line.
func command(name, program string, arguments ...string) contender {
	return contender{name, func(ctx context.Context) ([]figure, error) {
		out, err := output(exec.CommandContext(ctx, program, arguments...))
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

func output(command *exec.Cmd) ([]byte, error) {
	var said bytes.Buffer
	command.Stderr = &said
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("%v: %w: %s", command.Args, err, said.String())
	}
	return out, nil
}

// loud shows what a command says.
func loud(command *exec.Cmd) error {
	command.Stdout, command.Stderr = os.Stderr, os.Stderr
	if err := command.Run(); err != nil {
		return fmt.Errorf("%v: %w", command.Args, err)
	}
	return nil
}
