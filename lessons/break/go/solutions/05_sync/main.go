// The pod garbage collector: it deletes pods whose node does not exist any more.
//
// `informer-lab break sync --in go` describes the problem, `informer-lab check sync --in go` judges the program.
package main

import (
	"context"
	"log"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"informer-lab/break/trial"
)

func main() { trial.Run(run) }

func run(ctx context.Context, t *trial.Trial) error {
	factory := informers.NewSharedInformerFactory(t.Client, 0)
	pods, nodes := factory.Core().V1().Pods(), factory.Core().V1().Nodes()
	queue := workqueue.NewTyped[cache.ObjectName]()
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
	nodes.Informer() // asks the factory for it
	factory.StartWithContext(ctx)
	if !cache.WaitForCacheSync(ctx.Done(), pods.Informer().HasSynced, nodes.Informer().HasSynced) {
		return nil // stopped before the caches were complete
	}

	collector := collector{t.Client, pods.Lister(), nodes.Lister()}
	go func() {
		for {
			name, shutdown := queue.Get()
			if shutdown {
				return
			}
			if err := collector.collect(ctx, name); err != nil {
				log.Print(err)
			}
			queue.Done(name)
		}
	}()
	<-ctx.Done()
	queue.ShutDown()
	factory.Shutdown()
	return nil
}

type collector struct {
	client kubernetes.Interface
	pods   corelisters.PodLister
	nodes  corelisters.NodeLister
}

// collect deletes a pod if its node does not exist.
func (c collector) collect(ctx context.Context, name cache.ObjectName) error {
	pod, err := c.pods.Pods(name.Namespace).Get(name.Name)
	if err != nil || pod.Spec.NodeName == "" {
		return nil // the pod is gone, or has no node yet
	}
	if _, err := c.nodes.Get(pod.Spec.NodeName); !apierrors.IsNotFound(err) {
		return err
	}
	now := int64(0)
	return c.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{GracePeriodSeconds: &now})
}
