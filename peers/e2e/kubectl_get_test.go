package e2e

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"informer-lab/peers/e2e/harness"
)

func TestGetShowsATableOfPods(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t).Kubectl()
	equals(t, kubectl.Try(t, "", "get", "pods").Err, "No resources found in default namespace.\n")
	runNettool(t, kubectl)
	matches(t, kubectl.Run(t, "get", "pods"),
		`NAME      READY   STATUS    RESTARTS   AGE\nnettool   1/1     Running   0          \d+s\n`)
	matches(t, kubectl.Run(t, "get", "pods", "-o", "wide"),
		`NAME      READY   STATUS    RESTARTS   AGE   IP +NODE     NOMINATED NODE   READINESS GATES\n`+
			`nettool   1/1     Running   0          \d+s +[\d.]+   node-1   <none>           <none>\n`)
	matches(t, kubectl.Run(t, "get", "pods", "--show-labels", "--no-headers"), `nettool +1/1 +Running +0 +\d+s +run=nettool\n`)
	equals(t, kubectl.Fail(t, "get", "pod", "nosuch"), "Error from server (NotFound): pods \"nosuch\" not found\n")
}

func TestGetShowsTheSameObjectAsYAMLAndJSON(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t).Kubectl()
	runNettool(t, kubectl)
	var fromYAML, fromJSON map[string]any
	if err := yaml.Unmarshal([]byte(kubectl.Run(t, "get", "pod", "nettool", "-o", "yaml")), &fromYAML); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(kubectl.Run(t, "get", "pod", "nettool", "-o", "json")), &fromJSON); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(fromYAML, fromJSON) {
		t.Errorf("YAML:\n%v\nJSON:\n%v", fromYAML, fromJSON)
	}
	if fromJSON["kind"] != "Pod" || fromJSON["apiVersion"] != "v1" {
		t.Errorf("the object has another kind or apiVersion: %v", fromJSON)
	}
	contains(t, kubectl.Run(t, "get", "pods", "-o", "yaml"), "kind: List\n", "  kind: Pod\n", "    name: nettool\n")
}

func TestGetPicksFields(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t).Kubectl()
	runNettool(t, kubectl)
	equals(t, kubectl.Run(t, "get", "pods", "-o", "name"), "pod/nettool\n")
	equals(t, kubectl.Run(t, "get", "pods", "-o", "jsonpath={.items[*].spec.containers[*].image}"), "cr7258/nettool:v1")
	equals(t, kubectl.Run(t, "get", "pods", "-o", "custom-columns=NAME:.metadata.name,PHASE:.status.phase"),
		"NAME      PHASE\nnettool   Running\n")
}

func TestGetShowsTheSelectedPods(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t).Kubectl()
	kubectl.Run(t, "create", "namespace", "other")
	kubectl.Feed(t, manifest("alpha", map[string]string{"app": "web", "tier": "front"}), "create", "-f", "-")
	kubectl.Feed(t, manifest("beta", map[string]string{"app": "web"}), "create", "-f", "-")
	kubectl.Feed(t, manifest("gamma", map[string]string{"app": "db"}), "create", "-f", "-", "-n", "other")

	for _, asked := range []struct {
		arguments string
		expected  []string
	}{
		{"", []string{"alpha", "beta"}},
		{"-A", []string{"alpha", "beta", "gamma"}},
		{"-n other", []string{"gamma"}},
		{"-l app=web", []string{"alpha", "beta"}},
		{"-l app=web,tier!=front", []string{"beta"}},
		{"-A -l app=db", []string{"gamma"}},
		{"--field-selector metadata.name=beta", []string{"beta"}},
		{"-A --field-selector metadata.namespace!=default", []string{"gamma"}},
		{"-A --chunk-size=1", []string{"alpha", "beta", "gamma"}},
		{"-A --sort-by=.metadata.name", []string{"alpha", "beta", "gamma"}},
	} {
		arguments := append([]string{"get", "pods", "-o", "custom-columns=:.metadata.name", "--no-headers"}, strings.Fields(asked.arguments)...)
		if names := strings.Fields(kubectl.Run(t, arguments...)); !slices.Equal(names, asked.expected) {
			t.Errorf("get pods %s: %v, expected %v", asked.arguments, names, asked.expected)
		}
	}
	kubectl.Run(t, "wait", "--for=condition=Ready", "pod/alpha", "pod/beta")
	equals(t, kubectl.Run(t, "get", "pods", "--field-selector", "status.phase=Running", "-o", "name"), "pod/alpha\npod/beta\n")
	contains(t, kubectl.Run(t, "get", "pods", "-A"), "NAMESPACE   NAME", "other       gamma")
	contains(t, kubectl.Fail(t, "get", "pods", "--field-selector", "spec.nosuch=x"), "field label not supported: spec.nosuch")
}

func TestGetWatchShowsExistingPodsAndChanges(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t).Kubectl()
	kubectl.Run(t, "run", "before", image)
	kubectl.Run(t, "wait", "--for=condition=Ready", "pod/before")

	everything := kubectl.Start(t, "get", "pods", "-w")
	everything.Out.AwaitLine(t, "before ")
	changes := kubectl.Start(t, "get", "pods", "--watch-only", "-o", "custom-columns=N:.metadata.name,P:.status.phase")
	// A watch without a list prints nothing before the first change, so the test makes changes until it prints.
	for made := 0; len(changes.Out.All()) == 0; made++ {
		kubectl.Run(t, "annotate", "--overwrite", "pod", "before", "change="+strings.Repeat("x", made+1))
	}

	runNettool(t, kubectl)
	kubectl.Run(t, "delete", "pod", "nettool")
	kubectl.Run(t, "run", marker, image)
	everything.Out.AwaitLine(t, marker)
	changes.Out.AwaitLine(t, marker)

	equals(t, everything.Out.All()[0], "NAME     READY   STATUS    RESTARTS   AGE")
	contains(t, everything.Out.All()[1], "before   1/1     Running")
	var statuses []string
	for _, line := range everything.Out.All() {
		if columns := strings.Fields(line); columns[0] == "nettool" {
			statuses = append(statuses, columns[2])
		}
	}
	equals(t, strings.Join(slices.Compact(statuses), " "), "Pending ContainerCreating Running Terminating")

	for _, line := range changes.Out.All() {
		if line != "N        P" && strings.HasPrefix(line, "before") && !strings.HasSuffix(line, "Running") {
			t.Errorf("a running pod is shown as %q", line)
		}
	}
	contains(t, changes.Out.String(), "nettool   Pending\n", "nettool   Running\n")
}
