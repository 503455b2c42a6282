package e2e

// The recordings in fixtures/wire can be made again.

import (
	"os"
	"path/filepath"
	"testing"

	"informer-lab/peers/e2e/harness"
)

// A recording that is made again is identical: nothing in it depends on the run, and it was not edited by hand.
func TestRecordingsMadeAgainAreIdentical(t *testing.T) {
	// Two of the recordings, because each one starts an API server.
	for _, name := range []string{"status.json", "forms.json"} {
		recorded, err := os.ReadFile(harness.Fixture("wire", name))
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, recorded, 0o600); err != nil {
			t.Fatal(err)
		}
		recorder := harness.Start(t, []string{"TMPDIR=" + t.TempDir()}, harness.Peer("record"), file)
		if code := recorder.Wait(t); code != 0 {
			t.Fatalf("the recorder ended with code %d", code)
		}
		again, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		equals(t, string(again), string(recorded))
	}
}
