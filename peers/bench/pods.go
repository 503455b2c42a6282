package main

// Pods for the benchmarks.

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// manyPods returns pods in the namespace default that have only a name: pod-0, pod-1 and so on.
func manyPods(number int) []*corev1.Pod {
	pods := make([]*corev1.Pod, number)
	for n := range pods {
		pods[n] = &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("pod-%d", n), Namespace: "default"}}
	}
	return pods
}
