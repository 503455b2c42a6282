package main

// The strategies of pods, which are deleted gracefully.

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"informer-lab/peers/apiserver/core"
)

// graceful is a strategy whose objects stay for their grace period after a deletion.
type graceful struct{ strategy }

// CheckGracefulDelete implements rest.RESTGracefulDeleteStrategy, as kube-apiserver does for pods.
func (graceful) CheckGracefulDelete(_ context.Context, object runtime.Object, options *metav1.DeleteOptions) bool {
	if options == nil {
		return false
	}
	pod := object.(*core.Pod)
	period := int64(0)
	if options.GracePeriodSeconds != nil {
		period = *options.GracePeriodSeconds
	} else if pod.Spec.TerminationGracePeriodSeconds != nil {
		period = *pod.Spec.TerminationGracePeriodSeconds
	}
	if pod.Spec.NodeName == "" || pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded {
		period = 0 // not scheduled, or terminated: no kubelet would finish the deletion
	}
	if period < 0 {
		period = 1
	}
	options.GracePeriodSeconds = &period
	return true
}

func podStrategy(scheme *runtime.Scheme) graceful {
	s := newStrategy(scheme)
	s.covered = changeAndWhole
	s.resetFields = []fieldpath.Path{fieldpath.MakePathOrDie("status")}
	s.prepareCreate = func(object runtime.Object) {
		pod := object.(*core.Pod)
		pod.Generation = 1
		pod.Status = corev1.PodStatus{Phase: corev1.PodPending, QOSClass: corev1.PodQOSBestEffort}
	}
	s.prepareUpdate = func(object, old runtime.Object) {
		pod, before := object.(*core.Pod), old.(*core.Pod)
		pod.Status = before.Status
		pod.Generation = before.Generation
		if !equality.Semantic.DeepEqual(pod.Spec, before.Spec) {
			pod.Generation++
		}
	}
	s.validate = func(object runtime.Object) field.ErrorList { return validatePodSpec(&object.(*core.Pod).Spec) }
	s.validateUpdate = func(object, old runtime.Object) field.ErrorList {
		return validatePodUpdate(&object.(*core.Pod).Spec, &old.(*core.Pod).Spec)
	}
	return graceful{s}
}

func podStatusStrategy(scheme *runtime.Scheme) graceful {
	s := newStrategy(scheme)
	s.resetFields = []fieldpath.Path{
		fieldpath.MakePathOrDie("spec"),
		fieldpath.MakePathOrDie("metadata", "deletionTimestamp"),
		fieldpath.MakePathOrDie("metadata", "ownerReferences"),
	}
	s.prepareUpdate = func(object, old runtime.Object) {
		pod, before := object.(*core.Pod), old.(*core.Pod)
		pod.Spec = before.Spec
		pod.Generation = before.Generation
		pod.DeletionTimestamp = nil // as in kube-apiserver; the generic update restores the stored one
		if pod.Status.QOSClass == "" {
			pod.Status.QOSClass = before.Status.QOSClass
		}
		pod.OwnerReferences = before.OwnerReferences
	}
	return graceful{s}
}
