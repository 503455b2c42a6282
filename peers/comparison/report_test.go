package main

// Tests for RESULTS.md and its plot.

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"
	"time"
)

// reported returns a report of four goals: one met, one missed with a reason and a profile, one missed without a
// reason, one without a target.
func reported(t *testing.T) report {
	t.Helper()
	r := report{size: short, grown: grown{}, reasons: reasons{{pattern("2 slow"), "it waits", "slow", "99 % wait"}}}
	for _, row := range []row{
		{number: 1, name: "quick & <good>", goals: faster(3)},
		{number: 2, name: "slow", goals: faster(3)},
		{number: 10, name: "slower", goals: faster(300)},
		{number: 11, name: "reported", goals: faster(0)},
	} {
		theirs := map[int]float64{1: 40, 2: 20, 10: 0.1, 11: 10}[row.number]
		if err := r.add(row, map[string]samples{ours: runs("", "ns", 10), clientGo: runs("", "ns", theirs)}); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func TestTheReportShowsMetAndMissedGoalsWithReasons(t *testing.T) {
	text := string(reported(t).markdown())
	for _, want := range []string{
		"1 of 3 targets are met, 2 are missed.",
		"| 1 | quick & <good> | 10.0 ns | 40.0 ns (client-go) | 4.00× | 3× | met |",
		"| 2 | slow | 10.0 ns | 20.0 ns (client-go) | 2.00× | 3× | missed: it waits ([profile](#slow)) |",
		"| 10 | slower | 10.0 ns | 0.10 ns (client-go) | 0.01× | 300× | **missed, and nobody says why** |",
		"| 11 | reported | 10.0 ns | 10.0 ns (client-go) | 1.00× |  |  |",
		"**MISSED WITHOUT A REASON in benches/reasons.txt** (1):\n\n- 10 slower\n",
		"### slow\n\n```text\n99 % wait\n```",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks: %s", want)
		}
	}
	if strings.Contains(text, "no profile that shows it") {
		t.Error("every reason has a profile, but the report misses one")
	}
}

func TestAReasonWithoutAProfileIsNamed(t *testing.T) {
	r := reported(t)
	r.reasons[0].profile = ""
	if text := r.summary(); !strings.Contains(text, "no profile that shows it** (1):\n\n- 2 slow\n") {
		t.Error(text)
	}
}

func TestAReportNamesFailuresAndKeepsTheOtherResults(t *testing.T) {
	r := report{size: short, grown: grown{}}
	goals := []goal{{what: "writes", part: "writes", better: higher, against: clientGo, ratio: 3}, {what: "reads", part: "reads", better: higher, against: clientGo, ratio: 3}}
	all := map[string]samples{ours: {"writes": runs("writes", "/s", 30)["writes"], "reads": runs("reads", "/s", 5)["reads"]}, clientGo: runs("writes", "/s", 10)}
	if err := r.add(row{number: 6, name: "informer", goals: goals}, all); err == nil || !strings.Contains(err.Error(), `client-go measured no "reads"`) {
		t.Error(err)
	}
	if len(r.results) != 1 || !r.results[0].met {
		t.Errorf("%+v", r.results)
	}
	r.failures = append(r.failures, "6 informer: broken")
	if text := string(r.markdown()); !strings.Contains(text, "**FAILED** (1):\n\n- 6 informer: broken\n") {
		t.Error(text)
	}
}

func TestTimesAreSummedByRow(t *testing.T) {
	r := report{}
	r.spend(1, time.Second)
	r.spend(6, time.Minute)
	r.spend(1, 2*time.Second)
	if got := r.times(); got != "row 1: 3 s, row 6: 60 s" {
		t.Error(got)
	}
}

func TestThePlotIsXMLWithAMarkForEachGoal(t *testing.T) {
	plot := string(reported(t).plot())
	for decoder := xml.NewDecoder(strings.NewReader(plot)); ; {
		_, err := decoder.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	// The legend has one of each.
	for mark, want := range map[string]int{"<circle": 2, "<path": 3, `<line class="target"`: 4} {
		if got := strings.Count(plot, mark); got != want {
			t.Errorf("%d of %s, want %d", got, mark, want)
		}
	}
}

func TestTheScaleIsLogarithmic(t *testing.T) {
	scale := scale{decades: 3}
	for ratio, want := range map[float64]float64{0.01: 0, 0.1: 0, 1: 0.25, 10: 0.5, 1000: 1} {
		if got := (scale.x(ratio) - nameWidth) / scaleWidth; got < want-1e-9 || got > want+1e-9 {
			t.Errorf("%v times stands at %v, want %v", ratio, got, want)
		}
	}
}

func TestGrowthIsALineForEachSize(t *testing.T) {
	g := grown{}
	for _, objects := range []int{10_000, 1000} {
		all := map[string]samples{
			ours:     {"": runs("", "ns", 100)[""], "bytes": runs("bytes", "B", 250)["bytes"]},
			clientGo: {"": runs("", "ns", 20_000)[""], "bytes": runs("bytes", "B", -4096)["bytes"]},
		}
		if err := g.add(point{sameIndex, objects}, all); err != nil {
			t.Fatal(err)
		}
	}
	want := "| 1k | 100 ns | 20.0 µs | 250 |  |\n| 10k | 100 ns | 20.0 µs | 250 |  |\n"
	if got := string(g.markdown()); !strings.Contains(got, want) {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	other := map[string]samples{ours: runs("", "ns", 1), clientGo: runs("", "ns", 1)}
	other[clientGo][""][0].Did = 1
	if err := g.add(point{sameIndex, 1}, other); err == nil {
		t.Error("different amounts of work became a line of the table")
	}
}
