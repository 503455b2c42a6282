// Command memory keeps whole pods, transformed pods, and only the metadata of pods.
package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/metadata"
	metadatafake "k8s.io/client-go/metadata/fake"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/cache"

	"informer-lab/peers/tutorial/pods"
)

// ANCHOR: transform
// transformed makes a factory whose informers drop what the program does not read, before the queue gets the object.
func transformed(client kubernetes.Interface) informers.SharedInformerFactory {
	return informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTransform(func(object any) (any, error) {
		if pod, ok := object.(*corev1.Pod); ok { // also called for a tombstone's object, and perhaps twice
			pod.ManagedFields = nil
			pod.Status = corev1.PodStatus{}
		}
		return object, nil
	}))
}

// metadataOnly makes an informer that asks the API server for metadata. The server removes spec and status.
func metadataOnly(client metadata.Interface) cache.SharedIndexInformer {
	factory := metadatainformer.NewSharedInformerFactory(client, 0)
	return factory.ForResource(corev1.SchemeGroupVersion.WithResource("pods")).Informer()
}

// ANCHOR_END: transform

func main() {
	pod := pods.New("wiremock", "wiremock", corev1.PodRunning)
	pod.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubectl"}}
	pod.Spec.NodeName = "node-1"

	whole := informers.NewSharedInformerFactory(fake.NewClientset(pod.DeepCopy()), 0).Core().V1().Pods().Informer()
	show("whole", first(whole).(*corev1.Pod))
	small := transformed(fake.NewClientset(pod.DeepCopy())).Core().V1().Pods().Informer()
	show("transform", first(small).(*corev1.Pod))

	partial := &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: pod.ObjectMeta}
	scheme := runtime.NewScheme()
	if err := metav1.AddMetaToScheme(scheme); err != nil {
		panic(err)
	}
	metadata := first(metadataOnly(metadatafake.NewSimpleMetadataClient(scheme, partial))).(*metav1.PartialObjectMetadata)
	fmt.Println("metadata only: app =", metadata.Labels["app"])
}

func first(informer cache.SharedIndexInformer) any {
	ctx := context.Background()
	go informer.RunWithContext(ctx)
	cache.WaitFor(ctx, "", informer.HasSyncedChecker())
	return informer.GetStore().List()[0]
}

func show(name string, pod *corev1.Pod) {
	fmt.Printf("%s: node %s, phase %q, managers %d\n", name, pod.Spec.NodeName, pod.Status.Phase, len(pod.ManagedFields))
}
