package main

// The tracer's programs with a Reflector and a DeltaFIFO.

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

// deltaFIFO runs a Reflector that fills a DeltaFIFO, and a loop that pops and prints the deltas.
type deltaFIFO struct {
	known        cache.Store // nil: no known objects
	emitReplaced bool
}

func (d deltaFIFO) run(pods *cache.ListWatch) error {
	options := cache.DeltaFIFOOptions{KeyFunction: cache.MetaNamespaceKeyFunc, EmitDeltaTypeReplaced: d.emitReplaced}
	if d.known != nil {
		options.KnownObjects = d.known
	}
	queue := cache.NewDeltaFIFOWithOptions(options)
	go cache.NewReflector(pods, &corev1.Pod{}, queue, 0).RunWithContext(context.Background())
	saySyncedWhen(queue.HasSynced)
	for {
		if _, err := queue.Pop(d.process); err != nil {
			return err
		}
	}
}

func (d deltaFIFO) process(object any, _ bool) error {
	for _, delta := range object.(cache.Deltas) {
		pod, ok := delta.Object.(*corev1.Pod)
		if !ok {
			fmt.Printf("%s : %T\n", delta.Type, delta.Object)
			continue
		}
		fmt.Println(delta.Type, ":", pod.Name, ":", pod.Status.Phase)
		if err := d.apply(delta); err != nil {
			return err
		}
	}
	return nil
}

func (d deltaFIFO) apply(delta cache.Delta) error {
	switch {
	case d.known == nil:
		return nil
	case delta.Type == cache.Deleted:
		return d.known.Delete(delta.Object)
	default:
		return d.known.Update(delta.Object)
	}
}
