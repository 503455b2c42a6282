package main

// Benchmarks of client-go's DeltaFIFO and RealFIFO.

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

type fifo interface {
	Add(object any) error
	Pop(process cache.PopProcessFunc) (any, error)
}

func deltaFIFO(_ context.Context, options options) ([]figure, error) {
	return addAndPop(options, func() fifo {
		return cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{KeyFunction: cache.MetaNamespaceKeyFunc})
	}), nil
}

func realFIFO(_ context.Context, options options) ([]figure, error) {
	return addAndPop(options, func() fifo {
		return cache.NewRealFIFOWithOptions(cache.RealFIFOOptions{KeyFunction: cache.MetaNamespaceKeyFunc, AtomicEvents: true})
	}), nil
}

// addAndPop adds every key and then pops every key.
func addAndPop(options options, queue func() fifo) []figure {
	pods := manyPods(options.number("keys", 10_000))
	popped := 0
	count := func(any, bool) error { popped++; return nil }
	nanos := perItem(options.time(), len(pods), queue, func(queue fifo) {
		addAll(queue, pods)
		popped = 0
		for range pods {
			_, err := queue.Pop(count)
			must(err)
		}
	})
	return one(nanos, "ns", popped)
}

func addAll(queue fifo, pods []*corev1.Pod) {
	for _, pod := range pods {
		must(queue.Add(pod))
	}
}
