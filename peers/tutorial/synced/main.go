// Command synced waits until the first list has reached the store, a quick handler and a slow one, at three times.
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
	ctx := context.Background()
	informer := cache.NewSharedInformer(pods.Source(pods.Four()...), &corev1.Pod{}, 0)
	quick, err := informer.AddEventHandler(handler("quick", 100*time.Millisecond))
	if err != nil {
		panic(err)
	}
	slow, err := informer.AddEventHandler(handler("slow", 500*time.Millisecond))
	if err != nil {
		panic(err)
	}
	go informer.RunWithContext(ctx)

	cache.WaitFor(ctx, "", informer.HasSyncedChecker()) // the store has the first list
	fmt.Println("informer synced")
	cache.WaitFor(ctx, "", quick.HasSyncedChecker()) // this handler has handled the whole list
	fmt.Println("quick synced")
	cache.WaitFor(ctx, "", slow.HasSyncedChecker())
	fmt.Println("slow synced")
}

func handler(name string, takes time.Duration) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{AddFunc: func(object any) {
		time.Sleep(takes)
		fmt.Printf("OnAdd:%s %s\n", name, object.(*corev1.Pod).Name)
	}}
}

// ANCHOR_END: main
