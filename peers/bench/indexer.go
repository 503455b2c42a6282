package main

// Benchmarks of client-go's thread-safe store with an index.

import (
	"context"
	"fmt"

	"k8s.io/client-go/tools/cache"
)

// indexerSame is client-go's BenchmarkIndexer for any number of objects. The index value of an object is the object
// itself, so updates leave the index unchanged.
func indexerSame(_ context.Context, options options) ([]figure, error) {
	objects := make([]string, options.number("objects", 5000))
	for n := range objects {
		objects[n] = fmt.Sprintf("object-number-%d", n)
	}
	_, before, err := resident()
	if err != nil {
		return nil, err
	}
	byValue := func(object any) ([]string, error) { return []string{object.(string)}, nil }
	store := cache.NewThreadSafeStore(cache.Indexers{"by-value": byValue}, cache.Indices{})
	nanos := perItem(options.time(), len(objects), nothing, func(struct{}) {
		for _, object := range objects {
			store.Update(object, object)
		}
	})
	_, after, err := resident()
	did := len(store.List())
	bytes := figure{Part: "bytes", Value: (after - before) / float64(did), Unit: "B", Did: uint64(did)}
	return append(one(nanos, "ns", did), bytes), err
}

// indexerMoving updates objects so that each moves from one of two index values to the other. Half of the objects
// have each value.
func indexerMoving(_ context.Context, options options) ([]figure, error) {
	number := options.number("objects", 5000)
	bySide := func(object any) ([]string, error) { return []string{object.(string)[:1]}, nil }
	store := cache.NewThreadSafeStore(cache.Indexers{"by-side": bySide}, cache.Indices{})
	// An object is its index value, "a" or "b", and then its key.
	var turns [2][]string
	for turn := range turns {
		for n := range number {
			turns[turn] = append(turns[turn], fmt.Sprintf("%cobject-number-%d", "ab"[(n+turn)%2], n))
		}
	}
	turn := 0
	nanos := perItem(options.time(), number, nothing, func(struct{}) {
		turn++
		for _, object := range turns[turn%2] {
			store.Update(object[1:], object)
		}
	})
	moved, err := store.ByIndex("by-side", "a")
	return one(nanos, "ns", len(moved)), err
}
