package main

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
)

// addDefaults registers those defaults of kube-apiserver on which a pod's life depends, and the label of namespaces.
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
	scheme.AddTypeDefaultingFunc(&corev1.Namespace{}, func(object any) {
		namespace := object.(*corev1.Namespace)
		if namespace.Name == "" {
			return // it is generated; kube-apiserver's strategy sets the label then
		}
		if namespace.Labels == nil {
			namespace.Labels = map[string]string{}
		}
		namespace.Labels[corev1.LabelMetadataName] = namespace.Name
	})
}
