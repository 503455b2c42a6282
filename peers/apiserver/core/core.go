// Package core holds the internal (hub) types of the served kinds, and registers them with their wire types.
//
// The internal types are separate Go types with the memory layout of the wire types. If the internal type were the
// wire type, encoding an object would set kind and apiVersion on the object that the watch cache shares.
package core

import (
	"fmt"
	"unsafe"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
)

// AddToScheme registers the wire types of the served groups and the internal types of the served kinds.
func AddToScheme(s *runtime.Scheme) {
	utilruntime.Must(corev1.AddToScheme(s))
	utilruntime.Must(appsv1.AddToScheme(s))
	utilruntime.Must(coordinationv1.AddToScheme(s))
	metav1.AddToGroupVersion(s, corev1.SchemeGroupVersion)
	register[ConfigMap, ConfigMapList, corev1.ConfigMap, corev1.ConfigMapList](s, "", "ConfigMap")
	register[Event, EventList, corev1.Event, corev1.EventList](s, "", "Event")
	register[Namespace, NamespaceList, corev1.Namespace, corev1.NamespaceList](s, "", "Namespace")
	register[Node, NodeList, corev1.Node, corev1.NodeList](s, "", "Node")
	register[Pod, PodList, corev1.Pod, corev1.PodList](s, "", "Pod")
	register[Secret, SecretList, corev1.Secret, corev1.SecretList](s, "", "Secret")
	register[Service, ServiceList, corev1.Service, corev1.ServiceList](s, "", "Service")
	register[ServiceAccount, ServiceAccountList, corev1.ServiceAccount, corev1.ServiceAccountList](s, "", "ServiceAccount")
	register[ReplicaSet, ReplicaSetList, appsv1.ReplicaSet, appsv1.ReplicaSetList](s, "apps", "ReplicaSet")
	register[Lease, LeaseList, coordinationv1.Lease, coordinationv1.LeaseList](s, "coordination.k8s.io", "Lease")
	// No cache shares Bindings, so one Go type can be both internal and wire type.
	s.AddKnownTypeWithName(internal("", "Binding"), &corev1.Binding{})
}

func internal(group, kind string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: group, Version: runtime.APIVersionInternal, Kind: kind}
}

// register adds the internal types of a kind and its list. The wire types have the same memory layouts.
func register[Hub, HubList, Wire, WireList any](s *runtime.Scheme, group, kind string) {
	convertible[Hub, Wire](s, group, kind)
	convertible[HubList, WireList](s, group, kind+"List")
}

func convertible[Hub, Wire any](s *runtime.Scheme, group, kind string) {
	s.AddKnownTypeWithName(internal(group, kind), any(new(Hub)).(runtime.Object))
	utilruntime.Must(s.AddConversionFunc((*Hub)(nil), (*Wire)(nil), func(from, to any, _ conversion.Scope) error {
		*(to.(*Wire)) = *(*Wire)(unsafe.Pointer(from.(*Hub)))
		return nil
	}))
	utilruntime.Must(s.AddConversionFunc((*Wire)(nil), (*Hub)(nil), func(from, to any, _ conversion.Scope) error {
		*(to.(*Hub)) = *(*Hub)(unsafe.Pointer(from.(*Wire)))
		to.(runtime.Object).GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{}) // internal types have none
		return nil
	}))
}

// Selectable registers the fields that a field selector may name. Other kinds have the scheme's default, the object's
// name and namespace.
func Selectable(s *runtime.Scheme, kind schema.GroupVersionKind, fields ...string) {
	known := map[string]bool{}
	for _, field := range fields {
		known[field] = true
	}
	utilruntime.Must(s.AddFieldLabelConversionFunc(kind, func(label, value string) (string, string, error) {
		if !known[label] {
			return "", "", fmt.Errorf("field label not supported: %s", label)
		}
		return label, value, nil
	}))
}
