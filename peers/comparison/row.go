package main

import (
	"context"
	"fmt"
	"os"
)

const ours = "ours"

// row is a piece of work, all who do it, and what is to be reached.
type row struct {
	number     int
	name       string
	contenders []contender
	// beside is started before the first turn and stopped after the last, and says where it is.
	beside func(context.Context) (stop func(), err error)
	goals  []goal
	// once is for what takes minutes.
	once bool
}

func (r row) title() string { return fmt.Sprintf("%d %s", r.number, r.name) }

// samples are the figures of one contender, a run each, by their part.
type samples map[string][]figure

// measure gives every contender its turn, as many times as there are runs, and judges.
func (r row) measure(ctx context.Context, runs int) ([]result, error) {
	if r.beside != nil {
		stop, err := r.beside(ctx)
		if err != nil {
			return nil, err
		}
		defer stop()
	}
	if r.once {
		runs = 1
	}
	all, err := takeTurns(ctx, r.contenders, runs)
	if err != nil {
		return nil, err
	}
	var results []result
	for _, goal := range r.goals {
		result, err := goal.judge(all)
		if err != nil {
			return nil, err
		}
		result.row = r
		results = append(results, result)
	}
	return results, nil
}

// takeTurns runs A B C A B C…
func takeTurns(ctx context.Context, contenders []contender, runs int) (map[string]samples, error) {
	all := map[string]samples{}
	for run := range runs {
		for _, contender := range contenders {
			figures, err := contender.run(ctx)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", contender.name, err)
			}
			if run == 0 {
				all[contender.name] = samples{}
			}
			for _, figure := range figures {
				all[contender.name][figure.Part] = append(all[contender.name][figure.Part], figure)
			}
		}
		fmt.Fprint(os.Stderr, ".")
	}
	fmt.Fprintln(os.Stderr)
	return all, nil
}
