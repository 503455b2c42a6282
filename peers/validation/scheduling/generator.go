package main

// Generates random clusters, from few names and values, so that rules select pods and nodes.

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
)

// start is when the first pod started.
var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

var topologies = []string{"zone", "rack", v1.LabelHostname}

type generator struct{ *rand.Rand }

func (g generator) one(of ...string) string { return of[g.IntN(len(of))] }

func (g generator) chance(percent int) bool { return g.IntN(100) < percent }

// some returns one to `most` of the words, without repetition.
func (g generator) some(most int, of ...string) []string {
	g.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
	return of[:1+g.IntN(min(most, len(of)))]
}

func (g generator) cluster() *cluster {
	c := &cluster{}
	for _, name := range []string{"a", "b", "c"} {
		labels := map[string]string{"team": g.one("blue", "red")}
		c.Namespaces = append(c.Namespaces, &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}})
		if g.chance(30) {
			c.Budgets = append(c.Budgets, g.budget(name)) // one at most, as upstream has no order of budgets
		}
	}
	for n := range 2 + g.IntN(5) {
		c.Nodes = append(c.Nodes, g.node(fmt.Sprintf("node-%d", n+1)))
	}
	taken := map[string]bool{}
	for n := range g.IntN(18) {
		pod := g.placed(fmt.Sprintf("pod-%02d", n+1), c.Nodes, n)
		ports := &pod.Spec.Containers[0].Ports
		if taken[pod.Spec.NodeName] {
			*ports = nil // no scheduler puts two pods with one port on a node
		}
		taken[pod.Spec.NodeName] = taken[pod.Spec.NodeName] || len(*ports) > 0
		c.Pods = append(c.Pods, pod)
	}
	for n := range g.IntN(3) {
		if g.chance(40) {
			pod := g.pod(fmt.Sprintf("nominated-%d", n+1))
			pod.Status.NominatedNodeName = c.Nodes[g.IntN(len(c.Nodes))].Name
			c.Nominated = append(c.Nominated, pod)
		}
	}
	c.Pod = g.incoming(c.Nodes)
	return c
}

func (g generator) budget(namespace string) *policy.PodDisruptionBudget {
	budget := &policy.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Name: "budget", Namespace: namespace}}
	budget.Spec.MinAvailable = ptr.To(intstr.FromInt32(1))
	budget.Spec.Selector = g.selector()
	budget.Status.DisruptionsAllowed = int32(g.IntN(3))
	if g.chance(30) {
		budget.Status.DisruptedPods = map[string]metav1.Time{fmt.Sprintf("pod-%02d", 1+g.IntN(13)): {Time: start}}
	}
	return budget
}

func (g generator) node(name string) node {
	labels := map[string]string{"disk": g.one("ssd", "hdd")}
	for key, value := range map[string]string{"zone": "", "rack": "", v1.LabelHostname: name} {
		labels[key] = value
	}
	labels["zone"], labels["rack"] = g.one("x", "y", "z"), g.one("1", "2")
	if g.chance(15) {
		delete(labels, g.one(topologies...))
	}
	node := node{&v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}}
	node.Spec.Unschedulable = g.chance(4)
	if g.chance(12) {
		effects := []v1.TaintEffect{v1.TaintEffectNoSchedule, v1.TaintEffectNoExecute, v1.TaintEffectPreferNoSchedule}
		node.Spec.Taints = []v1.Taint{{Key: "dedicated", Value: g.one("db", "web"), Effect: effects[g.IntN(3)]}}
	}
	node.Status.Allocatable = v1.ResourceList{
		v1.ResourceCPU:    resource.MustParse(g.one("1", "2", "3")),
		v1.ResourceMemory: resource.MustParse(g.one("1Gi", "2Gi", "4Gi")),
		v1.ResourcePods:   resource.MustParse(g.one("2", "3", "4", "6")),
	}
	return node
}

// pod returns a pod with labels, requests, a priority and terms of affinity.
func (g generator) pod(name string) *v1.Pod {
	meta := metav1.ObjectMeta{Name: name, Namespace: g.one("a", "a", "b", "c"), UID: types.UID(name), Generation: 1}
	meta.Labels = map[string]string{"app": g.one("web", "db", "cache")}
	if g.chance(50) {
		meta.Labels["version"] = g.one("1", "2")
	}
	if g.chance(8) {
		meta.Labels = nil
	}
	container := v1.Container{Name: "main", Image: "x"}
	container.Resources.Requests = v1.ResourceList{}
	if g.chance(80) {
		container.Resources.Requests[v1.ResourceCPU] = resource.MustParse(g.one("250m", "500m", "1", "1500m"))
	}
	if g.chance(50) {
		container.Resources.Requests[v1.ResourceMemory] = resource.MustParse(g.one("256Mi", "512Mi", "1Gi"))
	}
	if g.chance(12) {
		container.Ports = []v1.ContainerPort{{ContainerPort: 80, HostPort: int32(80 + g.IntN(2)), Protocol: v1.ProtocolTCP, HostIP: g.one("", "", "10.0.0.1")}}
	}
	pod := &v1.Pod{ObjectMeta: meta, Spec: v1.PodSpec{Containers: []v1.Container{container}}}
	pod.Spec.Priority = ptr.To([]int32{-5, 0, 0, 10, 100}[g.IntN(5)])
	if g.chance(30) {
		pod.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: g.terms()}}
	}
	return pod
}

