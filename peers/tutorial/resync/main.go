// Command resync shows which notification a handler gets from a resync, and how the handler recognizes it.
package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	"informer-lab/peers/tutorial/pods"
)

// ANCHOR: main
func main() {
	source := pods.Source()
	store := cache.NewStore(cache.MetaNamespaceKeyFunc)
	queue := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{KeyFunction: cache.MetaNamespaceKeyFunc, KnownObjects: store})
	go cache.NewReflector(source, &corev1.Pod{}, queue, 2*time.Second).RunWithContext(context.Background())

	handled := 0
	handleUntil := func(deltas int) {
		for handled < deltas {
			queue.Pop(func(object any, _ bool) error {
				for _, delta := range object.(cache.Deltas) {
					handle(store, delta)
					handled++
				}
				return nil
			})
		}
	}
	cache.WaitForCacheSync(nil, queue.HasSynced)
	nettool := pods.Start(source, "nettool")
	handleUntil(5)
	handleUntil(7) // the pod does not change, and a resync adds a Sync after two and after four seconds
	pods.Stop(source, nettool)
	handleUntil(12)
}

func handle(store cache.Store, delta cache.Delta) {
	pod := delta.Object.(*corev1.Pod)
	fmt.Println(delta.Type, ":", pod.Name)
	if delta.Type == cache.Deleted {
		store.Delete(pod)
		fmt.Println("  OnDelete:", pod.Name)
		return
	}
	old, exists, _ := store.Get(pod)
	store.Update(pod)
	if exists {
		onUpdate(old.(*corev1.Pod), pod)
	} else {
		fmt.Println("  OnAdd:", pod.Name)
	}
}

// ANCHOR_END: main

// ANCHOR: handler
func onUpdate(old, pod *corev1.Pod) {
	fmt.Printf("  OnUpdate: %s %s -> %s, ", pod.Name, old.ResourceVersion, pod.ResourceVersion)
	if old.ResourceVersion == pod.ResourceVersion {
		fmt.Println("return")
		return
	}
	fmt.Println("work")
}

// ANCHOR_END: handler
