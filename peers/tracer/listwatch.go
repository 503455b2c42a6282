package main

// The tracer's programs that list and watch.

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// fromList and fromNowhere return the resourceVersion for the watch: that of the list, or none. Without one, the watch
// begins with an ADDED event for each pod.
func fromList(list *corev1.PodList) string { return list.ResourceVersion }
func fromNowhere(*corev1.PodList) string   { return "" }

func listWatch(from func(*corev1.PodList) string) program {
	return func(pods *cache.ListWatch) error {
		object, err := pods.List(metav1.ListOptions{})
		if err != nil {
			return err
		}
		list := object.(*corev1.PodList)
		for _, pod := range list.Items {
			fmt.Println("listed :", pod.Name, ", Status: ", pod.Status.Phase)
		}
		events, err := pods.Watch(metav1.ListOptions{ResourceVersion: from(list)})
		if err != nil {
			return err
		}
		saySynced()
		for event := range events.ResultChan() {
			pod := event.Object.(*corev1.Pod)
			fmt.Println(event.Type, ":", pod.Name, ", Status: ", pod.Status.Phase)
		}
		return fmt.Errorf("the watch ended")
	}
}
