package main

// The goals of the benchmark comparison, and the verdicts on them.

import (
	"fmt"
	"slices"
)

// better says which values of a figure are better.
type better int

const (
	lower better = iota
	higher
	// within sets an upper limit for a figure: another part of the same contender times a ratio, or an absolute value.
	within
)

// goal is the target for one part of a work.
type goal struct {
	// what names the judged figure, if the work's name does not. A prefix such as "9: " moves the goal to another row
	// of the table.
	what   string
	part   string
	better better
	// judged is the contender that has to meet the goal; empty means ours.
	judged string
	// against is the contender to compare with; for within, another part of the same contender. If it is empty, the
	// value itself is judged.
	against string
	// ratio is how many times better the figure has to be; for within, the largest allowed multiple of the other part.
	// If against is empty, it is the largest or smallest allowed value. Zero means that the figure is only reported.
	ratio float64
}

// result is a judged goal with the figures that decided.
type result struct {
	row  row
	goal goal
	unit string
	// mine and theirs are the medians of the runs. ratio is the median of the runs' ratios, least and most are the
	// smallest and the largest of them. If the goal compares with no contender, ratio is mine.
	mine, theirs float64
	ratio        float64
	least, most  float64
	runs         int
	// isJudged is false if the figure is only reported.
	met, isJudged bool
}

// judge compares the contenders run by run, and judges the median of the ratios.
func (g goal) judge(all map[string]samples) (result, error) {
	judged := g.judged
	if judged == "" {
		judged = ours
	}
	mine, err := positive(all, judged, g.part)
	if err != nil {
		return result{}, err
	}
	result := result{goal: g, unit: mine[0].Unit, mine: median(values(mine)), runs: len(mine), isJudged: g.ratio != 0}
	if g.against == "" {
		result.ratio = result.mine
		result.met = result.mine <= g.ratio
		if g.better == higher {
			result.met = result.mine >= g.ratio
		}
		return result, nil
	}
	opponent, part := g.against, g.part
	if g.better == within {
		opponent, part = judged, g.against
	}
	theirs, err := positive(all, opponent, part)
	if err != nil {
		return result, err
	}
	if err := sameWork(judged, mine, opponent, theirs); err != nil {
		return result, fmt.Errorf("%q: %w", g.part, err)
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

// positive returns the figures of a part. It refuses zeros, because every work takes time and memory.
func positive(all map[string]samples, contender, part string) ([]figure, error) {
	figures := all[contender][part]
	if len(figures) == 0 {
		return nil, fmt.Errorf("%s measured no %q", contender, part)
	}
	for _, figure := range figures {
		if !(figure.Value > 0) || figure.Did == 0 {
			return nil, fmt.Errorf("%s measured nothing: %+v", contender, figure)
		}
	}
	return figures, nil
}

// sameWork returns an error if two contenders did different amounts of work.
func sameWork(judged string, mine []figure, opponent string, theirs []figure) error {
	if len(mine) != len(theirs) {
		return fmt.Errorf("%d runs of %s, %d of %s", len(mine), judged, len(theirs), opponent)
	}
	for n := range mine {
		if mine[n].Did != theirs[n].Did || mine[n].Unit != theirs[n].Unit {
			return fmt.Errorf("not the same work: %s %+v, %s %+v", judged, mine[n], opponent, theirs[n])
		}
	}
	return nil
}
