package main

// Judges the outcomes of a suite's tests by the exceptions that its table allows.

import (
	"fmt"
	"regexp"
	"slices"
)

// exception names tests that cannot pass here, with the reason.
type exception struct {
	tests  *regexp.Regexp
	reason string
}

func except(tests, reason string) exception { return exception{regexp.MustCompile(tests), reason} }

// result is the verdict on a suite.
type result struct {
	suite                            suite
	passed, attempted, notApplicable int
	// reasons are the reasons of the exceptions that were needed, in the order of the table.
	reasons    []string
	complaints []string
	seconds    float64
}

// judge counts the passed tests, and complains about failures without an exception and about exceptions that no
// failure needs.
func judge(suite suite, outcomes []outcome) result {
	result := result{suite: suite}
	needed := make([]bool, len(suite.exceptions))
	for _, outcome := range outcomes {
		if outcome.passed {
			result.attempted++
			result.passed++
			continue
		}
		named := slices.IndexFunc(suite.exceptions, func(e exception) bool { return e.tests.MatchString(outcome.test) })
		if named >= 0 {
			needed[named] = true
			result.notApplicable++
			continue
		}
		result.attempted++
		result.complaints = append(result.complaints, fmt.Sprintf("%s: %s", outcome.test, outcome.message))
	}
	for i, exception := range suite.exceptions {
		if !needed[i] {
			result.complaints = append(result.complaints, fmt.Sprintf("nothing needs the exception %q", exception.tests))
		} else if !slices.Contains(result.reasons, exception.reason) {
			result.reasons = append(result.reasons, exception.reason)
		}
	}
	if len(outcomes) == 0 {
		result.complaints = append(result.complaints, "it has no tests")
	}
	return result
}
