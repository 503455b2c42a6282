// Command forbidden runs an informer that may not list, and later may.
package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"

	"informer-lab/peers/tutorial/pods"
)

func main() {
	client := fake.NewClientset(pods.New("wiremock", "wiremock", corev1.PodRunning))
	var allowed atomic.Bool
	client.PrependReactor("list", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
		if allowed.Load() {
			return false, nil, nil
		}
		return true, nil, apierrors.NewForbidden(corev1.Resource("pods"), "", fmt.Errorf("ada has no role"))
	})
	run(informers.NewSharedInformerFactory(client, 0).Core().V1().Pods().Informer(), &allowed)
}

// ANCHOR: run
func run(informer cache.SharedIndexInformer, allowed *atomic.Bool) {
	var first sync.Once // the informer tries again and again, and each time the handler gets the error
	informer.SetWatchErrorHandlerWithContext(func(ctx context.Context, _ *cache.Reflector, err error) {
		first.Do(func() { fmt.Println("forbidden:", apierrors.IsForbidden(err)) })
	})
	ctx := context.Background()
	go informer.RunWithContext(ctx)

	aSecond, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	fmt.Println("synced within a second:", cache.WaitFor(aSecond, "", informer.HasSyncedChecker()))
	allowed.Store(true)
	fmt.Println("synced:", cache.WaitFor(ctx, "", informer.HasSyncedChecker()))
}

// ANCHOR_END: run
