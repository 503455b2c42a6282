// Keeps a load balancer in step with the cluster, with one list and one watch: first every pod that exists, then every
// change.
//
// `informer-lab break gap --in go` describes the problem, `informer-lab check gap --in go` judges the program.
package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"informer-lab/break/trial"
)

func main() { trial.Run(run) }

func run(ctx context.Context, t *trial.Trial) error {
	pods := t.Client.CoreV1().Pods("default")

	list, err := pods.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, pod := range list.Items {
		if err := t.Balancer.Add(key(&pod)); err != nil { // takes some time
			return err
		}
	}

	// Every change since the list.
	watcher, err := pods.Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	if err != nil {
		return err
	}
	for event := range watcher.ResultChan() {
		switch event.Type {
		case watch.Added, watch.Modified:
			err = t.Balancer.Add(key(event.Object.(*corev1.Pod)))
		case watch.Deleted:
			err = t.Balancer.Remove(key(event.Object.(*corev1.Pod)))
		case watch.Error:
			err = apierrors.FromObject(event.Object)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func key(pod *corev1.Pod) string { return pod.Namespace + "/" + pod.Name }
