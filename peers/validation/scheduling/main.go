// Command scheduling asks kube-scheduler's own plugins where random pods fit on random nodes with random pods, which pods
// they would preempt, and which volumes they would choose. The first clusters have no volumes. It writes each cluster with the answers as a line of fixtures/scheduling/decisions.jsonl. The
// same seed makes the same lines.
//
//	go run ./scheduling -seed 7 -clusters 120 -with-volumes 150 >../../fixtures/scheduling/decisions.jsonl
package main

import (
	"context"
	"encoding/json"
	"flag"
	"io"
	"log"
	"math/rand/v2"
	"os"

	v1 "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

// cluster is what the scheduler sees, with its answer about one pod.
type cluster struct {
	Namespaces []*v1.Namespace               `json:"namespaces"`
	Nodes      []node                        `json:"nodes"`
	Budgets    []*policy.PodDisruptionBudget `json:"budgets"`
	// Pods are the pods on nodes.
	Pods []*v1.Pod `json:"pods"`
	*volumes
	// Nominated are waiting pods that have a nominated node.
	Nominated []*v1.Pod `json:"nominated"`
	// Pod is the pod to schedule.
	Pod    *v1.Pod `json:"pod"`
	Answer answer  `json:"answer"`
}

// node is a node that is written without the fields of its status that no plugin reads.
type node struct{ *v1.Node }

func (n node) MarshalJSON() ([]byte, error) {
	status := map[string]any{"allocatable": n.Status.Allocatable}
	return json.Marshal(map[string]any{"metadata": n.ObjectMeta, "spec": n.Spec, "status": status})
}

// answer is what the plugins say.
type answer struct {
	// Refusals are the reasons against each node where the pod does not fit.
	Refusals map[string]refusal `json:"refusals"`
	// Message is what the preemption says, if the pod fits nowhere.
	Message string `json:"message,omitempty"`
	// Node is nominated for the pod, because the victims end there.
	Node    string   `json:"node,omitempty"`
	Victims []string `json:"victims,omitempty"`
	// PreFilter is the message of a plugin that refuses all nodes.
	PreFilter string `json:"preFilter,omitempty"`
	// Volumes are what the claims of the pod get on each node where the pod fits, if anything.
	Volumes map[string]podVolumes `json:"volumes,omitempty"`
}

// podVolumes is what has to be written for the claims of a pod before it is bound.
type podVolumes struct {
	// Bindings are the sizes of the volumes that are chosen. No two volumes of a cluster have the same size.
	Bindings []int64 `json:"bindings,omitempty"`
	// Provisions are the names of the claims whose volumes are to be made.
	Provisions []string `json:"provisions,omitempty"`
}

type refusal struct {
	Reasons []string `json:"reasons"`
	// Resolvable is true if the pod could fit if other pods left the node.
	Resolvable bool `json:"resolvable"`
}

func main() {
	seed := flag.Uint64("seed", 7, "the seed of the random clusters")
	clusters := flag.Int("clusters", 120, "the number of clusters without volumes")
	withVolumes := flag.Int("with-volumes", 150, "the number of clusters with volumes")
	flag.Parse()
	klog.SetOutput(io.Discard)
	klog.LogToStderr(false)
	metrics.Register()
	out := json.NewEncoder(os.Stdout)
	plain, storage := generator{rand.New(rand.NewPCG(*seed, 0))}, generator{rand.New(rand.NewPCG(*seed, 1))}
	for n := range *clusters + *withVolumes {
		var line *cluster
		if n < *clusters {
			line = plain.cluster()
		} else {
			line = storage.clusterWithVolumes()
		}
		decided, err := decide(context.Background(), line)
		if err != nil {
			log.Fatal(err)
		}
		line.Answer = decided
		if err := out.Encode(line); err != nil {
			log.Fatal(err)
		}
	}
}
