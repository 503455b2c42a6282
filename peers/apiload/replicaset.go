package main

// Measures the memory that the controller of ReplicaSets takes.

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

const replicaSetText = `{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"first"},"spec":{"replicas":1,"selector":{"matchLabels":{"set":"first"}},` +
	`"template":{"metadata":{"labels":{"set":"first"}},"spec":{"containers":[{"name":"c","image":"nginx:1.27"}]}}}}`

// firstReplicaSet creates a ReplicaSet, which makes the controller look at all pods, and measures the memory after that
// in percent of the memory before. The result can be under 100, if the allocator returns more memory in between.
func (l *load) firstReplicaSet() ([]figure, error) {
	if *pid == 0 {
		return nil, nil
	}
	before, err := resident(*pid)
	if err != nil {
		return nil, err
	}
	server, err := dial(l.server)
	if err != nil {
		return nil, err
	}
	defer server.close()
	const sets = "/apis/apps/v1/namespaces/default/replicasets"
	if err := server.send(http.MethodPost, sets, "application/json", replicaSetText); err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		ready, err := l.readyReplicas(l.server + sets + "/first")
		if err != nil {
			return nil, err
		}
		if ready == 1 {
			break
		}
		if time.Now().After(deadline) {
			return nil, errors.New("the pod of the first ReplicaSet is not ready after a minute")
		}
	}
	after, err := resident(*pid)
	return []figure{{Part: "first ReplicaSet", Value: after / before * 100, Unit: "%", Did: *pods}}, err
}

func (l *load) readyReplicas(set string) (int, error) {
	answer, err := l.client.Get(set)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("GET %s: %s", set, answer.Status)
	}
	var object struct{ Status struct{ ReadyReplicas int } }
	err = json.NewDecoder(answer.Body).Decode(&object)
	return object.Status.ReadyReplicas, err
}
