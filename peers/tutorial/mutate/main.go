// Command mutate changes an object that it got from the cache. The compiler allows it, and all other readers of the
// cache see the change.
package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	"informer-lab/peers/tutorial/pods"
)

func byApp(object any) ([]string, error) {
	return []string{object.(*corev1.Pod).Labels["app"]}, nil
}

// ANCHOR: main
func main() {
	source := pods.Source(pods.New("wiremock", "wiremock", corev1.PodRunning))
	informer := cache.NewSharedIndexInformer(source, &corev1.Pod{}, 0, cache.Indexers{"app": byApp})
	go informer.RunWithContext(context.Background())
	cache.WaitForCacheSync(nil, informer.HasSynced)
	cached := func() *corev1.Pod {
		object, _, _ := informer.GetStore().GetByKey("default/wiremock")
		return object.(*corev1.Pod)
	}

	fmt.Println("cached: ", cached().Labels["app"])
	cached().Labels["app"] = "mine" // no copy, no lock, no error
	fmt.Println("cached: ", cached().Labels["app"])
	for _, app := range []string{"mine", "wiremock"} {
		keys, _ := informer.GetIndexer().IndexKeys("app", app)
		fmt.Printf("by app:  %s=%v\n", app, keys)
	}

	copied := cached().DeepCopy() // a program must change a copy
	copied.Labels["app"] = "copy"
	fmt.Println("cached: ", cached().Labels["app"])
}

// ANCHOR_END: main
