package main

// Groups the differences by their shape, and prints each group with an example.

import (
	"fmt"
	"io"
	"regexp"
	"sort"
	"strings"
)

// class returns the shape of a finding. Findings of one class have the same cause, as a rule.
func (f Finding) class() string {
	last := f.sequence[len(f.sequence)-1]
	parts := []string{last.Method, last.Header["Content-Type"]}
	if last.Watch {
		parts[0] = "WATCH"
	}
	for _, difference := range f.differences {
		if difference.path == "status" {
			parts = append(parts, difference.real+" not "+difference.ours)
		}
	}
	first := f.differences[0]
	for _, difference := range f.differences {
		if difference.path == "/message" {
			first = difference
		}
	}
	return strings.Join(append(parts, shape(first.path), shape(first.real), shape(first.ours)), " | ")
}

var (
	quoted    = regexp.MustCompile(`\\"[^"]*\\"|'[^']*'|"[^" ]*"`)
	counted   = regexp.MustCompile(`\d+`)
	bracketed = regexp.MustCompile(`\[[^\]]*\]`)
)

// shape returns a text without its numbers, quotations and lists, at most 130 bytes of it.
func shape(text string) string {
	text = counted.ReplaceAllString(bracketed.ReplaceAllString(quoted.ReplaceAllString(text, "…"), "[…]"), "#")
	if len(text) > 130 {
		text = text[:130]
	}
	return text
}

// Report counts the findings of each class, and keeps one of them as an example.
type Report struct {
	counts   map[string]int
	examples map[string]Finding
}

func newReport() *Report { return &Report{map[string]int{}, map[string]Finding{}} }

func (r *Report) addAll(findings []Finding) {
	for _, found := range findings {
		r.add(found)
	}
}

func (r *Report) add(finding Finding) (isNew bool) {
	class := finding.class()
	r.counts[class]++
	if _, known := r.examples[class]; known {
		return false
	}
	r.examples[class] = finding
	return true
}

// print writes the classes with their examples, the most frequent first.
func (r *Report) print(out io.Writer, most int) {
	classes := sortedKeys(r.counts)
	sort.SliceStable(classes, func(i, j int) bool { return r.counts[classes[i]] > r.counts[classes[j]] })
	for i, class := range classes {
		if i == most {
			fmt.Fprintf(out, "… and %d more classes of differences (--examples shows them)\n", len(classes)-most)
			return
		}
		fmt.Fprintf(out, "== %d times: %s\n", r.counts[class], class)
		r.examples[class].print(out)
	}
}

func (f Finding) print(out io.Writer) {
	for _, request := range f.sequence {
		fmt.Fprintln(out, request)
	}
	for i, difference := range f.differences {
		if i == 12 {
			fmt.Fprintf(out, "  … and %d more\n", len(f.differences)-i)
			break
		}
		fmt.Fprintf(out, "  %s\n    real API server: %s\n    informer-lab:    %s\n", difference.path, shown(difference.real), shown(difference.ours))
	}
	fmt.Fprintln(out)
}

func shown(value string) string {
	if value == "" {
		return "(not there)"
	}
	return cut(value)
}
