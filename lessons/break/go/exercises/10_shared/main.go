// Three consumers that want to know of every change of a pod.
//
// `informer-lab break shared --in go` describes the problem, `informer-lab check shared --in go` judges the program.
package main

import (
	"context"

	"k8s.io/client-go/informers"

	"informer-lab/break/trial"
)

func main() { trial.Run(run) }

func run(ctx context.Context, t *trial.Trial) error {
	for _, consumer := range []string{"metrics", "audit", "search"} {
		factory := informers.NewSharedInformerFactory(t.Client, 0)
		if _, err := factory.Core().V1().Pods().Informer().AddEventHandler(t.Handler(consumer)); err != nil {
			return err
		}
		factory.StartWithContext(ctx)
		defer factory.Shutdown()
	}
	<-ctx.Done()
	return nil
}
