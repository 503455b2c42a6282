package main

// Asks the plugins of kube-scheduler, in their order by default. That of dynamic resources is left out.

import (
	"context"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/events"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	internalqueue "k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/queuesort"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

// left are the plugins that are not asked.
var left = []string{
	names.DynamicResources,
	names.DefaultPreemption, // it is asked by itself
}

// profile returns kube-scheduler's profile by default.
func profile() (*config.KubeSchedulerProfile, *config.DefaultPreemptionArgs, error) {
	configuration, err := latest.Default()
	if err != nil {
		return nil, nil, err
	}
	profile := &configuration.Profiles[0]
	enabled := &profile.Plugins.MultiPoint.Enabled
	*enabled = slices.DeleteFunc(*enabled, func(plugin config.Plugin) bool { return slices.Contains(left, plugin.Name) })
	var preemption *config.DefaultPreemptionArgs
	for _, one := range profile.PluginConfig {
		if args, ok := one.Args.(*config.DefaultPreemptionArgs); ok {
			preemption = args
		}
	}
	profile.PluginConfig = slices.DeleteFunc(profile.PluginConfig, func(one config.PluginConfig) bool { return slices.Contains(left, one.Name) })
	return profile, preemption, nil
}

// objects returns everything that the informers see.
func (c *cluster) objects() []runtime.Object {
	objects := []runtime.Object{c.Pod}
	for _, namespace := range c.Namespaces {
		objects = append(objects, namespace)
	}
	for _, node := range c.Nodes {
		objects = append(objects, node.Node)
	}
	for _, budget := range c.Budgets {
		objects = append(objects, budget)
	}
	for _, pod := range slices.Concat(c.Pods, c.Nominated) {
		objects = append(objects, pod)
	}
	if c.volumes != nil {
		objects = append(objects, c.volumes.objects()...)
	}
	return objects
}

func decide(ctx context.Context, c *cluster) (answer, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	none := answer{Refusals: map[string]refusal{}}
	profile, args, err := profile()
	if err != nil {
		return none, err
	}
	client := fake.NewClientset(c.objects()...)
	factory := informers.NewSharedInformerFactory(client, 0)
	var nodes []*v1.Node
	for _, node := range c.Nodes {
		nodes = append(nodes, node.Node)
	}
	snapshot := internalcache.NewSnapshot(c.Pods, nodes)
	queue := internalqueue.NewSchedulingQueue((&queuesort.PrioritySort{}).Less, factory)
	handle, err := frameworkruntime.NewFramework(ctx, plugins.NewInTreeRegistry(), profile,
		frameworkruntime.WithClientSet(client),
		frameworkruntime.WithEventRecorder(&events.FakeRecorder{}),
		frameworkruntime.WithInformerFactory(factory),
		frameworkruntime.WithPodNominator(queue),
		frameworkruntime.WithSharedCSIManager(nodevolumelimits.NewCSIManager(factory.Storage().V1().CSINodes().Lister())),
		frameworkruntime.WithSnapshotSharedLister(snapshot),
		frameworkruntime.WithMutableSnapshotLister(snapshot),
		frameworkruntime.WithWaitingPods(frameworkruntime.NewWaitingPodsMap()),
		frameworkruntime.WithPodsInPreBind(frameworkruntime.NewPodsInPreBindMap()),
	)
	if err != nil {
		return none, err
	}
	// Without asynchronous preemption, the victims are deleted before the plugin returns.
	preemption, err := defaultpreemption.New(ctx, args, handle, feature.Features{})
	if err != nil {
		return none, err
	}
	binder, err := newBinder(ctx, client, factory)
	if err != nil {
		return none, err
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	for _, pod := range c.Nominated {
		queue.Add(ctx, pod)
	}
	return ask(ctx, c, handle, preemption, binder, client)
}

func ask(ctx context.Context, c *cluster, handle framework.Framework, plugin *defaultpreemption.DefaultPreemption, binder volumebinding.SchedulerVolumeBinder, client *fake.Clientset) (answer, error) {
	given := answer{Refusals: map[string]refusal{}}
	state := framework.NewCycleState()
	statuses := framework.NewDefaultNodeToStatus()
	if _, status, _ := handle.RunPreFilterPlugins(ctx, state, c.Pod); !status.IsSuccess() {
		if !status.IsRejected() {
			return given, fmt.Errorf("before the filters: %s", status.Message())
		}
		given.PreFilter = status.Message()
		statuses.SetAbsentNodesStatus(status)
		_, status := plugin.PostFilter(ctx, state, c.Pod, statuses)
		given.Message = status.Message()
		return given, nil
	}
	nodes, err := handle.SnapshotSharedLister().NodeInfos().List()
	if err != nil {
		return given, err
	}
	for _, node := range nodes {
		status := handle.RunFilterPluginsWithNominatedPods(ctx, state, c.Pod, node)
		if status.IsSuccess() {
			if err := given.addVolumes(ctx, binder, c.Pod, node.Node()); err != nil {
				return given, err
			}
			continue
		}
		if !status.IsRejected() {
			return given, status.AsError()
		}
		statuses.Set(node.Node().Name, status)
		given.Refusals[node.Node().Name] = refusal{Reasons: status.Reasons(), Resolvable: status.Code() == fwk.Unschedulable}
	}
	if len(given.Refusals) < len(nodes) {
		return given, nil
	}
	client.ClearActions()
	result, status := plugin.PostFilter(ctx, state, c.Pod, statuses)
	given.Message = status.Message()
	if result != nil && result.NominatingInfo != nil {
		given.Node = result.NominatedNodeName
	}
	for _, action := range client.Actions() {
		if deletion, ok := action.(clienttesting.DeleteAction); ok {
			given.Victims = append(given.Victims, deletion.GetNamespace()+"/"+deletion.GetName())
		}
	}
	slices.Sort(given.Victims)
	return given, nil
}
