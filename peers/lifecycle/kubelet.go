package main

// The stand-in kubelet: brings pods to Running, and ends deleted ones.

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/util/retry"
	"k8s.io/utils/ptr"
)

// kubelet binds pods, runs them, and ends them. Each pod enters each of the two stages, create and delete, once.
type kubelet struct {
	pods typedcorev1.PodInterface
	// stage is the stage that each pod has entered last.
	stage map[types.UID]string
}

// write makes one change to the pod with this name.
type write func(ctx context.Context, name string) error

// see starts the stage that the state of a pod calls for.
func (k kubelet) see(ctx context.Context, pod *corev1.Pod) {
	switch {
	case pod.DeletionTimestamp != nil:
		k.enter(ctx, pod, "delete", k.takeDown(pod.UID))
	case pod.Spec.NodeName == "":
		k.enter(ctx, pod, "create", k.bringUp())
	}
}

// enter makes the writes of a stage, with a pause before each, unless the pod has entered the stage already.
func (k kubelet) enter(ctx context.Context, pod *corev1.Pod, stage string, writes []write) {
	if k.stage[pod.UID] == stage {
		return
	}
	k.stage[pod.UID] = stage
	go func() {
		for _, write := range writes {
			time.Sleep(*step)
			if err := write(ctx, pod.Name); err != nil {
				if ctx.Err() == nil {
					fmt.Fprintln(os.Stderr, "lifecycle:", stage, pod.Name, err)
				}
				return
			}
		}
	}()
}

// bringUp returns writes that cause three MODIFIED events with the phase Pending and one with Running.
func (k kubelet) bringUp() []write {
	return []write{k.bind, k.status(creating), k.annotate("198.51.100.7/32"), k.status(started)}
}

// takeDown returns the writes that follow the first MODIFIED event of a deletion. The last of them, remove, causes the
// last MODIFIED event and DELETED.
func (k kubelet) takeDown(uid types.UID) []write {
	writes := []write{k.status(stopped), k.annotate("")}
	return append(writes[:*terminating-2], k.remove(uid))
}

func (k kubelet) bind(ctx context.Context, name string) error {
	return k.pods.Bind(ctx, &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace},
		Target:     corev1.ObjectReference{Kind: "Node", Name: "node-1"},
	}, metav1.CreateOptions{})
}

// status returns a write of the pod's status, changed by the function.
func (k kubelet) status(change func(*corev1.Pod)) write {
	return func(ctx context.Context, name string) error {
		// A deletion while the pod is being brought up makes both stages write the pod.
		return retry.RetryOnConflict(retry.DefaultRetry, func() error {
			pod, err := k.pods.Get(ctx, name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			change(pod)
			_, err = k.pods.UpdateStatus(ctx, pod, metav1.UpdateOptions{})
			return err
		})
	}
}

// annotate returns a write of the pod's address into an annotation, as network plugins do it.
func (k kubelet) annotate(ip string) write {
	return func(ctx context.Context, name string) error {
		annotations := map[string]string{"cni.example.com/podIP": ip}
		patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": annotations}})
		if err != nil {
			return err
		}
		_, err = k.pods.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
		return err
	}
}

// remove returns a write that ends the pod: the API server sets deletionGracePeriodSeconds to 0 (MODIFIED) and then
// removes it (DELETED).
func (k kubelet) remove(uid types.UID) write {
	return func(ctx context.Context, name string) error {
		return k.pods.Delete(ctx, name, metav1.DeleteOptions{
			GracePeriodSeconds: ptr.To[int64](0),
			Preconditions:      &metav1.Preconditions{UID: &uid},
		})
	}
}
