// Command indexer finds pods by a label, and prints the index itself.
package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// ANCHOR: functions
// key returns the key of an object in the store. It may be any unique text.
func key(pod *corev1.Pod) string { return pod.Namespace + "---" + pod.Name }

// byApp returns the values by which the index finds an object.
func byApp(object any) ([]string, error) {
	return []string{object.(*corev1.Pod).Labels["app"]}, nil
}

// ANCHOR_END: functions

// ANCHOR: main
func main() {
	// cache.NewIndexer hides its indices. The store that it uses takes them as an argument, so they can be printed.
	indices := cache.Indices{}
	store := cache.NewThreadSafeStore(cache.Indexers{"app": byApp}, indices)
	for _, pod := range []*corev1.Pod{
		{ObjectMeta: metav1.ObjectMeta{Namespace: "ns1", Name: "pod1", Labels: map[string]string{"app": "l1"}}},
		{ObjectMeta: metav1.ObjectMeta{Namespace: "ns2", Name: "pod2", Labels: map[string]string{"app": "l2"}}},
	} {
		store.Add(key(pod), pod)
	}

	fmt.Println(indices)
	fmt.Println(store.IndexKeys("app", "l1"))
}

// ANCHOR_END: main
