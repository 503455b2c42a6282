// Command typed uses the typed informer of client-go 0.37: no handler and no look-up needs a type assertion.
package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	"informer-lab/peers/tutorial/pods"
)

func main() {
	source := pods.Source(pods.New("wiremock", "wiremock", corev1.PodRunning), pods.New("nettool", "nettool", corev1.PodRunning))
	gone := make(chan struct{}, 2)
	informer := newInformer(source, gone)
	ctx := context.Background()
	go informer.RunWithContext(ctx)
	cache.WaitFor(ctx, "", informer.HasSyncedChecker())
	byApp(informer)

	source.Delete(pods.New("wiremock", "wiremock", corev1.PodRunning)) // the watch delivers the final state
	<-gone
	source.DeleteDropWatch(pods.New("nettool", "nettool", corev1.PodRunning)) // no watch delivers this deletion
	source.ResetWatch()                                                       // the list that follows lacks the pod
	<-gone
}

// ANCHOR: handler
func newInformer(source cache.ListerWatcher, gone chan<- struct{}) cache.TypedSharedIndexInformer[*corev1.Pod] {
	informer := cache.NewTypedSharedIndexInformer[*corev1.Pod](
		cache.NewSharedIndexInformerWithOptions(source, &corev1.Pod{}, cache.SharedIndexInformerOptions{Indexers: cache.Indexers{}}))
	informer.AddTypedEventHandler(cache.TypedResourceEventHandlerFuncs[*corev1.Pod]{
		UpdateFunc: func(old, pod *corev1.Pod) { fmt.Println("OnUpdate:", pod.Name) },
		DeleteFunc: func(deleted cache.DeletedObject[*corev1.Pod]) {
			fmt.Println("OnDelete:", deleted.GetKey(), "tombstone:", deleted.FinalStateUnknown != nil)
			gone <- struct{}{}
		},
	})
	return informer
}

// ANCHOR_END: handler

// ANCHOR: index
func byApp(informer cache.TypedSharedIndexInformer[*corev1.Pod]) {
	informer.AddTypedIndexers(cache.TypedIndexers[*corev1.Pod]{
		"app": func(pod *corev1.Pod) ([]string, error) { return []string{pod.Labels["app"]}, nil },
	})
	found, err := informer.GetTypedIndexer().ByTypedIndex("app", "wiremock")
	for _, pod := range found {
		fmt.Println("app=wiremock:", pod.Name, err) // a *corev1.Pod
	}
}

// ANCHOR_END: index
