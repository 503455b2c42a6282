// Command indexer-misnamed asks an index by label for a namespace, because of the index's name.
package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// ANCHOR: main
func main() {
	byApp := func(object any) ([]string, error) { return []string{object.(*corev1.Pod).Labels["app"]}, nil }
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{"namespace": byApp})
	for _, pod := range []*corev1.Pod{
		{ObjectMeta: metav1.ObjectMeta{Namespace: "ns1", Name: "pod1", Labels: map[string]string{"app": "l1"}}},
		{ObjectMeta: metav1.ObjectMeta{Namespace: "ns2", Name: "pod2", Labels: map[string]string{"app": "l2"}}},
	} {
		indexer.Add(pod)
	}
	fmt.Println(indexer.IndexKeys("namespace", "ns1"))
	fmt.Println(indexer.IndexKeys("namespace", "l1"))
}

// ANCHOR_END: main
