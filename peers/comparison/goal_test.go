package main

// Tests for the verdicts on benchmark goals.

import (
	"strings"
	"testing"
)

// runs returns figures of one part, one for each run, all with the same amount of work.
func runs(part, unit string, values ...float64) samples {
	figures := make([]figure, len(values))
	for n, value := range values {
		figures[n] = figure{part, value, unit, 7}
	}
	return samples{part: figures}
}

func TestMedian(t *testing.T) {
	for _, test := range []struct {
		values []float64
		want   float64
	}{{[]float64{3}, 3}, {[]float64{9, 1, 5}, 5}, {[]float64{4, 1, 3, 2}, 2.5}} {
		if got := median(test.values); got != test.want {
			t.Errorf("median of %v: %v, want %v", test.values, got, test.want)
		}
	}
}

// The ratio is the median of the pairs' ratios, not the ratio of the medians: 10/1, 2/2, 9/3 are 10, 1 and 3 times.
func TestTheRatioIsTheMedianOfThePairs(t *testing.T) {
	all := map[string]samples{ours: runs("", "ns", 1, 2, 3), clientGo: runs("", "ns", 10, 2, 9)}
	got, err := goal{against: clientGo, ratio: 3}.judge(all)
	if err != nil {
		t.Fatal(err)
	}
	if got.ratio != 3 || got.least != 1 || got.most != 10 || got.mine != 2 || got.theirs != 9 || !got.met {
		t.Errorf("%+v", got)
	}
}

func TestGoalsAskForLessForMoreOrForALimit(t *testing.T) {
	all := map[string]samples{
		ours:     {"time": runs("time", "ms", 10)["time"], "steady": runs("steady", "ms", 8)["steady"]},
		clientGo: runs("time", "ms", 40),
	}
	for _, test := range []struct {
		name  string
		goal  goal
		ratio float64
		met   bool
	}{
		{"less time, four times", goal{part: "time", against: clientGo, ratio: 4}, 4, true},
		{"less time, five times", goal{part: "time", against: clientGo, ratio: 5}, 4, false},
		{"more per second", goal{part: "time", better: higher, against: clientGo, ratio: 1}, 0.25, false},
		{"at least so much", goal{part: "time", better: higher, ratio: 10}, 10, true},
		{"at least so much more", goal{part: "time", better: higher, ratio: 10.1}, 10, false},
		{"at most so much", goal{part: "time", better: within, ratio: 10}, 10, true},
		{"at most so much less", goal{part: "time", better: within, ratio: 9.9}, 10, false},
		{"at most so much of another part", goal{part: "time", better: within, against: "steady", ratio: 1.25}, 1.25, true},
		{"more than that of another part", goal{part: "time", better: within, against: "steady", ratio: 1.2}, 1.25, false},
		{"another one's", goal{part: "time", judged: clientGo, against: ours, ratio: 1}, 0.25, false},
	} {
		got, err := test.goal.judge(all)
		if err != nil || got.ratio != test.ratio || got.met != test.met || got.missed() == test.met {
			t.Errorf("%s: ratio %v, met %v, %v", test.name, got.ratio, got.met, err)
		}
	}
}

func TestAGoalWithoutARatioIsOnlyReported(t *testing.T) {
	got, err := goal{against: clientGo}.judge(map[string]samples{ours: runs("", "ns", 2), clientGo: runs("", "ns", 1)})
	if err != nil || got.isJudged || got.missed() || got.verdict() != "" || got.target() != "" || got.ratio != 0.5 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestFiguresOfDifferentWorkAreNotCompared(t *testing.T) {
	good := runs("", "ns", 1, 2)
	did := runs("", "ns", 1, 2)
	did[""][1].Did = 8
	for _, test := range []struct {
		name   string
		theirs samples
		want   string
	}{
		{"other work", did, "not the same work"},
		{"another unit", runs("", "ms", 1, 2), "not the same work"},
		{"fewer runs", runs("", "ns", 1), "2 runs of ours, 1 of client-go"},
		{"another part", runs("time", "ns", 1, 2), `measured no ""`},
		{"nothing", runs("", "ns", 1, 0), "measured nothing"},
	} {
		_, err := goal{against: clientGo, ratio: 1}.judge(map[string]samples{ours: good, clientGo: test.theirs})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}
