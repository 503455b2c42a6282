package main

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"time"
)

// report is all that was measured in one run.
type report struct {
	machine machine
	size    size
	took    time.Duration
	results []result
	growth  []growth
	reasons reasons
}

// name says which goal of which row it is.
func (r result) name() string {
	name := fmt.Sprintf("%d %s", r.row.number, r.row.name)
	if number, what, other := strings.Cut(r.goal.what, ": "); other {
		return fmt.Sprintf("%s %s: %s%s", number, r.row.name, what, r.whose())
	}
	if r.goal.what != "" {
		name += ": " + r.goal.what
	}
	return name + r.whose()
}

func (r result) whose() string {
	if r.goal.who == "" {
		return ""
	}
	return " (" + r.goal.who + ")"
}

func (r result) target() string {
	switch {
	case !r.isJudged:
		return ""
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

func (r result) verdict(reasons reasons) string {
	switch {
	case !r.isJudged:
		return ""
	case r.met:
		return "met"
	case reasons[r.name()] != "":
		return "missed: " + reasons[r.name()]
	default:
		return "missed"
	}
}

// line is for the terminal.
func (r result) line() string {
	return fmt.Sprintf("%-74s %12s  %-44s %-26s %-14s %s", r.name(), amount(r.mine, r.unit), r.against(), r.ratios(), r.target(), r.verdict(nil))
}

func (r report) markdown() []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# Side by side\n\nWritten by `peers/compare`, the %s run (%s, builds aside), %s.\n\n", r.size.name, r.took.Round(time.Second), r.machine.date)
	fmt.Fprintf(&out, "Machine: %s, %s, %s; load at the start %s. Versions: %s.\n\n", r.machine.processor, r.machine.memory, r.machine.system, r.machine.load, strings.Join(r.machine.versions, ", "))
	fmt.Fprintf(&out, "Each did the same work in turn (A B A B …), %d times. Figures are medians; the ratio is how many times better ours is, its median (least–most) over the "+
		"pairs. Lines without a target are told for comparison. The work: `benches/work`, `peers/bench`, `peers/kube-runtime`, and client-go's own benchmarks where it has them.\n\n", r.size.runs)
	fmt.Fprintf(&out, "![ratio and target](results.svg)\n\n| # | work | ours | theirs | ratio | to reach | |\n|---|---|---|---|---|---|---|\n")
	for _, result := range r.results {
		number, name, _ := strings.Cut(result.name(), " ")
		fmt.Fprintf(&out, "| %s | %s | %s | %s | %s | %s | %s |\n", number, name, amount(result.mine, result.unit), result.against(),
			result.ratios(), result.target(), result.verdict(r.reasons))
	}
	if len(r.growth) > 0 {
		fmt.Fprintf(&out, "\n## How cost grows\n\nBytes are resident memory per object.\n")
	}
	for _, growth := range r.growth {
		growth.markdown(&out)
	}
	return out.Bytes()
}

func (g growth) markdown(out *bytes.Buffer) {
	fmt.Fprintf(out, "\n%s\n\n| objects | ours | client-go | ours, bytes | client-go, bytes |\n|---|---|---|---|---|\n", g.name)
	for _, row := range g.rows {
		fmt.Fprintf(out, "| %s | %s | %s | %s | %s |\n", brief(row.objects), amount(row.mine.value, g.unit), amount(row.theirs.value, g.unit),
			known(row.mine.bytes), known(row.theirs.bytes))
	}
}

func known(bytes float64) string {
	if bytes <= 0 {
		return ""
	}
	return number(bytes)
}

// larger units, so that figures have few digits.
var larger = map[string]struct {
	from   float64
	factor float64
	unit   string
}{
	"ns": {10_000, 1e-3, "µs"},
	"µs": {10_000, 1e-3, "ms"},
	"ms": {10_000, 1e-3, "s"},
	"us": {0, 1, "µs"},
}

func amount(value float64, unit string) string {
	for {
		step, has := larger[unit]
		if !has || value < step.from {
			return number(value) + " " + unit
		}
		value, unit = value*step.factor, step.unit
	}
}

// number has three digits that mean something.
func number(value float64) string {
	switch size := math.Abs(value); {
	case size >= 100:
		return thousands(math.Round(value))
	case size >= 10:
		return fmt.Sprintf("%.1f", value)
	default:
		return fmt.Sprintf("%.2f", value)
	}
}

func thousands(value float64) string {
	digits := fmt.Sprintf("%.0f", value)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}
