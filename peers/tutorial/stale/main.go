// Command stale shows a controller that creates too many pods, because it counts pods in a cache that its own creations
// have not reached yet.
package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
)

// ANCHOR: main
const wanted = 1

func main() {
	ctx := context.Background()
	client := fake.NewClientset().CoreV1().Pods("default")
	informer := cache.NewSharedInformer(slow(), &corev1.Pod{}, 0) // its watch is late: no event has arrived yet
	go informer.RunWithContext(ctx)
	cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) // "synced" is about the first list, not about now

	for number := range 2 { // two events, one after the other: the controller reconciles twice
		if have := len(informer.GetStore().List()); have < wanted {
			fmt.Printf("cache: %d of %d, create web-%d\n", have, wanted, number)
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("web-", number)}}
			if _, err := client.Create(ctx, pod, metav1.CreateOptions{}); err != nil {
				panic(err)
			}
		}
	}
	list, err := client.List(ctx, metav1.ListOptions{})
	if err != nil {
		panic(err)
	}
	fmt.Printf("server: %d of %d\n", len(list.Items), wanted)
}

// ANCHOR_END: main

// slow lists nothing, and its watch sends no event. The fake clientset says that streaming lists are not supported.
func slow() cache.ListerWatcher {
	return cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
		ListFunc:  func(metav1.ListOptions) (runtime.Object, error) { return &corev1.PodList{}, nil },
		WatchFunc: func(metav1.ListOptions) (watch.Interface, error) { return watch.NewFake(), nil },
	}, fake.NewClientset())
}
