package main

// Benchmark of client-go's indexer as a lister.

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// matches is the number of objects that a query finds.
const matches = 100

// listerIndex finds a hundred of many objects through an index, and reads each of them.
func listerIndex(_ context.Context, options options) ([]figure, error) {
	name := func(object any) (string, error) { return object.(*metav1.PartialObjectMetadata).Name, nil }
	byMatch := func(object any) ([]string, error) {
		if value, ok := object.(*metav1.PartialObjectMetadata).Labels["match"]; ok {
			return []string{value}, nil
		}
		return nil, nil
	}
	indexer := cache.NewIndexer(name, cache.Indexers{"match": byMatch})
	for n := range options.number("objects", 10_000) {
		labels := map[string]string{}
		if n < matches {
			labels["match"] = "true"
		}
		must(indexer.Add(&metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("obj-%d", n), Labels: labels}}))
	}
	found := 0
	spent := perTurn(options.time(), nothing, func(struct{}) {
		objects, err := indexer.ByIndex("match", "true")
		must(err)
		found = 0
		for _, object := range objects {
			if object.(*metav1.PartialObjectMetadata).Name != "" {
				found++
			}
		}
	})
	return one(float64(spent.Nanoseconds()), "ns", found), nil
}
