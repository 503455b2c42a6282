// A shared informer over list and watch, put together by hand as in the tutorials' documents.
//
// `informer-lab break updates --in go` describes the problem, `informer-lab check updates --in go` judges the program.
package main

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/tools/cache"

	"informer-lab/break/trial"
)

func main() { trial.Run(run) }

func run(ctx context.Context, t *trial.Trial) error {
	store := cache.NewStore(cache.MetaNamespaceKeyFunc)
	queue := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{
		KeyFunction:  cache.MetaNamespaceKeyFunc,
		KnownObjects: store,
	})
	pods := cache.NewListWatchFromClient(t.Client.CoreV1().RESTClient(), "pods", "default", fields.Everything())
	reflector := cache.NewReflector(pods, &corev1.Pod{}, queue, 0)
	handler := t.Handler("handler")

	go func() {
		reflector.RunWithContext(ctx)
		queue.Close()
	}()
	for {
		_, err := queue.Pop(func(popped any, initial bool) error {
			return handle(store, handler, popped.(cache.Deltas), initial)
		})
		if errors.Is(err, cache.ErrFIFOClosed) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// handle changes the store first, then notifies the handler.
func handle(store cache.Store, handler cache.ResourceEventHandler, deltas cache.Deltas, initial bool) error {
	for _, delta := range deltas {
		switch delta.Type {
		case cache.Sync, cache.Replaced, cache.Added:
			if err := store.Add(delta.Object); err != nil {
				return err
			}
			handler.OnAdd(delta.Object, initial)
		case cache.Updated:
			if old, exists, err := store.Get(delta.Object); err == nil && exists {
				if err := store.Update(delta.Object); err != nil {
					return err
				}
				handler.OnUpdate(old, delta.Object)
			}
		case cache.Deleted:
			if err := store.Delete(delta.Object); err != nil {
				return err
			}
			handler.OnDelete(delta.Object)
		}
	}
	return nil
}
