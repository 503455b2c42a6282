// Package pods is the cluster of the programs that need no API server: pods that come and go in client-go's own fake.
package pods

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fake "k8s.io/client-go/tools/cache/testing"
)

// New is a pod of the namespace default with a label app.
func New(name, app string, phase corev1.PodPhase) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, Labels: map[string]string{"app": app}},
		Status:     corev1.PodStatus{Phase: phase},
	}
}

// Four are the pods that the tutorials' cluster had.
func Four() []*corev1.Pod {
	return []*corev1.Pod{
		New("quickstart-es-default-0", "quickstart", corev1.PodRunning),
		New("robusta-forwarder-5f65fd6fbb-s2trs", "robusta-forwarder", corev1.PodRunning),
		New("robusta-runner-567655bf5b-v4xvj", "robusta-runner", corev1.PodRunning),
		New("wiremock-84d49c989c-zg4ls", "wiremock", corev1.PodRunning),
	}
}

// Source lists and watches these pods.
func Source(pods ...*corev1.Pod) *fake.FakeControllerSource {
	source := fake.NewFakeControllerSource()
	for _, pod := range pods {
		source.Add(pod)
	}
	return source
}

// Start does what `kubectl run` leads to: a pod that is Pending, and four changes until it runs.
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

// Stop does what `kubectl delete` leads to: four changes while the pod ends, and its deletion.
func Stop(source *fake.FakeControllerSource, pod *corev1.Pod) {
	for range 4 {
		source.Modify(pod.DeepCopy())
	}
	source.Delete(pod.DeepCopy())
}
