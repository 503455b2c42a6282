// Keeps a load balancer in step with the cluster: every pod that exists is a backend.
//
// `informer-lab break tombstone --in go` describes the problem, `informer-lab check tombstone --in go` judges the program.
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
		if err := t.Balancer.Add(key(pod.(*corev1.Pod))); err != nil {
			log.Print(err)
		}
	}
	remove := func(deleted any) {
		key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(deleted) // a tombstone has a key too
		if err == nil {
			err = t.Balancer.Remove(key)
		}
		if err != nil {
			log.Print(err)
		}
	}
	handler := cache.ResourceEventHandlerFuncs{
		AddFunc:    add,
		UpdateFunc: func(_, pod any) { add(pod) },
		DeleteFunc: remove,
	}
	if _, err := factory.Core().V1().Pods().Informer().AddEventHandler(handler); err != nil {
		return err
	}
	factory.StartWithContext(ctx)
	<-ctx.Done()
	factory.Shutdown()
	return nil
}

func key(pod *corev1.Pod) string { return pod.Namespace + "/" + pod.Name }
