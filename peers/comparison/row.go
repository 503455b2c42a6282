package main

// A row of the benchmark table: a piece of work that all contenders do in turn.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// ours is the name of this project's contender.
const ours = "ours"

// row is a piece of work, the contenders that do it, and its goals.
type row struct {
	// number is the first column of the table in RESULTS.md. Rows that measure the same thing share it.
	number     int
	name       string
	contenders []contender
	// beside starts a server that runs from the first turn to the last, or is nil.
	beside func(context.Context) (*server, error)
	goals  []goal
	// runs is the number of turns of each contender, if it differs from the other rows.
	runs int
	// grows is the row's line in a table of growth, if it has one.
	grows point
}

func (r row) title() string { return fmt.Sprintf("%d %s", r.number, r.name) }

// measure gives every contender its turns, one for each run.
func (r row) measure(ctx context.Context, runs int) (map[string]samples, error) {
	if r.runs != 0 {
		runs = r.runs
	}
	if r.beside == nil {
		return takeTurns(ctx, r.contenders, runs)
	}
	server, err := r.beside(ctx)
	if err != nil {
		return nil, err
	}
	defer server.stop()
	all, err := takeTurns(ctx, r.contenders, runs)
	return all, server.blame(err)
}

// judge returns the results of the goals, and an error for the goals that cannot be judged.
func (r row) judge(all map[string]samples) (results []result, err error) {
	for _, goal := range r.goals {
		result, failure := goal.judge(all)
		if failure != nil {
			err = errors.Join(err, failure)
			continue
		}
		result.row = r
		results = append(results, result)
	}
	return results, err
}

// patience is the longest time for one turn. A build from nothing, the longest one, takes a few minutes.
const patience = 15 * time.Minute

// takeTurns runs the contenders in the order A B C A B C …, so that a slow phase of the machine hits all of them.
func takeTurns(ctx context.Context, contenders []contender, runs int) (map[string]samples, error) {
	all := map[string]samples{}
	for range runs {
		for _, contender := range contenders {
			figures, err := takeTurn(ctx, contender)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", contender.name, err)
			}
			if all[contender.name] == nil {
				all[contender.name] = samples{}
			}
			for _, figure := range figures {
				all[contender.name][figure.Part] = append(all[contender.name][figure.Part], figure)
			}
		}
		fmt.Fprint(os.Stderr, ".")
	}
	return all, nil
}

func takeTurn(ctx context.Context, contender contender) ([]figure, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("it did not end within %v", patience))
	defer cancel()
	figures, err := contender.run(ctx)
	if err != nil && ctx.Err() != nil {
		return nil, fmt.Errorf("%w: %w", context.Cause(ctx), err)
	}
	return figures, err
}
