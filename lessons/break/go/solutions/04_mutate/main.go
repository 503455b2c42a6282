// Two handlers: one logs every pod without its passwords, the other raises an alarm for a pod that has no password.
//
// `informer-lab break mutate --in go` describes the problem, `informer-lab check mutate --in go` judges the program.
package main

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

	"informer-lab/break/trial"
)

func main() { trial.Run(run) }

func run(ctx context.Context, t *trial.Trial) error {
	factory := informers.NewSharedInformerFactory(t.Client, 0)
	logPod := func(object any) {
		pod := object.(*corev1.Pod).DeepCopy() // this handler's own copy
		for i := range pod.Spec.Containers {
			pod.Spec.Containers[i].Env = nil // a log must not contain passwords
		}
		spec, _ := json.Marshal(pod.Spec)
		fmt.Printf("%s: %s\n", key(pod), spec)
	}
	guard := func(object any) {
		pod := object.(*corev1.Pod)
		if t.NeedsPassword(key(pod)) && !hasPassword(pod) {
			t.Alarm(key(pod) + " has no password")
		}
	}
	for _, handle := range []func(any){logPod, guard} {
		handler := cache.ResourceEventHandlerFuncs{AddFunc: handle}
		if _, err := factory.Core().V1().Pods().Informer().AddEventHandler(handler); err != nil {
			return err
		}
	}
	factory.StartWithContext(ctx)
	<-ctx.Done()
	factory.Shutdown()
	return nil
}

func hasPassword(pod *corev1.Pod) bool {
	for _, container := range pod.Spec.Containers {
		for _, variable := range container.Env {
			if variable.Name == "PASSWORD" {
				return true
			}
		}
	}
	return false
}

func key(pod *corev1.Pod) string { return pod.Namespace + "/" + pod.Name }
