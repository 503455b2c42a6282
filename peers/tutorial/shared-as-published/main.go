// Command shared-as-published is the shared informer with the condition that a note on the shenyisyn course published.
package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"

	"informer-lab/peers/tutorial/pods"
	"informer-lab/peers/tutorial/processor"
)

type mySharedInformer struct {
	store     cache.Store
	processor processor.Processor
}

// ANCHOR: as-published
func (m *mySharedInformer) handleDeltas(object any, _ bool) error {
	for _, delta := range object.(cache.Deltas) {
		switch delta.Type {
		case cache.Sync, cache.Added:
			m.store.Add(delta.Object)
			m.processor.Distribute(processor.Added{New: delta.Object})
		case cache.Updated:
			if old, exists, err := m.store.Get(delta.Object); err != nil && exists {
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

// ANCHOR_END: as-published

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
	source := pods.Source(pods.Four()...)
	informer := &mySharedInformer{store: cache.NewStore(cache.MetaNamespaceKeyFunc)}
	listeners := []*processor.Listener{informer.processor.AddListener(print("")), informer.processor.AddListener(print("second"))}
	handled := make(chan struct{})
	go func() {
		informer.processor.Run()
		close(handled)
	}()
	queue := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{KeyFunction: cache.MetaNamespaceKeyFunc, KnownObjects: informer.store})
	go cache.NewReflector(source, &corev1.Pod{}, queue, 0).Run(wait.NeverStop)
	for range pods.Four() {
		queue.Pop(informer.handleDeltas)
	}

	wiremock := pods.New("wiremock-84d49c989c-zg4ls", "wiremock", corev1.PodRunning)
	wiremock.Labels["tier"] = "front"
	source.Modify(wiremock)
	queue.Pop(informer.handleDeltas)
	for _, listener := range listeners {
		listener.Close()
	}
	<-handled

	stored, _, _ := informer.store.Get(wiremock)
	fmt.Println("store: ", wiremock.Name, text(stored.(*corev1.Pod)))
	fmt.Println("server:", wiremock.Name, text(wiremock))
}

func text(pod *corev1.Pod) string {
	return metav1.FormatLabelSelector(metav1.SetAsLabelSelector(pod.Labels))
}
