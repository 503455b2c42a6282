package e2e

// The lessons against upstream's API server: they print the traces in the documents, which are in fixtures/traces.

import (
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"informer-lab/peers/e2e/harness"
)

// lesson is a lesson that watches a cluster, with its trace in the documents.
type lesson struct {
	arguments []string
	trace     string
	// terminating is the number of MODIFIED events that a deletion causes in the trace.
	terminating string
	// mayEndWith is a last line that may be missing (see optionalEnd).
	mayEndWith string
}

func TestALessonPrintsTheDocumentsTraceWhilePodsComeAndGoOnARealAPIServer(t *testing.T) {
	t.Parallel()
	for _, lesson := range []lesson{
		{arguments: []string{"reflector"}, trace: "reflector", terminating: "4", mayEndWith: "Deleted : nettool : Running"},
		{arguments: []string{"reflector", "--known-objects"}, trace: "reflector-known-objects", terminating: "4"},
		{arguments: []string{"myinformer"}, trace: "myinformer", terminating: "3"},
	} {
		t.Run(strings.Join(lesson.arguments, " "), func(t *testing.T) {
			t.Parallel()
			cluster := harness.RealCluster(t, "--terminating", lesson.terminating)
			expected := documents(t, lesson.trace)
			run := watch(t, cluster, lesson.arguments)
			runAndDeleteNettool(t, cluster)
			compare(t, untilTheMarker(t, cluster, run), expected, lesson.mayEndWith)
		})
	}
}

func TestListwatchListsWhatIsThereAndThenPrintsEachEventOfARealAPIServer(t *testing.T) {
	t.Parallel()
	cluster := withTheDocumentsPods(t)
	run := watch(t, cluster, []string{"listwatch"})
	runAndDeleteNettool(t, cluster)
	printed := untilTheMarker(t, cluster, run)
	expected := documents(t, "listwatch")
	// The four pods are listed and then added, in the order of the server.
	slices.Sort(printed[:4])
	slices.Sort(printed[4:8])
	slices.Sort(expected[:4])
	slices.Sort(expected[4:8])
	compare(t, printed, expected, "")
}

func TestEachHandlerOfASharedInformerGetsEveryPodOfARealAPIServer(t *testing.T) {
	t.Parallel()
	cluster := withTheDocumentsPods(t, "--terminating", "3")
	run := watch(t, cluster, []string{"shared", "--step", "list-watch"})
	run.Out.AwaitCount(t, 8, "initial list for both handlers")
	runAndDeleteNettool(t, cluster)
	makeMarker(t, cluster)
	for _, handler := range []string{":", ":second"} {
		toHandler := func(line string) bool { return strings.HasSuffix(strings.Fields(line)[0], handler) }
		run.Out.AwaitLine(t, "OnAdd"+handler+" "+marker)
		printed := beforeMarker(only(run.Out.All(), toHandler))
		expected := only(documents(t, "shared-list-watch"), toHandler)
		slices.Sort(printed[:4])
		slices.Sort(expected)
		// The documents' run ends before nettool is created. Its events are the same for every informer.
		for _, line := range documents(t, "myinformer") {
			expected = append(expected, strings.Replace(line, ":", handler, 1))
		}
		compare(t, printed, expected, "")
	}
}

func TestFactoryNamesEveryPodOfARealAPIServer(t *testing.T) {
	t.Parallel()
	cluster := withTheDocumentsPods(t)
	run := watch(t, cluster, []string{"factory"})
	run.Out.AwaitCount(t, 4, "initial list")
	runAndDeleteNettool(t, cluster)
	printed := untilTheMarker(t, cluster, run)
	slices.Sort(printed[:4])
	compare(t, printed, append(documents(t, "factory"), "nettool"), "")
}

