// Command lesson is the tutorial's DeltaFIFO lesson on client-go: it prints what `informer-lab deltafifo` prints.
package main

import (
	"fmt"

	"k8s.io/client-go/tools/cache"
)

type pod struct {
	name  string
	value float64
}

var callbacks = map[cache.DeltaType]string{cache.Added: "执行新增回调", cache.Updated: "执行修改回调", cache.Deleted: "执行删除回调"}

func main() {
	if err := run(); err != nil {
		panic(err)
	}
}

func run() error {
	queue := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{
		KeyFunction: func(object any) (string, error) { return object.(pod).name, nil },
	})
	changes := []struct {
		change func(any) error
		pod    pod
	}{
		{queue.Add, pod{"pod1", 1}},
		{queue.Add, pod{"pod2", 2}},
		{queue.Add, pod{"pod3", 3}},
		{queue.Update, pod{"pod1", 1.1}},
		{queue.Delete, pod{"pod1", 1.1}},
	}
	for _, change := range changes {
		if err := change.change(change.pod); err != nil {
			return err
		}
	}
	_, err := queue.Pop(func(object any, _ bool) error {
		for _, delta := range object.(cache.Deltas) {
			pod := delta.Object.(pod)
			fmt.Printf("%s %s  value: %v\n", delta.Type, pod.name, pod.value)
			fmt.Println(callbacks[delta.Type])
		}
		return nil
	})
	return err
}
