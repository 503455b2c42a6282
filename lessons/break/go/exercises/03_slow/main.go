// Shows every pod on a dashboard, which needs some time for each change.
//
// `informer-lab break slow --in go` describes the problem, `informer-lab check slow --in go` judges the program.
package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

	"informer-lab/break/trial"
)

func main() { trial.Run(run) }

func run(ctx context.Context, t *trial.Trial) error {
	factory := informers.NewSharedInformerFactory(t.Client, 0)
	show := func(pod any) { t.Show(pod.(*corev1.Pod)) } // returns when the dashboard has shown it
	handler := cache.ResourceEventHandlerFuncs{
		AddFunc:    show,
		UpdateFunc: func(_, pod any) { show(pod) },
	}
	if _, err := factory.Core().V1().Pods().Informer().AddEventHandler(handler); err != nil {
		return err
	}
	factory.StartWithContext(ctx)
	<-ctx.Done()
	factory.Shutdown()
	return nil
}
