// Command late adds a handler to an informer that has been running for a while, beside a slow one.
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
	source := pods.Source(pods.Four()...)
	informer := cache.NewSharedInformer(source, &corev1.Pod{}, 0)
	informer.AddEventHandler(handler("quick", 0))
	slow, err := informer.AddEventHandler(handler("slow", 350*time.Millisecond))
	if err != nil {
		panic(err)
	}
	go informer.RunWithContext(ctx)

	// The store is filled within milliseconds. The slow handler has a buffer of its own, and is done after 1.4 seconds.
	cache.WaitFor(ctx, "", slow.HasSyncedChecker())
	source.Add(pods.New("nettool", "nettool", corev1.PodPending))
	time.Sleep(time.Second)

	late, err := informer.AddEventHandler(handler("late", 0))
	if err != nil {
		panic(err)
	}
	cache.WaitFor(ctx, "", late.HasSyncedChecker())
}

func handler(name string, takes time.Duration) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(object any, isInInitialList bool) {
			time.Sleep(takes)
			initial := ""
			if isInInitialList {
				initial = " (initial)"
			}
			fmt.Printf("OnAdd:%s %s%s\n", name, object.(*corev1.Pod).Name, initial)
		},
	}
}

// ANCHOR_END: main
