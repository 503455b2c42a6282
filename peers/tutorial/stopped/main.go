// Command stopped ends one of two informers.
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
	source := pods.Source(pods.Four()...)
	first, second := cache.NewSharedInformer(source, &corev1.Pod{}, 0), cache.NewSharedInformer(source, &corev1.Pod{}, 0)
	all := context.Background()
	go first.RunWithContext(all)

	own, stop := context.WithCancel(all) // the second informer has a context of its own
	ended := make(chan struct{})
	go func() {
		second.RunWithContext(own)
		close(ended)
	}()
	cache.WaitFor(all, "", first.HasSyncedChecker(), second.HasSyncedChecker())
	stop()
	<-ended

	source.Add(pods.New("nettool", "nettool", corev1.PodRunning))
	for len(first.GetStore().List()) < 5 {
		time.Sleep(time.Millisecond)
	}
	fmt.Println("first: ", first.IsStopped(), len(first.GetStore().List()))
	fmt.Println("second:", second.IsStopped(), len(second.GetStore().List()), second.HasSynced())
	_, err := second.AddEventHandler(cache.ResourceEventHandlerFuncs{})
	fmt.Println("a new handler is an error:", err != nil)
	second.RunWithContext(all) // only logs a warning, and returns
}

// ANCHOR_END: main