func TestIndexerAnswersFromAnIndexOfThePodsOfARealAPIServer(t *testing.T) {
	t.Parallel()
	cluster := withTheDocumentsPods(t)
	run := watch(t, cluster, []string{"indexer", "--serve", "127.0.0.1:0"})
	_, url, _ := strings.Cut(run.Err.AwaitLine(t, "curl http://"), "curl ")
	expected, err := os.ReadFile(harness.Fixture("traces", "indexer-serve.json"))
	if err != nil {
		t.Fatal(err)
	}
	awaitBody(t, url, string(expected))

	kubectl := cluster.Kubectl()
	kubectl.Run(t, "run", "nettool", image, "--labels=app=nettool")
	awaitBody(t, url+"/?app=nettool", `["default/nettool"]`)
	kubectl.Run(t, "wait", "--for=condition=Ready", "pod/nettool")
	kubectl.Run(t, "delete", "pod", "nettool")
	awaitBody(t, url+"/?app=nettool", `[]`)
}

// withTheDocumentsPods starts a real cluster with the four running pods of the documents.
func withTheDocumentsPods(t *testing.T, lifecycle ...string) harness.Cluster {
	t.Helper()
	cluster := harness.RealCluster(t, lifecycle...)
	makeTheDocumentsPods(t, cluster)
	return cluster
}

func makeTheDocumentsPods(t *testing.T, cluster harness.Cluster) {
	t.Helper()
	kubectl := cluster.Kubectl()
	// The pods in the fixture are already bound. Here a scheduler binds them.
	pods, err := os.ReadFile(harness.Fixture("pods.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	kubectl.Feed(t, strings.ReplaceAll(string(pods), "  nodeName: node-1\n", ""), "create", "-f", "-")
	kubectl.Run(t, "wait", "--for=condition=Ready", "pod", "--all")
}

// watch starts a lesson and waits until it watches the cluster.
func watch(t *testing.T, cluster harness.Cluster, arguments []string) *harness.Process {
	t.Helper()
	proxy := harness.NewProxy(t, cluster)
	arguments = append(slices.Clone(arguments), "--kubeconfig", cluster.Behind(t, proxy).Kubeconfig)
	run := harness.Start(t, nil, harness.Lab(), arguments...)
	proxy.AwaitWatches(t, 1)
	return run
}

func runAndDeleteNettool(t *testing.T, cluster harness.Cluster) {
	t.Helper()
	kubectl := cluster.Kubectl()
	kubectl.Run(t, "run", "nettool", image)
	kubectl.Run(t, "wait", "--for=condition=Ready", "pod/nettool")
	kubectl.Run(t, "delete", "pod", "nettool")
}

// marker is the name of a pod that is created last, so that its events come after all others.
const marker = "marker"

// untilTheMarker creates the marker and returns the lines that the program prints before it.
func untilTheMarker(t *testing.T, cluster harness.Cluster, run *harness.Process) []string {
	t.Helper()
	makeMarker(t, cluster)
	run.Out.AwaitLine(t, marker)
	return beforeMarker(run.Out.All())
}

func makeMarker(t *testing.T, cluster harness.Cluster) {
	t.Helper()
	cluster.Kubectl().Run(t, "run", marker, image)
}

func beforeMarker(lines []string) []string {
	return lines[:slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, marker) })]
}

// documents returns the lines of a trace in the documents.
func documents(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(harness.Fixture("traces", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

func only(lines []string, wanted func(string) bool) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return !wanted(line) })
}

// compare expects the printed lines to be the expected ones. The line mayEndWith may be missing at the end.
func compare(t *testing.T, printed, expected []string, mayEndWith string) {
	t.Helper()
	if slices.Equal(trimLast(printed, mayEndWith), trimLast(expected, mayEndWith)) {
		return
	}
	t.Errorf("printed:\n%s\n\nexpected:\n%s", strings.Join(printed, "\n"), strings.Join(expected, "\n"))
}

func trimLast(lines []string, last string) []string {
	if last != "" && len(lines) > 0 && lines[len(lines)-1] == last {
		return lines[:len(lines)-1]
	}
	return lines
}

// awaitBody sends requests until the answer is the expected one.
func awaitBody(t *testing.T, url, expected string) {
	t.Helper()
	deadline := time.Now().Add(harness.Patience)
	for {
		body, err := get(url)
		if err == nil && body == expected {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s answers %q (%v), not %q", url, body, err, expected)
		}
		<-time.After(20 * time.Millisecond)
	}
}

func get(url string) (string, error) {
	response, err := http.Get(url)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return strings.TrimSpace(string(body)), err
}
