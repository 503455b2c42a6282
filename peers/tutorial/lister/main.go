// Command lister reads from the cache of a factory's informer: no request leaves the program.
package main

import (
	"context"
	"fmt"
	"log"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"

	"informer-lab/peers/tutorial/pods"
)

// ANCHOR: main
func main() {
	var objects []runtime.Object
	for _, pod := range pods.Four() {
		objects = append(objects, pod)
	}
	client := fake.NewClientset(objects...)

	factory := informers.NewSharedInformerFactory(client, 0)
	lister := factory.Core().V1().Pods().Lister() // asks the factory for the informer as well
	factory.Start(context.Background().Done())
	factory.WaitForCacheSync(context.Background().Done())
	requests := len(client.Actions())

	pod, err := lister.Pods("default").Get("wiremock-84d49c989c-zg4ls")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("get:", pod.Name)

	_, err = lister.Pods("default").Get("nettool")
	fmt.Println("not found:", apierrors.IsNotFound(err))

	selected, err := lister.List(labels.SelectorFromSet(labels.Set{"app": "robusta-runner"}))
	if err != nil {
		log.Fatal(err)
	}
	for _, pod := range selected {
		fmt.Println("selected:", pod.Name)
	}

	all, err := lister.List(labels.Everything())
	if err != nil {
		log.Fatal(err)
	}
	names := []string{}
	for _, pod := range all {
		names = append(names, pod.Name)
	}
	slices.Sort(names) // a lister promises no order
	fmt.Println("all:", names)
	fmt.Println("requests meanwhile:", len(client.Actions())-requests)
}

// ANCHOR_END: main
