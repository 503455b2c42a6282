package main

// The three sizes of a run of the comparison: whole, quick and smoke.

import "fmt"

type size struct {
	name string
	// runs is the number of turns of each contender.
	runs int
	// milliseconds is how long a contender repeats a work in one turn.
	milliseconds int
	// most is the largest number of objects, keys and changes.
	most int
	// changes is the number of changes that a watch sends, pods the number of pods that load an API server.
	changes, pods int
}

var (
	whole    = size{"whole", 5, 500, 1_000_000, 100_000, 10_000}
	short    = size{"quick", 5, 100, 10_000, 3000, 3000}
	smallest = size{"smoke", 1, 1, 100, 100, 100}
)

// of returns the number, but at most the limit.
func (s size) of(number int) int { return min(number, s.most) }

// each returns the numbers within the limit. The first number is always there, cut to the limit.
func (s size) each(numbers ...int) []int {
	done := []int{s.of(numbers[0])}
	for _, number := range numbers[1:] {
		if number <= s.most {
			done = append(done, number)
		}
	}
	return done
}

// goTime is the -test.benchtime for Go's benchmarks.
func (s size) goTime() string {
	if s.runs == 1 {
		return "1x"
	}
	return fmt.Sprintf("%dms", s.milliseconds)
}

// brief writes numbers as 10k and 1M.
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

// several writes "no readers", "1 reader", "10 readers".
func several(number int, what string) string {
	switch number {
	case 0:
		return "no " + what + "s"
	case 1:
		return "1 " + what
	default:
		return fmt.Sprintf("%d %ss", number, what)
	}
}
