// Command shared-list-watch builds a shared informer by hand: processor, Reflector, DeltaFIFO, Store.
package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"

	"informer-lab/peers/tutorial/cluster"
	"informer-lab/peers/tutorial/processor"
)

// ANCHOR: informer
type mySharedInformer struct {
	reflector *cache.Reflector
	queue     *cache.DeltaFIFO
	store     cache.Store
	processor processor.Processor
}

func newMySharedInformer(pods cache.ListerWatcher, store cache.Store) *mySharedInformer {
	queue := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{KeyFunction: cache.MetaNamespaceKeyFunc, KnownObjects: store})
	return &mySharedInformer{reflector: cache.NewReflector(pods, &corev1.Pod{}, queue, 0), queue: queue, store: store}
}

func (m *mySharedInformer) start(stop <-chan struct{}) {
	go m.reflector.Run(stop)
	go func() {
		for {
			m.queue.Pop(m.handleDeltas)
		}
	}()
	m.processor.Run()
}

// handleDeltas changes the store, and then notifies every listener. The note on the shenyisyn course checks
// `err != nil && exists` below, which is never true, so its informer never reports an update: see ../shared-as-published.
func (m *mySharedInformer) handleDeltas(object any, _ bool) error {
	for _, delta := range object.(cache.Deltas) {
		switch delta.Type {
		case cache.Sync, cache.Added:
			m.store.Add(delta.Object)
			m.processor.Distribute(processor.Added{New: delta.Object})
		case cache.Updated:
			if old, exists, err := m.store.Get(delta.Object); err == nil && exists {
				m.store.Update(delta.Object)
				m.processor.Distribute(processor.Updated{Old: old, New: delta.Object})
			}
		case cache.Deleted:
			m.store.Delete(delta.Object)
			m.processor.Distribute(processor.Deleted{Old: delta.Object})
		}
	}
	return nil
}

// ANCHOR_END: informer

// ANCHOR: main
func print(message string) cache.ResourceEventHandler {
	say := func(called string) func(any) {
		return func(object any) { fmt.Println(called+":"+message, object.(metav1.Object).GetName()) }
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    say("OnAdd"),
		UpdateFunc: func(_, object any) { say("OnUpdate")(object) },
		DeleteFunc: say("OnDelete"),
	}
}

func main() {
	informer := newMySharedInformer(cluster.Pods(), cache.NewStore(cache.MetaNamespaceKeyFunc))
	informer.processor.AddListener(print(""))
	informer.processor.AddListener(print("second"))
	informer.start(wait.NeverStop)
}

// ANCHOR_END: main
