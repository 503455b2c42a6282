// Keeps a load balancer in step with the cluster. If the load balancer is down, the change is tried again later.
//
// `informer-lab break resync --in go` describes the problem, `informer-lab check resync --in go` judges the program.
package main

import (
	"context"
	"log"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"informer-lab/break/trial"
)

func main() { trial.Run(run) }

func run(ctx context.Context, t *trial.Trial) error {
	factory := informers.NewSharedInformerFactory(t.Client, 0)
	pods := factory.Core().V1().Pods()
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName]())
	add := func(object any) {
		if name, err := cache.DeletionHandlingObjectToName(object); err == nil {
			queue.Add(name)
		}
	}
	handler := cache.ResourceEventHandlerFuncs{
		AddFunc:    add,
		UpdateFunc: func(_, pod any) { add(pod) },
		DeleteFunc: add,
	}
	if _, err := pods.Informer().AddEventHandler(handler); err != nil {
		return err
	}
	// follow makes the load balancer like the cache, whatever has happened to the pod.
	follow := func(name cache.ObjectName) error {
		_, err := pods.Lister().Pods(name.Namespace).Get(name.Name)
		if apierrors.IsNotFound(err) {
			return t.Balancer.Remove(name.String())
		}
		return t.Balancer.Add(name.String())
	}
	factory.StartWithContext(ctx)
	go func() {
		<-ctx.Done()
		queue.ShutDown()
	}()
	for {
		name, shutdown := queue.Get()
		if shutdown {
			break
		}
		if err := follow(name); err == nil {
			queue.Forget(name)
		} else {
			log.Printf("%s: %v; the queue brings it again", name, err)
			queue.AddRateLimited(name) // with a growing delay, even if the pod is gone
		}
		queue.Done(name)
	}
	factory.Shutdown()
	return nil
}
