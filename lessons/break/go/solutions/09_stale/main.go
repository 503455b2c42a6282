// A controller that looks every second whether there are three pods, and creates those that are missing.
//
// `informer-lab break stale --in go` describes the problem, `informer-lab check stale --in go` judges the program.
package main

import (
	"context"
	"log"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"

	"informer-lab/break/trial"
)

const wanted = 3

func main() { trial.Run(run) }

func run(ctx context.Context, t *trial.Trial) error {
	factory := informers.NewSharedInformerFactory(t.Client, 0)
	pods := factory.Core().V1().Pods()
	synced := pods.Informer().HasSynced
	factory.StartWithContext(ctx)
	if !cache.WaitForCacheSync(ctx.Done(), synced) {
		return nil
	}
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		if err := reconcile(ctx, t.Client, pods.Lister().Pods("default")); err != nil {
			log.Print(err)
		}
	}, time.Second)
	factory.Shutdown()
	return nil
}

// reconcile creates the pods that are missing.
func reconcile(ctx context.Context, client kubernetes.Interface, pods corelisters.PodNamespaceLister) error {
	existing, err := pods.List(labels.Everything())
	if err != nil {
		return err
	}
	for range wanted - len(existing) {
		created, err := client.CoreV1().Pods("default").Create(ctx, web(), metav1.CreateOptions{})
		if err != nil {
			return err
		}
		// Waits until the cache has the new pod, before the pods are counted again.
		isCached := func(context.Context) (bool, error) {
			_, err := pods.Get(created.Name)
			return err == nil, nil
		}
		if err := wait.PollUntilContextTimeout(ctx, 10*time.Millisecond, time.Minute, true, isCached); err != nil {
			return err
		}
	}
	return nil
}

// web returns a new pod to create. The server generates the end of its name.
func web() *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "web-"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "nginx"}}},
	}
}
