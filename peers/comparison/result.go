package main

// Formats the result of a benchmark goal for the table, the plot and the terminal.

import (
	"fmt"
	"strconv"
	"strings"
)

// number returns the number of the row in the table. A goal may belong to another row than the one that measures it.
func (r result) number() int {
	other, _, _ := strings.Cut(r.goal.what, ": ")
	if number, err := strconv.Atoi(other); err == nil {
		return number
	}
	return r.row.number
}

// name returns the full name of the goal, beginning with the row's number.
func (r result) name() string {
	_, what, belongs := strings.Cut(r.goal.what, ": ")
	if !belongs {
		what = r.goal.what
	}
	name := fmt.Sprintf("%d %s", r.number(), r.row.name)
	if what != "" {
		name += ": " + what
	}
	if r.goal.judged != "" {
		name += " (" + r.goal.judged + ")"
	}
	if _, encoding, has := strings.Cut(r.goal.against, ", "); has {
		name += ", against " + encoding
	}
	return name
}

func (r result) target() string {
	switch {
	case !r.isJudged:
		return ""
	case r.goal.better == higher && r.goal.against == "":
		return fmt.Sprintf("at least %g %s", r.goal.ratio, r.unit)
	case r.goal.better == within && r.goal.against == "":
		return fmt.Sprintf("at most %g %s", r.goal.ratio, r.unit)
	case r.goal.better == within:
		return fmt.Sprintf("at most %g×", r.goal.ratio)
	default:
		return fmt.Sprintf("%g×", r.goal.ratio)
	}
}

func (r result) against() string {
	if r.goal.against == "" {
		return ""
	}
	return fmt.Sprintf("%s (%s)", amount(r.theirs, r.unit), r.goal.against)
}

func (r result) ratios() string {
	switch {
	case r.goal.against == "":
		return ""
	case r.runs < 2:
		return fmt.Sprintf("%s×", number(r.ratio))
	default:
		return fmt.Sprintf("%s× (%s–%s)", number(r.ratio), number(r.least), number(r.most))
	}
}

// missed returns true if there was a target and it was not reached.
func (r result) missed() bool { return r.isJudged && !r.met }

func (r result) verdict() string {
	switch {
	case !r.isJudged:
		return ""
	case r.met:
		return "met"
	default:
		return "missed"
	}
}

func (r result) line() string {
	return fmt.Sprintf("%-78s %12s  %-46s %-26s %-14s %s", r.name(), amount(r.mine, r.unit), r.against(), r.ratios(), r.target(), r.verdict())
}
