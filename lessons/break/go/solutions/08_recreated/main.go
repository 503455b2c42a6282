// Keeps a load balancer in step with the cluster. A backend is a pod's uid, so that a pod of the same name is another
// backend.
//
// `informer-lab break recreated --in go` describes the problem, `informer-lab check recreated --in go` judges the program.
package main

import (
	"context"
	"log"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

	"informer-lab/break/trial"
)

func main() { trial.Run(run) }

func run(ctx context.Context, t *trial.Trial) error {
	factory := informers.NewSharedInformerFactory(t.Client, 0)
	add := func(pod any) {
		if err := t.Balancer.Add(uid(pod)); err != nil {
			log.Print(err)
		}
	}
	remove := func(pod any) {
		if err := t.Balancer.Remove(uid(pod)); err != nil {
			log.Print(err)
		}
	}
	handler := cache.ResourceEventHandlerFuncs{
		AddFunc: add,
		UpdateFunc: func(old, pod any) {
			if uid(old) != uid(pod) {
				remove(old) // no event reports the end of the old pod
				add(pod)
			}
		},
		DeleteFunc: func(deleted any) {
			if tombstone, ok := deleted.(cache.DeletedFinalStateUnknown); ok {
				deleted = tombstone.Obj
			}
			remove(deleted)
		},
	}
	if _, err := factory.Core().V1().Pods().Informer().AddEventHandler(handler); err != nil {
		return err
	}
	factory.StartWithContext(ctx)
	<-ctx.Done()
	factory.Shutdown()
	return nil
}

func uid(pod any) string { return string(pod.(*corev1.Pod).UID) }
