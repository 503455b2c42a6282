// Shows every pod on a dashboard, which needs some time for each change.
//
// `informer-lab break slow --in go` describes the problem, `informer-lab check slow --in go` judges the program.
package main

import (
	"context"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"informer-lab/break/trial"
)

func main() { trial.Run(run) }

func run(ctx context.Context, t *trial.Trial) error {
	factory := informers.NewSharedInformerFactory(t.Client, 0)
	pods := factory.Core().V1().Pods()
	queue := workqueue.NewTyped[cache.ObjectName]() // has each key once, however often it is added
	add := func(pod any) {
		if name, err := cache.ObjectToName(pod); err == nil {
			queue.Add(name)
		}
	}
	handler := cache.ResourceEventHandlerFuncs{
		AddFunc:    add,
		UpdateFunc: func(_, pod any) { add(pod) },
	}
	if _, err := pods.Informer().AddEventHandler(handler); err != nil {
		return err
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
		if pod, err := pods.Lister().Pods(name.Namespace).Get(name.Name); err == nil {
			t.Show(pod) // the newest state; returns when the dashboard has shown it
		}
		queue.Done(name)
	}
	factory.Shutdown()
	return nil
}
