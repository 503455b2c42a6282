package main

// Benchmarks of client-go's shared informer, with a fake source in the same process.

import (
	"context"
	goruntime "runtime"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

// unhandled is the largest number of updates on their way to the handler, as in client-go's benchmark.
const unhandled = 10

// noWatchList marks a source that does not support streaming lists.
type noWatchList struct{ *cache.ListWatch }

func (noWatchList) IsWatchListSemanticsUnSupported() bool { return true }

// source returns a source that lists all pods at once and watches these events.
func source(pods []corev1.Pod, events watch.Interface) cache.ListerWatcher {
	return noWatchList{&cache.ListWatch{
		ListWithContextFunc: func(context.Context, metav1.ListOptions) (runtime.Object, error) {
			return &corev1.PodList{Items: pods}, nil
		},
		WatchFuncWithContext: func(context.Context, metav1.ListOptions) (watch.Interface, error) { return events, nil },
	}}
}

func namedAtRandom(number int) []corev1.Pod {
	pods := make([]corev1.Pod, number)
	for n := range pods {
		pods[n].Name, pods[n].Namespace = rand.String(20), "default"
	}
	return pods
}

func informerOf(source cache.ListerWatcher) cache.SharedIndexInformer {
	return cache.NewSharedIndexInformerWithOptions(source, &corev1.Pod{}, cache.SharedIndexInformerOptions{
		Indexers: cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc},
	})
}

// readersAndAWriter is client-go's BenchmarkSharedIndexInformer for any number of pods. Each reader has its own
// thread.
func readersAndAWriter(ctx context.Context, options options) ([]figure, error) {
	pods := namedAtRandom(options.number("pods", 10_000))
	events := watch.NewFakeWithChanSize(1, false)
	informer := informerOf(source(pods, events))
	var handled, reads, seen atomic.Int64
	// room has one place more, because the handler may give its place back before the writer has taken one.
	room := make(chan struct{}, unhandled+1)
	for range unhandled {
		room <- struct{}{}
	}
	registration, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(any, any) {
		handled.Add(1)
		room <- struct{}{}
	}})
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go informer.RunWithContext(ctx)
	cache.WaitForCacheSync(ctx.Done(), registration.HasSynced)

	var readers sync.WaitGroup
	ended := make(chan struct{})
	for range options.number("readers", 1) {
		readers.Go(func() { list(informer.GetIndexer(), ended, &reads, &seen) })
	}
	start := time.Now()
	for time.Since(start) < options.time() {
		for range 16 {
			pod := pods[rand.Intn(len(pods))]
			events.Modify(&pod)
			<-room
		}
	}
	spent := time.Since(start).Seconds()
	writes, read := handled.Load(), float64(reads.Load())
	close(ended)
	readers.Wait()
	figures := []figure{{Part: "writes", Value: float64(writes) / spent, Unit: "/s", Did: uint64(len(informer.GetIndexer().List()))}}
	if read > 0 {
		figures = append(figures, figure{Part: "reads", Value: read / spent, Unit: "/s", Did: uint64(seen.Load())})
	}
	return figures, nil
}

// list lists all pods again and again on its own thread, until ended is closed. It counts the lists in reads, and stores
// the number of pods of a list in seen.
func list(indexer cache.Indexer, ended <-chan struct{}, reads, seen *atomic.Int64) {
	goruntime.LockOSThread()
	for {
		select {
		case <-ended:
			return
		default:
		}
		visited := int64(0)
		must(cache.ListAllByNamespace(indexer, "default", labels.Everything(), func(any) { visited++ }))
		seen.Store(visited)
		reads.Add(1)
	}
}

// sourceToHandlers measures the time from a list in the process to a handler that has every object, and the memory
// that the informer takes.
func sourceToHandlers(ctx context.Context, options options) ([]figure, error) {
	pods := namedAtRandom(options.number("pods", 10_000))
	_, before, err := resident()
	if err != nil {
		return nil, err
	}
	start := time.Now()
	informer := informerOf(source(pods, watch.NewFake()))
	added := 0
	registration, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(any) { added++ }})
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go informer.RunWithContext(ctx)
	waitFor(ctx, registration)
	spent := time.Since(start)
	_, after, err := resident()
	return []figure{
		{Part: "time", Value: float64(spent.Microseconds()) / 1e3, Unit: "ms", Did: uint64(added)},
		{Part: "bytes", Value: (after - before) / float64(added), Unit: "B", Did: uint64(added)},
	}, err
}

// waitFor waits like cache.WaitForCacheSync, but checks every millisecond instead of ten times a second.
func waitFor(ctx context.Context, registration cache.ResourceEventHandlerRegistration) {
	for ctx.Err() == nil && !registration.HasSynced() {
		time.Sleep(time.Millisecond)
	}
}
