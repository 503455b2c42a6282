package main

import (
	"context"
	"fmt"
	"regexp"
)

// growth is how the cost of a work grows with the number of objects.
type growth struct {
	name, unit string
	// part is what the table tells; a part "bytes" or "steady" beside it is the memory.
	part string
	rows []growthRow
}

type growthRow struct {
	objects      int
	mine, theirs measured
}

// measured is the medians of one contender: time or rate, and bytes per object where they are known.
type measured struct{ value, bytes float64 }

var growthSizes = []int{1000, 10_000, 100_000, 1_000_000}

// growthRuns is how often each has its turn at a size.
const growthRuns = 3

func grow(ctx context.Context, p programs, s size, chosen *regexp.Regexp) (all []growth, err error) {
	if s != whole || !chosen.MatchString("growth") {
		return nil, nil
	}
	local := func(work, key string) func(int) []contender {
		return func(objects int) []contender {
			return both(p, s, work, key, fmt.Sprint(objects))
		}
	}
	works := []struct {
		growth
		most       int
		contenders func(objects int) []contender
	}{
		{growth{name: "1: Indexer update, index unchanged", unit: "ns"}, 1_000_000, local("indexer-same", "--objects")},
		{growth{name: "1: Indexer update, moving between index values", unit: "ns"}, 1_000_000, local("indexer-moving", "--objects")},
		{growth{name: "6: shared informer beside one reader, writes", part: "writes", unit: "/s"}, 1_000_000, local("shared-informer", "--pods")},
		{growth{name: "6: shared informer beside one reader, reads", part: "reads", unit: "/s"}, 1_000_000, local("shared-informer", "--pods")},
		{growth{name: "8 and 9: a list in the process to handlers synced, pods with a name only", part: "time", unit: "ms"}, 1_000_000, local("source", "--pods")},
		{growth{name: "8 and 9: HTTP LIST to handlers synced, pods of 3.8 KB", part: "time", unit: "ms"}, 100_000, nil},
	}
	for _, work := range works {
		for _, objects := range growthSizes {
			if objects > work.most {
				continue
			}
			row, err := growOnce(ctx, p, work.part, objects, work.contenders)
			if err != nil {
				return nil, fmt.Errorf("growth of %s: %w", work.name, err)
			}
			work.rows = append(work.rows, row)
		}
		all = append(all, work.growth)
	}
	return all, nil
}

func growOnce(ctx context.Context, p programs, part string, objects int, local func(int) []contender) (growthRow, error) {
	var contenders []contender
	if local != nil {
		contenders = local(objects)
	} else {
		url := new(string)
		stop, err := p.static(url, fmt.Sprint(objects), "0")(ctx)
		if err != nil {
			return growthRow{}, err
		}
		defer stop()
		contenders = []contender{at(url, ours, p.work, "sync"), at(url, "client-go", p.peer("bench"), "sync")}
	}
	all, err := takeTurns(ctx, contenders, growthRuns)
	if err != nil {
		return growthRow{}, err
	}
	goal := goal{part: part, against: "client-go"}
	if err := sameWork(goal, all[ours][part], all["client-go"][part]); err != nil {
		return growthRow{}, err
	}
	return growthRow{objects, summed(all[ours], part, objects), summed(all["client-go"], part, objects)}, nil
}

func summed(samples samples, part string, objects int) measured {
	m := measured{value: median(values(samples[part]))}
	if bytes := samples["bytes"]; len(bytes) > 0 {
		m.bytes = median(values(bytes))
	} else if steady := samples["steady"]; len(steady) > 0 {
		m.bytes = median(values(steady)) * 1e6 / float64(objects)
	}
	return m
}
