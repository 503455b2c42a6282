// Keeps a load balancer in step with the cluster. The load balancer is down now and then; a resync every second makes up
// for it.
//
// `informer-lab break resync --in go` describes the problem, `informer-lab check resync --in go` judges the program.
package main

import (
	"context"
	"log"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

	"informer-lab/break/trial"
)

func main() { trial.Run(run) }

func run(ctx context.Context, t *trial.Trial) error {
	factory := informers.NewSharedInformerFactory(t.Client, time.Second)
	call := func(change func(backend string) error) func(any) {
		return func(object any) {
			key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(object)
			if err == nil {
				err = change(key)
			}
			if err != nil {
				log.Printf("%s: %v; the next resync brings it again", key, err)
			}
		}
	}
	add, remove := call(t.Balancer.Add), call(t.Balancer.Remove)
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
