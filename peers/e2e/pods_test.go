package e2e

// Pods and checks that many tests use.

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"informer-lab/peers/e2e/harness"
)

// image is the argument of kubectl run that names the image of the documents.
const image = "--image=cr7258/nettool:v1"

// runNettool creates the pod of the documents and waits until it is ready.
func runNettool(t *testing.T, kubectl harness.Kubectl) {
	t.Helper()
	kubectl.Run(t, "run", "nettool", image)
	kubectl.Run(t, "wait", "--for=condition=Ready", "pod/nettool")
}

func manifest(name string, labels map[string]string) string {
	pod := map[string]any{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": map[string]any{"name": name, "labels": labels},
		"spec":     map[string]any{"containers": []any{map[string]any{"name": "main", "image": "nginx:1.27"}}},
	}
	text, err := json.Marshal(pod)
	if err != nil {
		panic(err) // the map has only strings
	}
	return string(text) + "\n"
}

// replicaSet returns the manifest of a ReplicaSet with this many pods labelled app=web.
func replicaSet(replicas int) string {
	return fmt.Sprintf(`apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: web
spec:
  replicas: %d
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "nginx:1.27"}]}
`, replicas)
}

// field returns the value at a JSONPath of an object.
func field(t *testing.T, kubectl harness.Kubectl, object, path string) string {
	t.Helper()
	return kubectl.Run(t, "get", object, "-o", "jsonpath={"+path+"}")
}

// matches expects the whole text to match the pattern.
func matches(t *testing.T, text, pattern string) {
	t.Helper()
	if !regexp.MustCompile(`\A(?:` + pattern + `)\z`).MatchString(text) {
		t.Errorf("got:\n%s\nexpected what matches:\n%s", text, pattern)
	}
}

func equals(t *testing.T, text, expected string) {
	t.Helper()
	if text != expected {
		t.Errorf("got:\n%s\nexpected:\n%s", text, expected)
	}
}

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	missing := slices.DeleteFunc(parts, func(part string) bool { return strings.Contains(text, part) })
	if len(missing) > 0 {
		t.Errorf("there is no %q in:\n%s", missing, text)
	}
}

// squeeze replaces runs of spaces with one space, because the widths of columns depend on their contents.
func squeeze(text string) string {
	return regexp.MustCompile(` +`).ReplaceAllString(text, " ")
}
