// Command listwatch lists the pods once, and then watches them without naming a version.
package main

import (
	"fmt"
	"log"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"informer-lab/peers/tutorial/cluster"
)

// ANCHOR: main
func main() {
	pods := cluster.Pods()

	list, err := pods.List(metav1.ListOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for _, pod := range list.(*corev1.PodList).Items {
		fmt.Println(pod.Name)
	}

	watcher, err := pods.Watch(metav1.ListOptions{}) // without a ResourceVersion, it begins with the existing pods
	if err != nil {
		log.Fatal(err)
	}
	for event := range watcher.ResultChan() {
		pod := event.Object.(*corev1.Pod)
		fmt.Println(event.Type, ":", pod.Name, ", Status: ", pod.Status.Phase)
	}
}

// ANCHOR_END: main
