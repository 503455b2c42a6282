package main

// Runs all rows of the benchmark table and writes RESULTS.md.

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"
)

type report struct {
	machine machine
	size    size
	took    time.Duration
	spent   []spent
	results []result
	grown   grown
	reasons reasons
	// failures are the rows, or parts of rows, that could not be measured or compared.
	failures []string
}

// spent is the time that the rows of one number took.
type spent struct {
	number int
	time   time.Duration
}

// fair is the text that says which conditions are equal for all contenders and which differ.
//
//go:embed fair.md
var fair string

// measure runs the rows whose titles match chosen. It prints each result at once, notes a row that fails, and goes on.
func (r *report) measure(ctx context.Context, programs programs, chosen *regexp.Regexp) error {
	began := time.Now()
	for _, row := range rows(programs, r.size) {
		if !chosen.MatchString(row.title()) {
			continue
		}
		fmt.Fprint(os.Stderr, row.title(), " ")
		start := time.Now()
		before := len(r.results)
		all, err := row.measure(ctx, r.size.runs)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			err = r.add(row, all)
		}
		took := time.Since(start)
		r.spend(row.number, took)
		fmt.Fprintf(os.Stderr, " %.1f s\n", took.Seconds())
		for _, result := range r.results[before:] {
			fmt.Println(result.line())
		}
		if err != nil {
			r.failures = append(r.failures, fmt.Sprintf("%s: %v", row.title(), err))
			fmt.Fprintln(os.Stderr, "FAILED:", err)
		}
	}
	if len(r.spent) == 0 {
		return fmt.Errorf("no row matches --only %v", chosen)
	}
	r.took = time.Since(began)
	slices.SortStableFunc(r.results, func(a, b result) int { return cmp.Compare(a.number(), b.number()) })
	return nil
}

func (r *report) add(row row, all map[string]samples) error {
	results, err := row.judge(all)
	r.results = append(r.results, results...)
	if row.grows.table != nil {
		err = errors.Join(err, r.grown.add(row.grows, all))
	}
	return err
}

func (r *report) spend(number int, time time.Duration) {
	for n := range r.spent {
		if r.spent[n].number == number {
			r.spent[n].time += time
			return
		}
	}
	r.spent = append(r.spent, spent{number, time})
}

func (r report) markdown() []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# Side by side\n\nWritten by `peers/compare`, the %s run (%s, builds aside), %s.\n\n", r.size.name, r.took.Round(time.Second), r.machine.date)
	fmt.Fprintf(&out, "%s\n%s\n![ratio and target](results.svg)\n\n", r.machine.markdown(), r.summary())
	r.table(&out)
	out.WriteString("\n" + fair)
	if grown := r.grown.markdown(); len(grown) > 0 {
		fmt.Fprintf(&out, "\n## How cost grows\n\nBytes are resident memory for each object; of a thousand objects they say little. Figures are medians of %d runs, of five where a row above has the same work.\n%s", growthRuns, grown)
	}
	r.profiles(&out)
	fmt.Fprintf(&out, "\n## How long it took\n\n%s.\n", r.times())
	return out.Bytes()
}

func (r report) table(out *bytes.Buffer) {
	fmt.Fprintf(out, "| # | work | ours | theirs | ratio | to reach | |\n|---|---|---|---|---|---|---|\n")
	for _, result := range r.results {
		number, name, _ := strings.Cut(result.name(), " ")
		fmt.Fprintf(out, "| %s | %s | %s | %s | %s | %s | %s |\n", number, name, amount(result.mine, result.unit), result.against(),
			result.ratios(), result.target(), r.verdict(result))
	}
}

func (r report) verdict(result result) string {
	reason := r.reasons.of(result.name())
	switch {
	case !result.missed():
		return result.verdict()
	case reason == nil:
		return "**missed, and nobody says why**"
	case reason.profile == "":
		return "missed: " + reason.text
	default:
		return fmt.Sprintf("missed: %s ([profile](#%s))", reason.text, reason.profile)
	}
}

// summary returns the number of met and missed goals, and lists the goals that are missed without a reason, or
// without a profile that shows the reason.
func (r report) summary() string {
	var judged, met int
	var unexplained, unshown []string
	for _, result := range r.results {
		if !result.isJudged {
			continue
		}
		judged++
		reason := r.reasons.of(result.name())
		switch {
		case result.met:
			met++
		case reason == nil:
			unexplained = append(unexplained, result.name())
		case reason.profile == "":
			unshown = append(unshown, result.name())
		}
	}
	if r.size == smallest {
		return "Debug builds and tiny works: the figures say nothing, only that everything runs.\n" + listed("FAILED", r.failures)
	}
	text := fmt.Sprintf("%d of %d targets are met, %d are missed.\n", met, judged, judged-met)
	return text + listed("FAILED", r.failures) + listed("MISSED WITHOUT A REASON in benches/reasons.txt", unexplained) + listed("Missed, with a reason but no profile that shows it", unshown)
}

func listed(what string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("\n**%s** (%d):\n\n- %s\n", what, len(names), strings.Join(names, "\n- "))
}

// profiles writes the profiles that the reasons of this run name, each once.
func (r report) profiles(out *bytes.Buffer) {
	var shown []string
	for _, result := range r.results {
		reason := r.reasons.of(result.name())
		if !result.missed() || reason == nil || reason.profile == "" || slices.Contains(shown, reason.profile) {
			continue
		}
		if shown == nil {
			out.WriteString("\n## Profiles\n\nOf one work alone, made by `peers/profile`: shares of processor time unless it says otherwise.\n")
		}
		shown = append(shown, reason.profile)
		fmt.Fprintf(out, "\n### %s\n\n```text\n%s\n```\n", reason.profile, reason.shown)
	}
}

func (r report) times() string {
	words := make([]string, len(r.spent))
	for n, spent := range r.spent {
		words[n] = fmt.Sprintf("row %d: %.0f s", spent.number, spent.time.Seconds())
	}
	return strings.Join(words, ", ")
}
