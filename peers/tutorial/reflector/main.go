// Command reflector runs a Reflector that fills a DeltaFIFO without known objects, and prints each delta.
package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"

	"informer-lab/peers/tutorial/cluster"
)

// ANCHOR: main
func main() {
	queue := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{KeyFunction: cache.MetaNamespaceKeyFunc})
	reflector := cache.NewReflector(cluster.Pods(), &corev1.Pod{}, queue, 0)
	go reflector.Run(wait.NeverStop)

	for {
		queue.Pop(func(object any, _ bool) error {
			for _, delta := range object.(cache.Deltas) {
				pod := delta.Object.(*corev1.Pod)
				fmt.Println(delta.Type, ":", pod.Name, ":", pod.Status.Phase)
			}
			return nil
		})
	}
}

// ANCHOR_END: main
