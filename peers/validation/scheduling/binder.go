package main

// Asks kube-scheduler's binder which volumes the claims of a pod get.

import (
	"context"
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"
)

func newBinder(ctx context.Context, client kubernetes.Interface, factory informers.SharedInformerFactory) (volumebinding.SchedulerVolumeBinder, error) {
	core, storage := factory.Core().V1(), factory.Storage().V1()
	capacity := volumebinding.CapacityCheck{CSIDriverInformer: storage.CSIDrivers(), CSIStorageCapacityInformer: storage.CSIStorageCapacities()}
	features := feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate)
	return volumebinding.NewVolumeBinder(klog.FromContext(ctx), client, features, core.Pods(), core.Nodes(), storage.CSINodes(),
		core.PersistentVolumeClaims(), core.PersistentVolumes(), storage.StorageClasses(), capacity, time.Second)
}

// addVolumes adds what the claims of the pod get on a node where the pod fits.
func (a *answer) addVolumes(ctx context.Context, binder volumebinding.SchedulerVolumeBinder, pod *v1.Pod, node *v1.Node) error {
	claims, err := binder.GetPodVolumeClaims(klog.FromContext(ctx), pod)
	if err != nil {
		return err
	}
	found, reasons, err := binder.FindPodVolumes(klog.FromContext(ctx), pod, claims, node)
	if err != nil || len(reasons) > 0 {
		return fmt.Errorf("the binder says something else than its plugin: %v, %w", reasons, err)
	}
	var volumes podVolumes
	for _, binding := range found.StaticBindings {
		volumes.Bindings = append(volumes.Bindings, binding.StorageResource().Capacity)
	}
	for _, provision := range found.DynamicProvisions {
		volumes.Provisions = append(volumes.Provisions, provision.PVC.Name)
	}
	if volumes.Bindings == nil && volumes.Provisions == nil {
		return nil
	}
	slices.Sort(volumes.Bindings)
	slices.Sort(volumes.Provisions)
	if a.Volumes == nil {
		a.Volumes = map[string]podVolumes{}
	}
	a.Volumes[node.Name] = volumes
	return nil
}
