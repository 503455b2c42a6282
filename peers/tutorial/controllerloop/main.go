// Command controllerloop runs client-go's Controller: a Reflector that fills a queue, and a loop that empties it.
package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	"informer-lab/peers/tutorial/pods"
)

// ANCHOR: main
func main() {
	ctx, stop := context.WithCancel(context.Background())
	source := pods.Source()
	store := cache.NewStore(cache.DeletionHandlingMetaNamespaceKeyFunc)
	queue := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{KeyFunction: cache.MetaNamespaceKeyFunc, KnownObjects: store})

	controller := cache.New(&cache.Config{
		Queue:         queue,
		ListerWatcher: source,
		ObjectType:    &corev1.Pod{},
		Process: func(object any, _ bool) error {
			for _, delta := range object.(cache.Deltas) {
				pod := delta.Object.(*corev1.Pod)
				fmt.Println(delta.Type, ":", pod.Name, ":", pod.Status.Phase)
				if delta.Type == cache.Deleted {
					stop() // ends the reflector and closes the queue, which ends the loop
					return store.Delete(pod)
				}
				if err := store.Update(pod); err != nil {
					return err
				}
			}
			return nil
		},
	})

	go func() {
		cache.WaitForCacheSync(ctx.Done(), controller.HasSynced)
		pods.Stop(source, pods.Start(source, "nettool"))
	}()
	controller.RunWithContext(ctx)
}

// ANCHOR_END: main
