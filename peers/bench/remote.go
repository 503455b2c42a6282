package main

// Benchmarks of client-go's informer over HTTP.

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"k8s.io/client-go/informers"
)

// podInformer returns an informer for the server at --url. --encoding is json or protobuf.
func podInformer(options options) (cache.SharedIndexInformer, error) {
	config := &rest.Config{Host: options.text("url", "http://127.0.0.1:18080")}
	switch encoding := options.text("encoding", "json"); encoding {
	case "json":
		config.ContentType = "application/json"
	case "protobuf":
		config.ContentType = "application/vnd.kubernetes.protobuf"
		config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	default:
		return nil, fmt.Errorf("no encoding %s", encoding)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return informers.NewSharedInformerFactory(client, 0).Core().V1().Pods().Informer(), nil
}

// listToHandlers measures the time from an HTTP LIST to a handler that has every object, and the memory that this
// takes.
func listToHandlers(ctx context.Context, options options) ([]figure, error) {
	start := time.Now()
	informer, err := podInformer(options)
	if err != nil {
		return nil, err
	}
	byApp := func(object any) ([]string, error) { return []string{object.(*corev1.Pod).Labels["app"]}, nil }
	if err := informer.AddIndexers(cache.Indexers{"app": byApp}); err != nil {
		return nil, err
	}
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
	memory, err := memoryFigures(added)
	took := figure{Part: "time", Value: float64(spent.Microseconds()) / 1e3, Unit: "ms", Did: uint64(added)}
	return append([]figure{took}, memory...), err
}

// changesToHandlers measures watch events to many handlers: the time from the first handled change to the last.
func changesToHandlers(ctx context.Context, options options) ([]figure, error) {
	changes, handlers := options.number("changes", 100_000), options.number("handlers", 1)
	informer, err := podInformer(options)
	if err != nil {
		return nil, err
	}
	var handled atomic.Int64
	var start, end time.Time
	ended := make(chan struct{})
	count := func(any, any) {
		switch handled.Add(1) {
		case 1:
			start = time.Now()
		case int64(changes * handlers):
			end = time.Now()
			close(ended)
		}
	}
	for range handlers {
		if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: count}); err != nil {
			return nil, err
		}
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go informer.RunWithContext(ctx)
	<-ended
	return one(float64(changes)/end.Sub(start).Seconds(), "/s", int(handled.Load())), nil
}
