package main

// Tests that the rows of the benchmark table are complete.

import (
	"fmt"
	"testing"
)

// names returns the names of all goals with a target, for a run of this size.
func names(s size) (names []string) {
	for _, row := range rows(programs{}, s) {
		for _, goal := range row.goals {
			if goal.ratio != 0 {
				names = append(names, result{row: row, goal: goal}.name())
			}
		}
	}
	return names
}

func TestEveryNumberOfTheTableIsJudgedAtEverySize(t *testing.T) {
	for _, size := range []size{whole, short, smallest} {
		judged := map[int]bool{}
		for _, row := range rows(programs{}, size) {
			for _, goal := range row.goals {
				judged[result{row: row, goal: goal}.number()] = true
			}
		}
		for number := 1; number <= 12; number++ {
			if !judged[number] {
				t.Errorf("the %s run judges nothing of row %d", size.name, number)
			}
		}
	}
}

func TestEveryGoalHasANameOfItsOwn(t *testing.T) {
	*before = "abc1234"
	defer func() { *before = "" }()
	seen := map[string]bool{}
	for _, name := range names(whole) {
		if seen[name] {
			t.Errorf("two goals are named: %s", name)
		}
		seen[name] = true
	}
}

func TestARunJudgesEveryTargetOfTheTable(t *testing.T) {
	*cold = true
	defer func() { *cold = false }()
	there := map[string]bool{}
	for _, name := range names(whole) {
		there[name] = true
	}
	want := []string{
		"1 Indexer update, index unchanged", "1 Indexer update, moving between index values",
		"2 DeltaFIFO add and pop", "2 RealFIFO add and pop", "3 listener, one notification",
		"4 work queue, 100 times add, get and done", "5 delaying queue, AddAfter and Get",
		"10 watch, 100k changes to 1 handler, against JSON", "10 watch, 100k changes to 10 handlers, against JSON", "10 watch, 100k changes to 100 handlers, against JSON",
		"11 API server: creates", "11 API server: LIST of 10k pods", "11 API server: events to 1k watchers", "11 API server: processor time per event",
		"11 API server: start to first answer", "11 API server: idle memory", "11 API server: memory with 10k pods",
		"12 deltafifo lesson, start to end: time", "12 clean debug build to the first trace", "12 stripped release binary of all lessons and the cluster",
	}
	for _, workers := range []int{2, 8, 64} {
		want = append(want, fmt.Sprintf("4 work queue, a key through %d workers", workers))
	}
	for _, pods := range []string{"10k", "160k"} {
		want = append(want, "6 shared informer, "+pods+" pods, no readers: writes")
		for _, readers := range []string{"1 reader", "10 readers", "80 readers"} {
			want = append(want, "6 shared informer, "+pods+" pods, "+readers+": writes", "6 shared informer, "+pods+" pods, "+readers+": reads")
		}
	}
	for _, objects := range []string{"10k", "100k", "1M"} {
		want = append(want, "7 lister, 100 of "+objects+", scan", "7 lister, 100 of "+objects+", by index")
	}
	for _, pods := range []string{"10k", "100k"} {
		list := " HTTP LIST to synced, " + pods + " pods: "
		want = append(want, "8"+list+"time, against JSON", "8"+list+"time, against protobuf", "9"+list+"peak of its steady memory",
			"9"+list+"steady memory (projected), against protobuf", "9"+list+"steady memory, against protobuf")
	}
	for _, name := range want {
		if !there[name] {
			t.Errorf("no goal is named: %s", name)
		}
	}
}

// A reason for a goal that is no longer measured would never be shown.
func TestEveryReasonMatchesAGoal(t *testing.T) {
	*cold = true
	defer func() { *cold = false }()
	reasons, err := readReasons("../../benches")
	if err != nil {
		t.Fatal(err)
	}
	for n := range reasons {
		found := false
		for _, name := range names(whole) {
			found = found || reasons.of(name) == &reasons[n]
		}
		if !found {
			t.Errorf("no goal matches %v: %s", reasons[n].goals, reasons[n].text)
		}
	}
}

func TestGrowthIsMeasuredUpToAMillion(t *testing.T) {
	most := map[*table][]int{}
	for _, row := range rows(programs{}, whole) {
		if row.grows.table != nil {
			most[row.grows.table] = append(most[row.grows.table], row.grows.objects)
		}
	}
	for _, table := range tables {
		want := 4
		if table == overHTTP {
			want = 3 // up to 100k
		}
		if len(most[table]) != want {
			t.Errorf("%s: %v", table.title, most[table])
		}
	}
}
