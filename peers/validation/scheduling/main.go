// Command scheduling asks kube-scheduler's own plugins where random pods fit on random nodes with random pods, and which
// pods they would preempt. It writes each cluster with the answers as a line of fixtures/scheduling/decisions.jsonl. The
// same seed makes the same lines.
//
//	go run ./scheduling -seed 7 -clusters 120 >../../fixtures/scheduling/decisions.jsonl
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
}

type refusal struct {
	Reasons []string `json:"reasons"`
	// Resolvable is true if the pod could fit if other pods left the node.
	Resolvable bool `json:"resolvable"`
}

func main() {
	seed := flag.Uint64("seed", 7, "the seed of the random clusters")
	clusters := flag.Int("clusters", 120, "the number of clusters")
	flag.Parse()
	klog.SetOutput(io.Discard)
	klog.LogToStderr(false)
	metrics.Register()
	out := json.NewEncoder(os.Stdout)
	generate := generator{rand.New(rand.NewPCG(*seed, 0))}
	for range *clusters {
		line := generate.cluster()
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
