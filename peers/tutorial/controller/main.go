// Command controller keeps as many pods as a ReplicaSet asks for: factory, handlers, work queue, workers.
package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	appslisters "k8s.io/client-go/listers/apps/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// ANCHOR: controller
type controller struct {
	client kubernetes.Interface
	sets   appslisters.ReplicaSetLister
	pods   corelisters.PodLister
	queue  workqueue.TypedRateLimitingInterface[string]
	// expected counts the creations and deletions, by set, that the cache does not show yet.
	expected map[string]int
	mutex    sync.Mutex
	made     int // for the pods' names
}

func run(ctx context.Context, client kubernetes.Interface, factory informers.SharedInformerFactory) *controller {
	sets, pods := factory.Apps().V1().ReplicaSets(), factory.Core().V1().Pods()
	limiter := workqueue.DefaultTypedControllerRateLimiter[string]()
	c := &controller{
		client: client, sets: sets.Lister(), pods: pods.Lister(),
		queue: workqueue.NewTypedRateLimitingQueue(limiter), expected: map[string]int{},
	}
	sets.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    c.enqueue,
		UpdateFunc: func(_, object any) { c.enqueue(object) }, // a resync calls it too, so that every set is checked again
	})
	pods.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    c.enqueueOwner,
		DeleteFunc: c.enqueueOwner,
	})
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done()) // a worker must not count in an incomplete cache
	go c.work(ctx)                       // one worker, because newPod counts without a lock; the queue allows more
	return c
}

func (c *controller) enqueue(object any) {
	if key, err := cache.MetaNamespaceKeyFunc(object); err == nil {
		c.queue.Add(key)
	}
}

// enqueueOwner adds the key of the set that owns a pod. The key says which set to check, and not what has happened.
func (c *controller) enqueueOwner(object any) {
	if tombstone, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = tombstone.Obj
	}
	if pod, ok := object.(*corev1.Pod); ok {
		if owner := metav1.GetControllerOf(pod); owner != nil {
			key := pod.Namespace + "/" + owner.Name
			c.expect(key, -1)
			c.queue.Add(key)
		}
	}
}

func (c *controller) work(ctx context.Context) {
	for {
		key, shutDown := c.queue.Get()
		if shutDown {
			return
		}
		if err := c.sync(ctx, key); err != nil {
			c.queue.AddRateLimited(key)
		} else {
			c.queue.Forget(key)
		}
		c.queue.Done(key)
	}
}

// ANCHOR_END: controller

// ANCHOR: sync
// expect adds to the number of writes that the cache does not show yet, and returns the new number.
func (c *controller) expect(key string, more int) int {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.expected[key] = max(0, c.expected[key]+more)
	return c.expected[key]
}

// sync counts the pods of a set, and creates those that are missing or deletes those that are too many.
func (c *controller) sync(ctx context.Context, key string) error {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return nil // a key that can never be read is not tried again
	}
	set, err := c.sets.ReplicaSets(namespace).Get(name)
	if err != nil {
		return nil // the set is gone
	}
	if c.expect(key, 0) > 0 {
		return nil // the cache does not show the controller's own writes yet; the event of a write adds the key again
	}
	owned, err := c.pods.Pods(namespace).List(labels.SelectorFromSet(set.Spec.Selector.MatchLabels))
	if err != nil {
		return err
	}
	wanted, api := int(*set.Spec.Replicas), c.client.CoreV1().Pods(namespace)
	switch have := len(owned); {
	case have < wanted:
		fmt.Printf("%s: %d of %d pods, create %d\n", key, have, wanted, wanted-have)
		c.expect(key, wanted-have) // before the first request: its event may be quicker than the answer
		for left := wanted - have; left > 0; left-- {
			if _, err := api.Create(ctx, c.newPod(set), metav1.CreateOptions{}); err != nil {
				c.expect(key, -left)
				return err
			}
		}
	case have > wanted:
		fmt.Printf("%s: %d of %d pods, delete %d\n", key, have, wanted, have-wanted)
		c.expect(key, have-wanted)
		for n, pod := range owned[wanted:] {
			if err := api.Delete(ctx, pod.Name, metav1.DeleteOptions{}); err != nil {
				c.expect(key, n-(have-wanted))
				return err
			}
		}
	}
	return nil
}

// ANCHOR_END: sync

func (c *controller) newPod(set *appsv1.ReplicaSet) *corev1.Pod {
	c.made++
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Name:            fmt.Sprint(set.Name, "-", c.made),
		Namespace:       set.Namespace,
		Labels:          set.Spec.Template.Labels,
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(set, appsv1.SchemeGroupVersion.WithKind("ReplicaSet"))},
	}}
}

func main() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	client := fake.NewClientset()
	c := run(ctx, client, informers.NewSharedInformerFactory(client, 30*time.Second))
	defer c.queue.ShutDown()

	sets, pods := client.AppsV1().ReplicaSets("default"), client.CoreV1().Pods("default")
	eventually := func(count int, newest string) {
		must(nil, wait.PollUntilContextTimeout(ctx, time.Millisecond, 10*time.Second, true, func(context.Context) (bool, error) {
			list, err := pods.List(ctx, metav1.ListOptions{})
			named := func(pod corev1.Pod) bool { return pod.Name == newest }
			return err == nil && len(list.Items) == count && (newest == "" || slices.ContainsFunc(list.Items, named)), err
		}))
	}
	must(sets.Create(ctx, webOf(3), metav1.CreateOptions{}))
	eventually(3, "web-3")
	must(nil, pods.Delete(ctx, "web-1", metav1.DeleteOptions{}))
	eventually(3, "web-4")
	must(sets.Update(ctx, webOf(5), metav1.UpdateOptions{}))
	eventually(5, "web-6")
	must(sets.Update(ctx, webOf(2), metav1.UpdateOptions{}))
	eventually(2, "")
}

func webOf(replicas int32) *appsv1.ReplicaSet {
	app := map[string]string{"app": "web"}
	return &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web", UID: "1"},
		Spec: appsv1.ReplicaSetSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: app},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: app}},
		},
	}
}

func must(_ any, err error) {
	if err != nil {
		panic(err)
	}
}
