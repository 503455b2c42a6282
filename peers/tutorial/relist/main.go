// Command relist misses a deletion because its watch breaks, and gets a tombstone from the list that follows.
package main

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	"informer-lab/peers/tutorial/pods"
)

// ANCHOR: main
func main() {
	source := pods.Source(pods.Four()...)
	store := cache.NewStore(cache.DeletionHandlingMetaNamespaceKeyFunc) // a key function that accepts tombstones
	queue := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{KeyFunction: cache.MetaNamespaceKeyFunc, KnownObjects: store})
	go cache.NewReflector(source, &corev1.Pod{}, queue, 0).RunWithContext(context.Background())

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
	handleUntil(4) // the first list
	nettool := pods.Start(source, "nettool")
	source.Modify(nettool.DeepCopy()) // its deletion begins
	handleUntil(10)
	source.DeleteDropWatch(nettool) // the pod is deleted, but no watch gets an event
	source.ResetWatch()             // the watch breaks, and the server forgets its history
	handleUntil(15)                 // the relist: four Sync, and a Deleted for the pod that it lacks
	pods.Start(source, "web")
	handleUntil(20)

	names := []string{}
	for _, key := range store.ListKeys() {
		_, name, _ := cache.SplitMetaNamespaceKey(key)
		names = append(names, name)
	}
	slices.Sort(names)
	fmt.Println("store :", names)
}

// ANCHOR_END: main

// ANCHOR: handle
func handle(store cache.Store, delta cache.Delta) {
	switch object := delta.Object.(type) {
	case *corev1.Pod:
		fmt.Println(delta.Type, ":", object.Name, ":", object.Status.Phase)
		if delta.Type == cache.Deleted { // the watch has seen the deletion, so this is the final state
			store.Delete(object)
			fmt.Println("  OnDelete:", object.Name)
			return
		}
		store.Update(object)
	case cache.DeletedFinalStateUnknown:
		lastSeen := object.Obj.(*corev1.Pod)
		fmt.Println(delta.Type, ":", lastSeen.Name, ":", lastSeen.Status.Phase, ": DeletedFinalStateUnknown")
		store.Delete(object)
		fmt.Printf("  OnDelete: DeletedFinalStateUnknown{%s, last seen at resourceVersion %s}\n", object.Key, lastSeen.ResourceVersion)
	}
}

// ANCHOR_END: handle
