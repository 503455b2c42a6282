package main

// Tests for the verdicts on test suites, and for parsing the output of `go test`.

import (
	"reflect"
	"testing"
)

func TestJudge(t *testing.T) {
	suite := suite{exceptions: []exception{except("exec", "no containers"), except("attach", "no containers"), except("apply", "later")}}
	outcomes := []outcome{{"lists", true, ""}, {"can exec", false, "404"}, {"can attach", false, "404"}, {"watches", false, "late"}}
	got := judge(suite, outcomes)
	if got.passed != 1 || got.attempted != 2 || got.notApplicable != 2 {
		t.Errorf("counted %+v", got)
	}
	if want := []string{"no containers"}; !reflect.DeepEqual(got.reasons, want) {
		t.Errorf("reasons are %q", got.reasons)
	}
	if want := []string{"watches: late", `nothing needs the exception "apply"`}; !reflect.DeepEqual(got.complaints, want) {
		t.Errorf("complaints are %q", got.complaints)
	}
	if got := judge(suite, nil); len(got.complaints) != 4 {
		t.Errorf("no tests at all: %q", got.complaints)
	}
}

func TestGoOutcomes(t *testing.T) {
	output := `=== RUN   TestA
=== RUN   TestA/one
    a_test.go:1: no
=== RUN   TestA/two
--- FAIL: TestA (0.00s)
    --- FAIL: TestA/one (0.00s)
    --- PASS: TestA/two (0.00s)
=== RUN   TestB
--- PASS: TestB (0.00s)
`
	want := []outcome{{"TestA/one", false, "a_test.go:1: no"}, {"TestA/two", true, ""}, {"TestB", true, ""}}
	if got := goOutcomes(output); !reflect.DeepEqual(got, want) {
		t.Errorf("outcomes are %+v", got)
	}
}
