// Package pods replaces the cluster in the programs that need no API server: its pods are in a fake source of client-go.
package pods

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fake "k8s.io/client-go/tools/cache/testing"
)

// New returns a pod in the namespace default with a label app.
func New(name, app string, phase corev1.PodPhase) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, Labels: map[string]string{"app": app}},
		Status:     corev1.PodStatus{Phase: phase},
	}
}

// Four returns the pods of the tutorials' cluster.
func Four() []*corev1.Pod {
	return []*corev1.Pod{
		New("quickstart-es-default-0", "quickstart", corev1.PodRunning),
		New("robusta-forwarder-5f65fd6fbb-s2trs", "robusta-forwarder", corev1.PodRunning),
		New("robusta-runner-567655bf5b-v4xvj", "robusta-runner", corev1.PodRunning),
		New("wiremock-84d49c989c-zg4ls", "wiremock", corev1.PodRunning),
	}
}

// Source returns a source that lists and watches these pods.
func Source(pods ...*corev1.Pod) *fake.FakeControllerSource {
	source := fake.NewFakeControllerSource()
	for _, pod := range pods {
		source.Add(pod)
	}
	return source
}

// Start makes the changes that `kubectl run` causes: it adds a Pending pod, and modifies it four times until it runs.
func Start(source *fake.FakeControllerSource, name string) *corev1.Pod {
	pod := New(name, name, corev1.PodPending)
	source.Add(pod.DeepCopy())
	for range 3 {
		source.Modify(pod.DeepCopy())
	}
	pod.Status.Phase = corev1.PodRunning
	source.Modify(pod.DeepCopy())
	return pod
}

// Stop makes the changes that `kubectl delete` causes: it modifies the pod four times while it ends, and deletes it.
func Stop(source *fake.FakeControllerSource, pod *corev1.Pod) {
	for range 4 {
		source.Modify(pod.DeepCopy())
	}
	source.Delete(pod.DeepCopy())
}
