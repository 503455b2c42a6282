package main

// The subresource pods/binding, which assigns a pod to a node.

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	genericregistry "k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage"
	storeerr "k8s.io/apiserver/pkg/storage/errors"

	"informer-lab/peers/apiserver/core"
)

// bindingStore serves pods/binding for the scheduler: one write sets the node and the PodScheduled condition.
type bindingStore struct{ store *genericregistry.Store }

func (r bindingStore) New() runtime.Object { return &corev1.Binding{} }
func (r bindingStore) Destroy()            {}

func (r bindingStore) Create(ctx context.Context, name string, object runtime.Object, _ rest.ValidateObjectFunc, options *metav1.CreateOptions) (runtime.Object, error) {
	key, err := r.store.KeyFunc(ctx, name)
	if err != nil {
		return nil, err
	}
	bind := storage.SimpleUpdate(func(current runtime.Object) (runtime.Object, error) {
		return bound(current.(*core.Pod), object.(*corev1.Binding).Target.Name)
	})
	if err := r.store.Storage.GuaranteedUpdate(ctx, key, r.store.New(), false, nil, bind, len(options.DryRun) > 0, nil); err != nil {
		err = storeerr.InterpretUpdateError(storeerr.InterpretGetError(err, corev1.Resource("pods"), name), corev1.Resource("pods"), name)
		if errors.ReasonForError(err) == metav1.StatusReasonUnknown { // the errors of bound, as in kube-apiserver
			err = errors.NewConflict(corev1.Resource("pods/binding"), name, err)
		}
		return nil, err
	}
	return &metav1.Status{Status: metav1.StatusSuccess, Code: 201}, nil
}

// bound returns the pod with the node, or an error if the pod cannot be assigned.
func bound(pod *core.Pod, node string) (runtime.Object, error) {
	if pod.DeletionTimestamp != nil {
		return nil, fmt.Errorf("pod %s is being deleted, cannot be assigned to a host", pod.Name)
	}
	if pod.Spec.NodeName != "" {
		return nil, fmt.Errorf("pod %v is already assigned to node %q", pod.Name, pod.Spec.NodeName)
	}
	pod.Spec.NodeName = node
	scheduled := corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now()}
	pod.Status.Conditions = append(pod.Status.Conditions, scheduled)
	return pod, nil
}
