package main

// The defaults that the test API server sets: for pods, replica sets and namespaces.

import (
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
)

// addDefaults registers a part of kube-apiserver's defaults: those that clients see on plain pods and replica sets,
// and the name label of namespaces. Upstream: pkg/apis/core/v1/defaults.go.
func addDefaults(scheme *runtime.Scheme) {
	scheme.AddTypeDefaultingFunc(&corev1.Pod{}, func(object any) {
		spec := &object.(*corev1.Pod).Spec
		defaultPodSpec(spec)
		if spec.EnableServiceLinks == nil {
			spec.EnableServiceLinks = ptr.To(true)
		}
	})
	scheme.AddTypeDefaultingFunc(&appsv1.ReplicaSet{}, func(object any) {
		spec := &object.(*appsv1.ReplicaSet).Spec
		if spec.Replicas == nil {
			spec.Replicas = ptr.To[int32](1)
		}
		defaultPodSpec(&spec.Template.Spec)
	})
	scheme.AddTypeDefaultingFunc(&corev1.Namespace{}, func(object any) {
		namespace := object.(*corev1.Namespace)
		if namespace.Name == "" {
			return // the name is generated later; canonicalize sets the label then, as in kube-apiserver
		}
		if namespace.Labels == nil {
			namespace.Labels = map[string]string{}
		}
		namespace.Labels[corev1.LabelMetadataName] = namespace.Name
	})
}

func defaultPodSpec(spec *corev1.PodSpec) {
	if spec.RestartPolicy == "" {
		spec.RestartPolicy = corev1.RestartPolicyAlways
	}
	if spec.DNSPolicy == "" {
		spec.DNSPolicy = corev1.DNSClusterFirst
	}
	if spec.SecurityContext == nil {
		spec.SecurityContext = &corev1.PodSecurityContext{}
	}
	if spec.TerminationGracePeriodSeconds == nil {
		spec.TerminationGracePeriodSeconds = ptr.To[int64](corev1.DefaultTerminationGracePeriodSeconds)
	}
	if spec.SchedulerName == "" {
		spec.SchedulerName = corev1.DefaultSchedulerName
	}
	for i := range spec.Containers {
		defaultContainer(&spec.Containers[i])
	}
}

func defaultContainer(container *corev1.Container) {
	if container.ImagePullPolicy == "" {
		container.ImagePullPolicy = corev1.PullIfNotPresent
		name := container.Image[strings.LastIndex(container.Image, "/")+1:]
		if !strings.Contains(name, "@") && (!strings.Contains(name, ":") || strings.HasSuffix(name, ":latest")) {
			container.ImagePullPolicy = corev1.PullAlways
		}
	}
	if container.TerminationMessagePath == "" {
		container.TerminationMessagePath = corev1.TerminationMessagePathDefault
	}
	if container.TerminationMessagePolicy == "" {
		container.TerminationMessagePolicy = corev1.TerminationMessageReadFile
	}
	for i := range container.Ports {
		if container.Ports[i].Protocol == "" {
			container.Ports[i].Protocol = corev1.ProtocolTCP
		}
	}
}
