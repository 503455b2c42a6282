package main

// Benchmark of client-go's workqueue.

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"k8s.io/client-go/util/workqueue"
)

// workqueueWorkers lets one goroutine add keys, each once, while several workers get them and call Done.
func workqueueWorkers(_ context.Context, options options) ([]figure, error) {
	keys := make([]string, options.number("keys", 100_000))
	for n := range keys {
		keys[n] = fmt.Sprintf("key-%d", n)
	}
	var done atomic.Int64
	newQueue := func() *workqueue.Typed[string] {
		return workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[string]{})
	}
	nanos := perItem(options.time(), len(keys), newQueue, func(queue *workqueue.Typed[string]) {
		done.Store(0)
		var working sync.WaitGroup
		for range options.number("workers", 8) {
			working.Go(func() { done.Add(drain(queue)) })
		}
		for _, key := range keys {
			queue.Add(key)
		}
		queue.ShutDown()
		working.Wait()
	})
	return one(nanos, "ns", int(done.Load())), nil
}

func drain(queue *workqueue.Typed[string]) (done int64) {
	for {
		key, shutdown := queue.Get()
		if shutdown {
			return done
		}
		queue.Done(key)
		done++
	}
}
