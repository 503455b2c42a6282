// Command deltafifo-list adds three pods to a DeltaFIFO and prints what it holds.
package main

import (
	"fmt"

	"k8s.io/client-go/tools/cache"
)

// ANCHOR: pod
// pod is not Kubernetes' Pod: a DeltaFIFO takes any object that its key function accepts.
type pod struct {
	name  string
	value float64
}

func podKey(object any) (string, error) {
	return object.(pod).name, nil
}

// ANCHOR_END: pod

// ANCHOR: main
func main() {
	queue := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{KeyFunction: podKey})
	queue.Add(pod{"pod1", 1})
	queue.Add(pod{"pod2", 2})
	queue.Add(pod{"pod3", 3})

	// The tutorials call queue.List(). client-go made it private in 2025, so this program pops the queue to see it.
	var held []any
	for range 3 {
		queue.Pop(func(object any, _ bool) error {
			held = append(held, object.(cache.Deltas).Newest().Object)
			return nil
		})
	}
	fmt.Println(held)
}

// ANCHOR_END: main
