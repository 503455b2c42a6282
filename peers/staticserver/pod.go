package main

// The typical pod that the server serves.

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// The time of everything in the pod, and a true for fields that are pointers.
var (
	then   = metav1.NewTime(time.Unix(1_700_000_000, 0))
	really = true
)

// typicalPod returns a running pod of a ReplicaSet, with a sidecar: 3.8 KB of JSON, a third of it managedFields.
func typicalPod(n int) corev1.Pod {
	return corev1.Pod{ObjectMeta: meta(n), Spec: spec(n), Status: status()}
}

func meta(n int) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name:              fmt.Sprintf("web-%06d", n),
		Namespace:         "default",
		GenerateName:      "web-",
		UID:               types.UID(fmt.Sprintf("00000000-0000-0000-0000-%012d", n)),
		ResourceVersion:   fmt.Sprint(firstVersion + n),
		CreationTimestamp: then,
		Labels:            map[string]string{"app": fmt.Sprintf("app-%d", n%100), "pod-template-hash": "abc"},
		Annotations:       map[string]string{"example.com/a": "b"},
		OwnerReferences:   []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web", UID: "a", Controller: &really}},
		ManagedFields:     []metav1.ManagedFieldsEntry{managed("kube-controller-manager"), managed("kubelet")},
	}
}

const managedFields = `{"f:metadata":{"f:generateName":{},"f:labels":{".":{},"f:app":{},"f:pod-template-hash":{}},` +
	`"f:ownerReferences":{".":{},"k:{\"uid\":\"a\"}":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"app\"}":{".":{},"f:image":{},` +
	`"f:imagePullPolicy":{},"f:name":{},"f:resources":{}}},"f:dnsPolicy":{},"f:restartPolicy":{}}}`

func managed(manager string) metav1.ManagedFieldsEntry {
	return metav1.ManagedFieldsEntry{
		Manager: manager, Operation: "Update", APIVersion: "v1", Time: &then,
		FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{Raw: []byte(managedFields)},
	}
}

func spec(n int) corev1.PodSpec {
	return corev1.PodSpec{
		Containers:         []corev1.Container{container("app"), container("sidecar")},
		NodeName:           fmt.Sprintf("node-%d", n%500),
		RestartPolicy:      "Always",
		DNSPolicy:          "ClusterFirst",
		ServiceAccountName: "default",
		SchedulerName:      "default-scheduler",
		Volumes:            []corev1.Volume{{Name: "kube-api-access", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}},
		Tolerations: []corev1.Toleration{
			{Key: "node.kubernetes.io/not-ready", Operator: "Exists", Effect: "NoExecute"},
			{Key: "node.kubernetes.io/unreachable", Operator: "Exists", Effect: "NoExecute"},
		},
	}
}

func container(name string) corev1.Container {
	podName := &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.name"}}
	return corev1.Container{
		Name:  name,
		Image: "registry.example/app:v1.2.3",
		Ports: []corev1.ContainerPort{{ContainerPort: 8080, Protocol: "TCP"}},
		Env:   []corev1.EnvVar{{Name: "A", Value: "1"}, {Name: "B", Value: "2"}, {Name: "POD", ValueFrom: podName}},
		Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{"cpu": resource.MustParse("100m"), "memory": resource.MustParse("128Mi")},
			Limits:   corev1.ResourceList{"cpu": resource.MustParse("1"), "memory": resource.MustParse("256Mi")},
		},
		VolumeMounts:             []corev1.VolumeMount{{Name: "kube-api-access", MountPath: "/var/run/secrets/kubernetes.io/serviceaccount", ReadOnly: true}},
		TerminationMessagePath:   "/dev/termination-log",
		TerminationMessagePolicy: "File",
		ImagePullPolicy:          "IfNotPresent",
	}
}

func status() corev1.PodStatus {
	return corev1.PodStatus{
		Phase: "Running", PodIP: "10.0.0.1", HostIP: "10.1.0.1", StartTime: &then, QOSClass: "Burstable",
		Conditions: []corev1.PodCondition{met("Initialized"), met("Ready"), met("ContainersReady"), met("PodScheduled")},
		ContainerStatuses: []corev1.ContainerStatus{
			{Name: "app", Ready: true, Started: &really, Image: "registry.example/app:v1.2.3", ImageID: "sha256:0123", ContainerID: "containerd://0123", State: running()},
			{Name: "sidecar", Ready: true, Started: &really, Image: "x", State: running()},
		},
	}
}

func met(condition corev1.PodConditionType) corev1.PodCondition {
	return corev1.PodCondition{Type: condition, Status: "True", LastTransitionTime: then}
}

func running() corev1.ContainerState {
	return corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: then}}
}
