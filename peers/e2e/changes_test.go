package e2e

// Random changes of pods and config maps for the informer tests.

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// changePod creates, labels or deletes the pod, as the number from 0 to 9 chooses. The kubelet changes the pod, too.
func (w world) changePod(ctx context.Context, name string, choice int, value string) error {
	pods := w.client.CoreV1().Pods(metav1.NamespaceDefault)
	var err error
	switch {
	case choice < 4:
		_, err = pods.Create(ctx, &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"value": value}},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "nginx"}}},
		}, metav1.CreateOptions{})
	case choice < 8:
		_, err = pods.Patch(ctx, name, types.StrategicMergePatchType, labels(value), metav1.PatchOptions{})
	case choice < 9:
		err = pods.Delete(ctx, name, metav1.DeleteOptions{})
	default:
		err = pods.Delete(ctx, name, metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](0)})
	}
	return unlessInTheWay(err)
}

// changeConfigMap creates, updates, patches or deletes the config map, as the number from 0 to 9 chooses.
func (w world) changeConfigMap(ctx context.Context, name string, choice int, value string) error {
	configMaps := w.client.CoreV1().ConfigMaps(metav1.NamespaceDefault)
	configMap := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"value": value}}
	var err error
	switch {
	case choice < 4:
		_, err = configMaps.Create(ctx, configMap, metav1.CreateOptions{})
	case choice < 6:
		_, err = configMaps.Update(ctx, configMap, metav1.UpdateOptions{})
	case choice < 8:
		_, err = configMaps.Patch(ctx, name, types.MergePatchType, labels(value), metav1.PatchOptions{})
	default:
		err = configMaps.Delete(ctx, name, metav1.DeleteOptions{})
	}
	return unlessInTheWay(err)
}

func labels(value string) []byte {
	return fmt.Appendf(nil, `{"metadata":{"labels":{"value":%q}}}`, value)
}

// unlessInTheWay ignores errors that random changes cause: the object exists already, or does not exist.
func unlessInTheWay(err error) error {
	if apierrors.IsAlreadyExists(err) || apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
