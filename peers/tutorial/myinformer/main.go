// Command myinformer builds an informer by hand: list and watch, queue, store, one handler.
package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"

	"informer-lab/peers/tutorial/cluster"
)

// ANCHOR: watchdog
type watchDog struct {
	reflector *cache.Reflector
	queue     *cache.DeltaFIFO
	store     cache.Store
	handler   cache.ResourceEventHandler
}

func newWatchDog(pods cache.ListerWatcher, handler cache.ResourceEventHandler) *watchDog {
	store := cache.NewStore(cache.MetaNamespaceKeyFunc)
	queue := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{KeyFunction: cache.MetaNamespaceKeyFunc, KnownObjects: store})
	return &watchDog{cache.NewReflector(pods, &corev1.Pod{}, queue, 0), queue, store, handler}
}

func (w *watchDog) run(stop <-chan struct{}) {
	go w.reflector.Run(stop)
	for {
		w.queue.Pop(w.handle)
	}
}

// handle changes the store before it calls the handler, so that the handler finds the new state in the store.
func (w *watchDog) handle(object any, initial bool) error {
	for _, delta := range object.(cache.Deltas) {
		switch delta.Type {
		case cache.Sync, cache.Added:
			w.store.Add(delta.Object)
			w.handler.OnAdd(delta.Object, initial)
		case cache.Updated:
			if old, exists, err := w.store.Get(delta.Object); err == nil && exists {
				w.store.Update(delta.Object)
				w.handler.OnUpdate(old, delta.Object)
			}
		case cache.Deleted:
			w.store.Delete(delta.Object)
			w.handler.OnDelete(delta.Object)
		}
	}
	return nil
}

// ANCHOR_END: watchdog

// ANCHOR: main
func name(object any) string { return object.(metav1.Object).GetName() }

func main() {
	handler := cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { fmt.Println("OnAdd:", name(object)) },
		UpdateFunc: func(_, object any) { fmt.Println("OnUpdate:", name(object)) },
		DeleteFunc: func(object any) { fmt.Println("OnDelete:", name(object)) },
	}
	newWatchDog(cluster.Pods(), handler).run(wait.NeverStop)
}

// ANCHOR_END: main
