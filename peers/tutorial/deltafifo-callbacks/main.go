// Command deltafifo-callbacks chooses a callback for each delta of a key.
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
	pod1 := pod{"pod1", 1}
	queue.Add(pod1)
	queue.Add(pod{"pod2", 2})
	queue.Add(pod{"pod3", 3})
	pod1.value = 1.1
	queue.Update(pod1)
	queue.Delete(pod1)

	queue.Pop(func(object any, _ bool) error {
		for _, delta := range object.(cache.Deltas) {
			fmt.Println(delta.Type, ":", delta.Object.(pod).name)
			switch delta.Type {
			case cache.Added:
				fmt.Println("执行新增回调")
			case cache.Updated:
				fmt.Println("执行更新回调")
			case cache.Deleted:
				fmt.Println("执行删除回调")
			}
		}
		return nil
	})
}

// ANCHOR_END: main
