package trial

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

// Balancer is the load balancer.
type Balancer struct{ outside outside }

// Add adds a backend. It succeeds without effect if the backend is already there, and fails while the load balancer is
// down.
func (b Balancer) Add(backend string) error { return b.outside.post("balancer/add", []byte(backend)) }

// Remove removes a backend. It succeeds without effect if there is no such backend, and fails while the load balancer is
// down.
func (b Balancer) Remove(backend string) error {
	return b.outside.post("balancer/remove", []byte(backend))
}

// Show shows this state of a pod on the dashboard, which takes some time.
func (t *Trial) Show(pod *corev1.Pod) { t.outside.note("dashboard", pod) }

// NeedsPassword asks the policy whether a pod needs a password. Every pod does.
func (t *Trial) NeedsPassword(key string) bool { return t.outside.post("policy", []byte(key)) == nil }

// Alarm raises an alarm, as a pager would.
func (t *Trial) Alarm(about string) { must(t.outside.post("alarm", []byte(about))) }

// Handler returns a handler that notes its notifications under this name.
func (t *Trial) Handler(name string) cache.ResourceEventHandler {
	path := "handler/" + name
	return cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(pod any, initial bool) {
			t.outside.note(path, map[string]any{"type": "add", "object": pod, "initial": initial})
		},
		UpdateFunc: func(old, pod any) {
			t.outside.note(path, map[string]any{"type": "update", "old": old, "object": pod})
		},
		DeleteFunc: func(deleted any) {
			if tombstone, ok := deleted.(cache.DeletedFinalStateUnknown); ok {
				t.outside.note(path, map[string]any{"type": "delete", "object": tombstone.Obj, "tombstone": tombstone.Key})
				return
			}
			t.outside.note(path, map[string]any{"type": "delete", "object": deleted})
		},
	}
}

// outside is the URL of the world outside of the cluster, or empty without `informer-lab check`.
type outside string

// note sends an object that the judge notes.
func (o outside) note(path string, object any) {
	body, err := json.Marshal(object)
	must(err)
	must(o.post(path, body))
}

// post makes a call, and returns what the outside world says against it.
func (o outside) post(path string, body []byte) error {
	if o == "" {
		fmt.Printf("%s: %s\n", path, body)
		return nil
	}
	contentType := "text/plain; charset=utf-8"
	if json.Valid(body) {
		contentType = "application/json"
	}
	answer, err := http.Post(string(o)+"/"+path, contentType, bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode == http.StatusOK {
		return err
	}
	return errors.New(strings.TrimSpace(string(text)))
}

// must ends the program if a call fails that always succeeds.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
