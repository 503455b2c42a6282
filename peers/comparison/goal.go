package main

import (
	"fmt"
	"slices"
)

// better says which figure is.
type better int

const (
	lower better = iota
	higher
	// within is for a figure of one contender that is to be at most so much: of another part of its own, or of its unit.
	within
)

// goal is what is to be reached in one part of a work.
type goal struct {
	// what is judged, where the work's name does not say it.
	what   string
	part   string
	better better
	// who is judged; ours if empty.
	who string
	// against whom; with within, against which part of one's own, or nothing.
	against string
	// ratio is how many times better it is to be; with within, at most how much. Nothing: it is only told.
	ratio float64
}

// result is what became of a goal.
type result struct {
	row           row
	goal          goal
	unit          string
	mine, theirs  float64
	ratio         float64
	least, most   float64
	runs          int
	met, isJudged bool
}

func (g goal) judge(all map[string]samples) (result, error) {
	who := g.who
	if who == "" {
		who = ours
	}
	mine := all[who][g.part]
	if len(mine) == 0 {
		return result{}, fmt.Errorf("%s measured no %q", who, g.part)
	}
	result := result{goal: g, unit: mine[0].Unit, mine: median(values(mine)), runs: len(mine), isJudged: g.ratio != 0}
	if g.better == within && g.against == "" {
		result.ratio = result.mine
		result.met = result.mine <= g.ratio
		return result, nil
	}
	theirs := all[g.against][g.part]
	if g.better == within {
		theirs = all[who][g.against]
	}
	if err := sameWork(g, mine, theirs); err != nil {
		return result, err
	}
	result.theirs = median(values(theirs))
	ratios := make([]float64, len(mine))
	for n := range mine {
		ratios[n] = g.howMuchBetter(mine[n].Value, theirs[n].Value)
	}
	result.ratio, result.least, result.most = median(ratios), slices.Min(ratios), slices.Max(ratios)
	result.met = result.ratio >= g.ratio
	if g.better == within {
		result.met = result.ratio <= g.ratio
	}
	return result, nil
}

func (g goal) howMuchBetter(mine, theirs float64) float64 {
	if g.better == lower {
		return theirs / mine
	}
	return mine / theirs
}

// sameWork refuses to compare what is not the same.
func sameWork(g goal, mine, theirs []figure) error {
	if len(mine) != len(theirs) {
		return fmt.Errorf("%q: %d runs against %d of %s", g.part, len(mine), len(theirs), g.against)
	}
	for n := range mine {
		if mine[n].Did != theirs[n].Did || mine[n].Unit != theirs[n].Unit {
			return fmt.Errorf("%q: not the same work: %+v, %s: %+v", g.part, mine[n], g.against, theirs[n])
		}
	}
	return nil
}

func values(figures []figure) []float64 {
	values := make([]float64, len(figures))
	for n, figure := range figures {
		values[n] = figure.Value
	}
	return values
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}