// placed returns a pod on a node, whose start time no other one has.
func (g generator) placed(name string, nodes []node, n int) *v1.Pod {
	pod := g.pod(name)
	pod.Spec.NodeName = nodes[g.IntN(len(nodes))].Name
	pod.Status.StartTime = ptr.To(metav1.NewTime(start.Add(time.Duration(g.IntN(1000)*100+n) * time.Second)))
	if g.chance(12) {
		pod.DeletionTimestamp = ptr.To(metav1.NewTime(start.Add(48 * time.Hour)))
		pod.Finalizers = []string{"example.com/held"}
		if g.chance(50) {
			pod.Status.Conditions = []v1.PodCondition{{Type: v1.DisruptionTarget, Status: v1.ConditionTrue, Reason: v1.PodReasonPreemptionByScheduler}}
		}
	}
	return pod
}

// incoming returns the pod to schedule. Mostly it is more important than others.
func (g generator) incoming(nodes []node) *v1.Pod {
	pod := g.pod("incoming")
	if g.chance(60) {
		pod.Spec.Priority = ptr.To[int32](50)
	}
	if g.chance(5) {
		pod.Spec.PreemptionPolicy = ptr.To(v1.PreemptNever)
	}
	if g.chance(30) {
		if pod.Spec.Affinity == nil {
			pod.Spec.Affinity = &v1.Affinity{}
		}
		pod.Spec.Affinity.PodAffinity = &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: g.terms()}
	}
	if g.chance(50) {
		for _, key := range g.some(2, "zone", "rack", v1.LabelHostname) {
			pod.Spec.TopologySpreadConstraints = append(pod.Spec.TopologySpreadConstraints, g.constraint(key))
		}
	}
	if g.chance(25) {
		pod.Spec.Tolerations = []v1.Toleration{{Key: "dedicated", Operator: v1.TolerationOpExists}}
	}
	if g.chance(8) {
		pod.Spec.NodeSelector = map[string]string{"disk": g.one("ssd", "hdd")}
	}
	if g.chance(8) {
		requirement := v1.NodeSelectorRequirement{Key: "zone", Operator: v1.NodeSelectorOpIn, Values: g.some(2, "x", "y", "z")}
		term := v1.NodeSelectorTerm{MatchExpressions: []v1.NodeSelectorRequirement{requirement}}
		if pod.Spec.Affinity == nil {
			pod.Spec.Affinity = &v1.Affinity{}
		}
		pod.Spec.Affinity.NodeAffinity = &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{term}}}
	}
	if g.chance(15) {
		pod.Status.NominatedNodeName = nodes[g.IntN(len(nodes))].Name
	}
	return pod
}

func (g generator) terms() []v1.PodAffinityTerm {
	var terms []v1.PodAffinityTerm
	for range 1 + g.IntN(2) {
		term := v1.PodAffinityTerm{TopologyKey: g.one(topologies...), LabelSelector: g.selector()}
		if g.chance(25) {
			term.Namespaces = g.some(2, "a", "b", "c")
		}
		if g.chance(25) {
			term.NamespaceSelector = &metav1.LabelSelector{}
			if g.chance(70) {
				term.NamespaceSelector.MatchLabels = map[string]string{"team": g.one("blue", "red")}
			}
		}
		terms = append(terms, term)
	}
	return terms
}

func (g generator) selector() *metav1.LabelSelector {
	switch {
	case g.chance(4):
		return nil
	case g.chance(6):
		return &metav1.LabelSelector{}
	case g.chance(60):
		return &metav1.LabelSelector{MatchLabels: map[string]string{"app": g.one("web", "db", "cache")}}
	}
	operators := []metav1.LabelSelectorOperator{metav1.LabelSelectorOpIn, metav1.LabelSelectorOpNotIn, metav1.LabelSelectorOpExists, metav1.LabelSelectorOpDoesNotExist}
	requirement := metav1.LabelSelectorRequirement{Key: g.one("app", "version"), Operator: operators[g.IntN(4)]}
	if strings.HasSuffix(string(requirement.Operator), "In") {
		requirement.Values = g.some(2, "web", "db", "1", "2")
	}
	return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{requirement}}
}

func (g generator) constraint(key string) v1.TopologySpreadConstraint {
	constraint := v1.TopologySpreadConstraint{MaxSkew: int32(1 + g.IntN(2)), TopologyKey: key, LabelSelector: g.selector(), WhenUnsatisfiable: v1.DoNotSchedule}
	if g.chance(15) {
		constraint.WhenUnsatisfiable = v1.ScheduleAnyway
		return constraint
	}
	if g.chance(25) {
		constraint.MinDomains = ptr.To(int32(1 + g.IntN(4)))
	}
	policies := []v1.NodeInclusionPolicy{v1.NodeInclusionPolicyHonor, v1.NodeInclusionPolicyIgnore}
	if g.chance(30) {
		constraint.NodeAffinityPolicy = &policies[g.IntN(2)]
	}
	if g.chance(30) {
		constraint.NodeTaintsPolicy = &policies[g.IntN(2)]
	}
	if g.chance(20) && constraint.LabelSelector != nil {
		constraint.MatchLabelKeys = []string{"version"}
	}
	return constraint
}
