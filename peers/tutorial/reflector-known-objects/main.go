// Command reflector-known-objects gives the DeltaFIFO a store as its known objects, and writes that store itself.
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
	store := cache.NewStore(cache.MetaNamespaceKeyFunc)
	queue := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{
		KeyFunction:  cache.MetaNamespaceKeyFunc,
		KnownObjects: store, // the queue reads it …
	})
	reflector := cache.NewReflector(cluster.Pods(), &corev1.Pod{}, queue, 0)
	go reflector.Run(wait.NeverStop)

	for {
		queue.Pop(func(object any, _ bool) error {
			for _, delta := range object.(cache.Deltas) {
				pod := delta.Object.(*corev1.Pod) // panics at a tombstone: see ../relist
				fmt.Println(delta.Type, ":", pod.Name, ":", pod.Status.Phase)
				switch delta.Type {
				case cache.Sync, cache.Added: // … and the consumer of the queue writes it
					store.Add(pod)
				case cache.Updated:
					store.Update(pod)
				case cache.Deleted:
					store.Delete(pod)
				}
			}
			return nil
		})
	}
}

// ANCHOR_END: main
