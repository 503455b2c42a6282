package main

import "time"

// figure is what was measured.
type figure struct {
	Work string `json:"work"`
	// Part says what of the work; empty if there is only one figure.
	Part  string  `json:"part"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	// Did says how much was done: the same number for everyone who does the same work with the same options.
	Did uint64 `json:"did"`
}

func one(value float64, unit string, did int) []figure {
	return []figure{{Value: value, Unit: unit, Did: uint64(did)}}
}

// perTurn is the time that one turn of work takes, over as many turns as fit into the time; prepare is not counted.
func perTurn[S any](fits time.Duration, prepare func() S, work func(S)) time.Duration {
	work(prepare()) // warm
	turns, spent := 0, time.Duration(0)
	for spent < fits {
		state := prepare()
		start := time.Now()
		work(state)
		spent += time.Since(start)
		turns++
	}
	return spent / time.Duration(turns)
}

// perItem is the same per item, of turns over so many items, in nanoseconds.
func perItem[S any](fits time.Duration, items int, prepare func() S, work func(S)) float64 {
	return float64(perTurn(fits, prepare, work).Nanoseconds()) / float64(items)
}

func nothing() struct{} { return struct{}{} }

// must is for what cannot fail here: the objects have names, the queues are open.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
