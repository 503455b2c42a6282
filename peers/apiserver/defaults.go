package main

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
)

// addDefaults registers those defaults of kube-apiserver on which a pod's life depends.
func addDefaults(scheme *runtime.Scheme) {
	scheme.AddTypeDefaultingFunc(&corev1.Pod{}, func(object any) {
		spec := &object.(*corev1.Pod).Spec
		if spec.RestartPolicy == "" {
			spec.RestartPolicy = corev1.RestartPolicyAlways
		}
		if spec.TerminationGracePeriodSeconds == nil {
			spec.TerminationGracePeriodSeconds = ptr.To[int64](corev1.DefaultTerminationGracePeriodSeconds)
		}
	})
}
