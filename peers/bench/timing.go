package main

// Measures the time of a benchmark, and defines the figures that peers/comparison reads.

import "time"

type figure struct {
	Work string `json:"work"`
	// Part names the part of the work. It is empty if there is only one figure.
	Part  string  `json:"part"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	// Did is the amount of work: the same number for every program that does the same work with the same options.
	Did uint64 `json:"did"`
}

// one returns the only figure of a work.
func one(value float64, unit string, did int) []figure {
	return []figure{{Value: value, Unit: unit, Did: uint64(did)}}
}

// perTurn returns the mean time of one turn. It repeats the work until all turns together took `total`. The time of
// prepare is not counted.
func perTurn[S any](total time.Duration, prepare func() S, work func(S)) time.Duration {
	work(prepare()) // warm-up
	turns, spent := 0, time.Duration(0)
	for spent < total {
		state := prepare()
		start := time.Now()
		work(state)
		spent += time.Since(start)
		turns++
	}
	return spent / time.Duration(turns)
}

// perItem returns the mean time of one item in nanoseconds, if a turn handles this many items.
func perItem[S any](total time.Duration, items int, prepare func() S, work func(S)) float64 {
	return float64(perTurn(total, prepare, work).Nanoseconds()) / float64(items)
}

func nothing() struct{} { return struct{}{} }

// must panics on errors that cannot happen here: the objects have names, and the queues are open.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
