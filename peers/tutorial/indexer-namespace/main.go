// Command indexer-namespace finds pods by their namespace, with client-go's own index function.
package main

import (
	"fmt"
	"log"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// ANCHOR: main
func main() {
	indexers := cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, indexers)
	indexer.Add(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns1", Name: "pod1"}})
	indexer.Add(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns2", Name: "pod2"}})

	keys, err := indexer.IndexKeys(cache.NamespaceIndex, "ns1")
	if err != nil {
		log.Fatal(err)
	}
	for _, key := range keys {
		_, exists, err := indexer.GetByKey(key)
		fmt.Println(key, exists, err)
	}
}

// ANCHOR_END: main
