package e2e

// client-go's informers print the same on the built-in cluster as on a real API server.

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"informer-lab/peers/e2e/harness"
)

// recordedTrace is the output of a tracer on a real API server: the existing pods, then the changes of two kubectl
// commands.
type recordedTrace struct{ before, run, delete []string }

// The traces are testdata/PROGRAM.watchlist-BOOL.PODS.txt. BOOL says if client-go may stream lists, PODS if pods
// existed before.
func TestClientGosProgramsPrintTheSameAsOnARealAPIServer(t *testing.T) {
	programs := []string{"listwatch", "listwatch-norv", "deltafifo", "deltafifo-known", "deltafifo-replaced", "deltafifo-known-replaced", "informer", "shared"}
	for _, watchList := range []string{"true", "false"} {
		for _, pods := range []string{"empty", "preexisting"} {
			circumstances := "watchlist-" + watchList + "." + pods
			t.Run(circumstances, func(t *testing.T) {
				t.Parallel()
				cluster := harness.LabCluster(t, "--stages", harness.DefaultStages())
				kubectl := cluster.Kubectl()
				if pods == "preexisting" {
					kubectl.Run(t, "run", "old-a", image)
					kubectl.Run(t, "run", "old-b", image)
					kubectl.Run(t, "wait", "--for=condition=Ready", "pod", "--all")
				}
				traces, runs := map[string]recordedTrace{}, map[string]*harness.Process{}
				for _, program := range programs {
					traces[program] = readTrace(t, program+"."+circumstances)
					variables := []string{"KUBECONFIG=" + cluster.Kubeconfig, "KUBE_FEATURE_WatchListClient=" + watchList}
					runs[program] = harness.Start(t, variables, harness.Peer("tracer"), program)
				}
				for program, run := range runs {
					run.Err.AwaitLine(t, "synced")
					run.Out.AwaitCount(t, len(traces[program].before), "initial list")
				}
				kubectl.Run(t, "run", "nettool", image)
				for program, run := range runs {
					run.Out.AwaitCount(t, len(traces[program].before)+len(traces[program].run), "nettool's start")
				}
				kubectl.Run(t, "delete", "pod", "nettool")
				makeMarker(t, cluster)
				for _, program := range programs {
					t.Run(program, func(t *testing.T) {
						runs[program].Out.AwaitLine(t, marker)
						trace := traces[program]
						printed := beforeMarker(runs[program].Out.All())
						if watchList == "true" {
							// client-go collects a streamed list in a map, so its order is random.
							slices.Sort(printed[:len(trace.before)])
							slices.Sort(trace.before)
						}
						compare(t, printed, slices.Concat(trace.before, trace.run, trace.delete), optionalEnd(program))
					})
				}
			})
		}
	}
}

// optionalEnd returns the last line of a trace if it may be missing, else an empty text. Without known objects, a
// DeltaFIFO drops a deletion unless deltas of the pod are still queued.
func optionalEnd(program string) string {
	if program == "deltafifo" || program == "deltafifo-replaced" {
		return "Deleted : nettool : Running"
	}
	return ""
}

func readTrace(t *testing.T, name string) recordedTrace {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), "--- kubectl run nettool --image=cr7258/nettool:v1\n")
	run, deletion, foundToo := strings.Cut(rest, "--- kubectl delete pod nettool\n")
	if !found || !foundToo {
		t.Fatalf("%s lacks the lines that mark the calls of kubectl", name)
	}
	split := func(text string) []string {
		return strings.FieldsFunc(text, func(r rune) bool { return r == '\n' })
	}
	return recordedTrace{split(before), split(run), split(deletion)}
}
