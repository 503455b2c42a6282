package main

// The pod statuses that the stand-in kubelet writes.

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func creating(pod *corev1.Pod) {
	pod.Status.HostIP = "192.0.2.1"
	pod.Status.HostIPs = []corev1.HostIP{{IP: "192.0.2.1"}}
	pod.Status.StartTime = &metav1.Time{Time: metav1.Now().Time}
	setReady(pod, corev1.ConditionFalse, "ContainersNotReady")
	setContainers(pod, corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ContainerCreating"}}, false)
}

func started(pod *corev1.Pod) {
	pod.Status.Phase = corev1.PodRunning
	pod.Status.PodIP = "198.51.100.7"
	pod.Status.PodIPs = []corev1.PodIP{{IP: "198.51.100.7"}}
	setReady(pod, corev1.ConditionTrue, "")
	setContainers(pod, corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.Now()}}, true)
}

// stopped does not change the phase, like kubelets before 1.27.
func stopped(pod *corev1.Pod) {
	setReady(pod, corev1.ConditionFalse, "PodCompleted")
	state := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "Completed", FinishedAt: metav1.Now()}}
	setContainers(pod, state, false)
}

func setReady(pod *corev1.Pod, ready corev1.ConditionStatus, reason string) {
	now := metav1.Now()
	conditions := []corev1.PodCondition{
		{Type: corev1.PodReadyToStartContainers, Status: ready, LastTransitionTime: now},
		{Type: corev1.PodInitialized, Status: corev1.ConditionTrue, LastTransitionTime: now},
		{Type: corev1.PodReady, Status: ready, Reason: reason, LastTransitionTime: now},
		{Type: corev1.ContainersReady, Status: ready, Reason: reason, LastTransitionTime: now},
	}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled {
			conditions = append(conditions, condition)
		}
	}
	pod.Status.Conditions = conditions
}

func setContainers(pod *corev1.Pod, state corev1.ContainerState, ready bool) {
	pod.Status.ContainerStatuses = nil
	for _, container := range pod.Spec.Containers {
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, corev1.ContainerStatus{
			Name: container.Name, Image: container.Image, State: state, Ready: ready, Started: &ready,
		})
	}
}
