// Command definition ends an informer whose resource the API server does not serve any more.
package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

func main() {
	widgets := schema.GroupResource{Group: "example.com", Resource: "widgets"}
	undefined := &cache.ListWatch{
		ListFunc:  func(metav1.ListOptions) (runtime.Object, error) { return nil, apierrors.NewNotFound(widgets, "") },
		WatchFunc: func(metav1.ListOptions) (watch.Interface, error) { return nil, apierrors.NewNotFound(widgets, "") },
	}
	informer := cache.NewSharedIndexInformer(undefined, &corev1.Pod{}, 0, cache.Indexers{})
	untilUndefined(informer)
	fmt.Println("stopped:", informer.IsStopped())
}

// ANCHOR: until
// untilUndefined runs an informer until the API server answers 404, because no definition has its resource.
func untilUndefined(informer cache.SharedIndexInformer) {
	ctx, stop := context.WithCancel(context.Background())
	informer.SetWatchErrorHandlerWithContext(func(ctx context.Context, reflector *cache.Reflector, err error) {
		if apierrors.IsNotFound(err) {
			fmt.Println("the definition is gone")
			stop() // otherwise the informer asks again for ever
			return
		}
		cache.DefaultWatchErrorHandler(ctx, reflector, err)
	})
	informer.RunWithContext(ctx)
}

// ANCHOR_END: until
