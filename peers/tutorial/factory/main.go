// Command factory builds a SharedInformerFactory by hand: a map of informers by type.
package main

import (
	"fmt"
	"reflect"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"informer-lab/peers/tutorial/cluster"
)

// ANCHOR: factory
type myFactory struct {
	client    *kubernetes.Clientset
	informers map[reflect.Type]cache.SharedIndexInformer
}

// podInformer makes the informer of pods the first time, and remembers it.
func (f *myFactory) podInformer() cache.SharedIndexInformer {
	kind := reflect.TypeFor[*corev1.Pod]()
	if informer, made := f.informers[kind]; made {
		return informer
	}
	pods := cache.NewListWatchFromClient(f.client.CoreV1().RESTClient(), "pods", "default", fields.Everything())
	indexers := cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}
	f.informers[kind] = cache.NewSharedIndexInformer(pods, &corev1.Pod{}, 0, indexers)
	return f.informers[kind]
}

func (f *myFactory) start(stop <-chan struct{}) {
	for _, informer := range f.informers {
		go informer.Run(stop)
	}
}

// ANCHOR_END: factory

// ANCHOR: main
func main() {
	factory := &myFactory{cluster.Client(), map[reflect.Type]cache.SharedIndexInformer{}}
	factory.podInformer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(object any) { fmt.Println(object.(*corev1.Pod).Name) },
	})
	factory.start(wait.NeverStop)
	// The second call returns the same informer. One watch fills its cache for both.
	cache.WaitForCacheSync(wait.NeverStop, factory.podInformer().HasSynced)
	<-wait.NeverStop
}

// ANCHOR_END: main
