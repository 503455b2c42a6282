// Command wake writes a status, which comes back as an update and wakes the controller that has written it.
package main

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	appsinformers "k8s.io/client-go/informers/apps/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

const enough = 5 // syncs of a set that wakes its controller for ever

// ANCHOR: handler
func wakes(queue workqueue.TypedInterface[string]) appsinformers.ReplicaSetHandlerFuncs {
	return appsinformers.ReplicaSetHandlerFuncs{
		AddFunc: func(set *appsv1.ReplicaSet) { queue.Add(set.Name) },
		UpdateFunc: func(old, set *appsv1.ReplicaSet) {
			if set.Name == "generation" && old.Generation == set.Generation {
				return // only the status or the metadata has changed
			}
			queue.Add(set.Name)
		},
	}
}

// ANCHOR_END: handler

// ANCHOR: sync
func sync(ctx context.Context, client kubernetes.Interface, set *appsv1.ReplicaSet, number int) error {
	message := "alive"
	if set.Name == "heartbeat" {
		message = fmt.Sprint("alive, sync ", number) // another status each time
	}
	wanted := appsv1.ReplicaSetStatus{Conditions: []appsv1.ReplicaSetCondition{{Type: "Alive", Status: "True", Message: message}}}
	if set.Name == "compare" && apiequality.Semantic.DeepEqual(set.Status, wanted) {
		fmt.Printf("%s: sync %d, the status is right, no request\n", set.Name, number)
		return nil
	}
	fmt.Printf("%s: sync %d, write the status\n", set.Name, number)
	set = set.DeepCopy() // the cache's own object stays as it is
	set.Status = wanted
	_, err := client.AppsV1().ReplicaSets(set.Namespace).UpdateStatus(ctx, set, metav1.UpdateOptions{})
	return err
}

// ANCHOR_END: sync

func main() {
	ctx := context.Background()
	client := fake.NewClientset()
	factory := informers.NewSharedInformerFactory(client, 0)
	queue := workqueue.NewTyped[string]()
	sets := factory.Apps().V1().ReplicaSets()
	sets.TypedInformer().AddTypedEventHandler(wakes(queue))
	factory.StartWithContext(ctx)
	cache.WaitFor(ctx, "", sets.Informer().HasSyncedChecker())

	syncs := map[string]int{}
	for _, name := range []string{"heartbeat", "compare", "generation"} {
		set := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, Generation: 1}}
		if _, err := client.AppsV1().ReplicaSets("default").Create(ctx, set, metav1.CreateOptions{}); err != nil {
			panic(err)
		}
		for work(ctx, client, sets, queue, syncs) {
		}
	}
}

// work handles a key. It returns false if no key comes within half a second, and for a set that has had enough.
func work(
	ctx context.Context, client kubernetes.Interface, sets appsinformers.TypedReplicaSetInformer,
	queue workqueue.TypedInterface[string], syncs map[string]int,
) bool {
	for waited := 0; queue.Len() == 0; waited++ {
		if waited == 50 {
			return false
		}
		time.Sleep(10 * time.Millisecond)
	}
	name, _ := queue.Get()
	defer queue.Done(name)
	set, err := sets.Lister().ReplicaSets("default").Get(name)
	if err != nil {
		panic(err)
	}
	syncs[name]++
	if syncs[name] > enough {
		fmt.Printf("%s: sync %d, and so on for ever\n", name, syncs[name])
		return false
	}
	if err := sync(ctx, client, set, syncs[name]); err != nil {
		panic(err)
	}
	return true
}
