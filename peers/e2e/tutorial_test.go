package e2e

// The Go programs of the tutorials against the built-in cluster.

import (
	"os"
	"slices"
	"strings"
	"testing"

	"informer-lab/peers/e2e/harness"
)

// The programs in peers/tutorial that need a cluster print what the lessons print.
func TestATutorialsProgramPrintsTheTraceOfItsLesson(t *testing.T) {
	t.Parallel()
	for _, program := range []struct{ name, stages, mayEndWith string }{
		{name: "reflector", stages: harness.DefaultStages(), mayEndWith: "Deleted : nettool : Running"},
		{name: "reflector-known-objects", stages: harness.DefaultStages()},
		{name: "myinformer", stages: harness.Fixture("stages", "myinformer.yaml")},
	} {
		t.Run(program.name, func(t *testing.T) {
			t.Parallel()
			cluster := harness.LabCluster(t, "--stages", program.stages)
			run := tutorial(t, cluster, program.name)
			runAndDeleteNettool(t, cluster)
			compare(t, untilTheMarker(t, cluster, run), documents(t, program.name), program.mayEndWith)
		})
	}
}

func TestATutorialsProgramWithFourPodsPrintsTheTraceOfItsLesson(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"listwatch", "shared-list-watch", "factory"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cluster := withFourPods(t)
			run := tutorial(t, cluster, name)
			expected := documents(t, name)
			if name == "listwatch" {
				expected = expected[:8] // nettool is created later
			}
			run.Out.AwaitCount(t, len(expected), "what exists")
			printed := untilTheMarker(t, cluster, run)
			slices.Sort(printed)
			slices.Sort(expected)
			compare(t, printed, expected, "")
		})
	}
}

func TestTheTutorialsIndexerAnswersWhatTheLessonAnswers(t *testing.T) {
	t.Parallel()
	cluster := withFourPods(t)
	run := tutorial(t, cluster, "indexer-serve")
	_, url, _ := strings.Cut(run.Err.AwaitLine(t, "curl http://"), "curl ")
	expected, err := os.ReadFile(harness.Fixture("traces", "indexer-serve.json"))
	if err != nil {
		t.Fatal(err)
	}
	awaitBody(t, url, string(expected))
	awaitBody(t, url+"/?app=wiremock", `["default/wiremock-84d49c989c-zg4ls"]`)
}

func TestTheTutorialsSelectorReportsAPodThatLeavesItAsDeleted(t *testing.T) {
	t.Parallel()
	cluster := withFourPods(t)
	run := tutorial(t, cluster, "selector")
	cluster.Kubectl().Run(t, "label", "--overwrite", "pod", "wiremock-84d49c989c-zg4ls", "app=other")
	printed := run.Out.AwaitCount(t, 3, "the deletion and the pod that still exists")
	compare(t, printed, []string{
		"OnAdd:    wiremock-84d49c989c-zg4ls app=wiremock",
		"OnDelete: wiremock-84d49c989c-zg4ls app=wiremock",
		"  server: wiremock-84d49c989c-zg4ls app=other",
	}, "")
}

// withFourPods starts a cluster of our own with the four ready pods of the tutorials.
func withFourPods(t *testing.T) harness.Cluster {
	t.Helper()
	cluster := harness.LabCluster(t, "--stages", harness.DefaultStages())
	makeTheDocumentsPods(t, cluster)
	return cluster
}

// tutorial starts a program and waits until it watches the cluster.
func tutorial(t *testing.T, cluster harness.Cluster, name string) *harness.Process {
	t.Helper()
	proxy := harness.NewProxy(t, cluster)
	kubeconfig := "KUBECONFIG=" + cluster.Behind(t, proxy).Kubeconfig
	run := harness.Start(t, []string{kubeconfig, "KUBE_FEATURE_WatchListClient=false", "LISTEN=127.0.0.1:0"}, harness.Peer("tutorial/"+name))
	proxy.AwaitWatches(t, 1)
	return run
}
