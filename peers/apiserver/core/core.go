// Package core holds the hub ("__internal") types of the served kinds, and registers them with the wire types.
//
// They are Go types of their own, with the memory layout of the wire types: where hub and wire type are one, encoding an object stamps
// kind and apiVersion on the copy that the watch cache shares.
package core

import (
	"fmt"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
)

//go:generate ./generate.sh

// AddToScheme registers core/v1 and the hub types of the served kinds.
func AddToScheme(s *runtime.Scheme) {
	utilruntime.Must(corev1.AddToScheme(s))
	metav1.AddToGroupVersion(s, corev1.SchemeGroupVersion)
	register[Pod, corev1.Pod](s, "Pod")
	register[PodList, corev1.PodList](s, "PodList")
	register[Namespace, corev1.Namespace](s, "Namespace")
	register[NamespaceList, corev1.NamespaceList](s, "NamespaceList")
	// Never shared by a cache, so one Go type can be both hub and wire type.
	s.AddKnownTypeWithName(internal("Binding"), &corev1.Binding{})
	selectable(s, "Pod", "metadata.name", "metadata.namespace", "spec.nodeName", "status.phase")
	selectable(s, "Namespace", "metadata.name", "status.phase")
}

func internal(kind string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Version: runtime.APIVersionInternal, Kind: kind}
}

// register adds Hub as the hub type of a kind whose wire type is Wire; both have one memory layout.
func register[Hub, Wire any](s *runtime.Scheme, kind string) {
	s.AddKnownTypeWithName(internal(kind), any(new(Hub)).(runtime.Object))
	utilruntime.Must(s.AddConversionFunc((*Hub)(nil), (*Wire)(nil), func(from, to any, _ conversion.Scope) error {
		*(to.(*Wire)) = *(*Wire)(unsafe.Pointer(from.(*Hub)))
		return nil
	}))
	utilruntime.Must(s.AddConversionFunc((*Wire)(nil), (*Hub)(nil), func(from, to any, _ conversion.Scope) error {
		*(to.(*Hub)) = *(*Hub)(unsafe.Pointer(from.(*Wire)))
		return nil
	}))
}

// selectable says which fields a field selector may name.
func selectable(s *runtime.Scheme, kind string, fields ...string) {
	known := map[string]bool{}
	for _, field := range fields {
		known[field] = true
	}
	utilruntime.Must(s.AddFieldLabelConversionFunc(corev1.SchemeGroupVersion.WithKind(kind), func(label, value string) (string, string, error) {
		if !known[label] {
			return "", "", fmt.Errorf("field label not supported: %s", label)
		}
		return label, value, nil
	}))
}
