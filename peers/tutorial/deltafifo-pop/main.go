// Command deltafifo-pop adds three pods to a DeltaFIFO and pops one key.
package main

import (
	"fmt"

	"k8s.io/client-go/tools/cache"
)

type pod struct {
	name  string
	value float64
}

func podKey(object any) (string, error) {
	return object.(pod).name, nil
}

// ANCHOR: main
func main() {
	queue := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{KeyFunction: podKey})
	queue.Add(pod{"pod1", 1})
	queue.Add(pod{"pod2", 2})
	queue.Add(pod{"pod3", 3})

	queue.Pop(func(object any, _ bool) error {
		for _, delta := range object.(cache.Deltas) {
			fmt.Println(delta.Type, ":", delta.Object.(pod).name)
		}
		return nil
	})
}

// ANCHOR_END: main
