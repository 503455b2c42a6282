package main

// The fields that field selectors can name, and their values.

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/storage"

	"informer-lab/peers/apiserver/core"
)

// addSelectable registers the fields that selectors may name, as kube-apiserver's conversions do.
func addSelectable(s *runtime.Scheme) {
	v1 := corev1.SchemeGroupVersion.WithKind
	core.Selectable(s, v1("Pod"), "metadata.name", "metadata.namespace", "spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName", "spec.hostNetwork",
		"status.phase", "status.podIP", "status.podIPs", "status.nominatedNodeName")
	core.Selectable(s, v1("Namespace"), "metadata.name", "status.phase")
	core.Selectable(s, v1("Node"), "metadata.name", "spec.unschedulable")
	core.Selectable(s, v1("Secret"), "metadata.name", "metadata.namespace", "type")
	core.Selectable(s, v1("Service"), "metadata.name", "metadata.namespace", "spec.clusterIP", "spec.type")
	core.Selectable(s, v1("Event"), "metadata.name", "metadata.namespace", "involvedObject.kind", "involvedObject.namespace", "involvedObject.name", "involvedObject.uid",
		"involvedObject.apiVersion", "involvedObject.resourceVersion", "involvedObject.fieldPath", "reason", "reportingComponent", "source", "type")
}

// attributes returns the labels and fields that selectors compare.
func attributes(object runtime.Object) (labels.Set, fields.Set, error) {
	accessor, err := meta.Accessor(object)
	if err != nil {
		return nil, nil, err
	}
	selectable := ownFields(object)
	selectable["metadata.name"] = accessor.GetName()
	if accessor.GetNamespace() != "" {
		selectable["metadata.namespace"] = accessor.GetNamespace()
	}
	return accessor.GetLabels(), selectable, nil
}

var _ storage.AttrFunc = attributes

func ownFields(object runtime.Object) fields.Set {
	switch object := object.(type) {
	case *core.Pod:
		return fields.Set{
			"spec.nodeName": object.Spec.NodeName, "spec.restartPolicy": string(object.Spec.RestartPolicy),
			"spec.schedulerName": object.Spec.SchedulerName, "spec.serviceAccountName": object.Spec.ServiceAccountName,
			"spec.hostNetwork": strconv.FormatBool(object.Spec.HostNetwork), "status.phase": string(object.Status.Phase),
			"status.podIP": object.Status.PodIP, "status.podIPs": object.Status.PodIP, "status.nominatedNodeName": object.Status.NominatedNodeName,
		}
	case *core.Namespace:
		return fields.Set{"status.phase": string(object.Status.Phase)}
	case *core.Node:
		return fields.Set{"spec.unschedulable": strconv.FormatBool(object.Spec.Unschedulable)}
	case *core.Secret:
		return fields.Set{"type": string(object.Type)}
	case *core.Service:
		return fields.Set{"spec.clusterIP": object.Spec.ClusterIP, "spec.type": string(object.Spec.Type)}
	case *core.Event:
		return eventFields(object)
	}
	return fields.Set{}
}

func eventFields(event *core.Event) fields.Set {
	source := event.Source.Component
	if source == "" {
		source = event.ReportingController
	}
	return fields.Set{
		"involvedObject.kind": event.InvolvedObject.Kind, "involvedObject.namespace": event.InvolvedObject.Namespace,
		"involvedObject.name": event.InvolvedObject.Name, "involvedObject.uid": string(event.InvolvedObject.UID),
		"involvedObject.apiVersion": event.InvolvedObject.APIVersion, "involvedObject.resourceVersion": event.InvolvedObject.ResourceVersion,
		"involvedObject.fieldPath": event.InvolvedObject.FieldPath, "reason": event.Reason,
		"reportingComponent": event.ReportingController, "source": source, "type": event.Type,
	}
}
