// Command selector watches only the pods with a label. A pod that loses the label is deleted for its handlers.
package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"

	"informer-lab/peers/tutorial/cluster"
)

// ANCHOR: main
func main() {
	ctx, client := context.Background(), cluster.Client()
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace("default"),
		informers.WithTweakListOptions(func(options *metav1.ListOptions) { options.LabelSelector = "app=wiremock" }))
	factory.Core().V1().Pods().TypedInformer().AddTypedEventHandler(coreinformers.PodHandlerFuncs{
		AddFunc: func(pod *corev1.Pod) { fmt.Println("OnAdd:   ", pod.Name, text(pod)) },
		DeleteFunc: func(deleted coreinformers.DeletedPod) {
			fmt.Println("OnDelete:", deleted.GetName(), text(deleted.OptionalObj))
			if pod, err := client.CoreV1().Pods("default").Get(ctx, deleted.GetName(), metav1.GetOptions{}); err == nil {
				fmt.Println("  server:", pod.Name, text(pod)) // it still exists
			} else {
				fmt.Println("  server:", err)
			}
		},
	})
	factory.StartWithContext(ctx)
	<-ctx.Done()
}

// ANCHOR_END: main

func text(pod *corev1.Pod) string {
	return metav1.FormatLabelSelector(metav1.SetAsLabelSelector(pod.Labels))
}
