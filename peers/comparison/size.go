package main

import "fmt"

// size is how much is done.
type size struct {
	name string
	// runs is how often each contender has its turn.
	runs int
	// milliseconds is for how long a work is repeated within a run.
	milliseconds int
	// most bounds how many objects, keys or changes there are.
	most int
	// changes and pods are what a watch sends, and what an API server is loaded with.
	changes, pods int
}

var (
	whole    = size{"whole", 5, 500, 1_000_000, 100_000, 10_000}
	short    = size{"quick", 5, 100, 10_000, 3000, 3000}
	smallest = size{"smoke", 1, 1, 100, 100, 100}
)

func (s size) of(number int) int { return min(number, s.most) }

// text is that number as an argument.
func (s size) text(number int) string { return fmt.Sprint(s.of(number)) }

func (s size) time() string { return fmt.Sprint(s.milliseconds) }

// goTime is the same for Go's benchmarks.
func (s size) goTime() string {
	if s.runs == 1 {
		return "1x"
	}
	return fmt.Sprintf("%dms", s.milliseconds)
}

// fits says whether something of so many objects is done at all.
func (s size) fits(number int) bool { return number <= s.most || s.runs == 1 }

// brief writes 10k and 1M.
func brief(number int) string {
	switch {
	case number >= 1_000_000 && number%1_000_000 == 0:
		return fmt.Sprintf("%dM", number/1_000_000)
	case number >= 1000 && number%1000 == 0:
		return fmt.Sprintf("%dk", number/1000)
	default:
		return fmt.Sprint(number)
	}
}
