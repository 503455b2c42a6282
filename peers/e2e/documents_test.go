package e2e

// The documents show the real output of kubectl.

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"informer-lab/peers/e2e/harness"
)

// varyingParts are parts of outputs that differ in every run. They are replaced in this order.
var varyingParts = []struct {
	pattern     *regexp.Regexp
	placeholder string
}{
	{regexp.MustCompile(`\b\d+m?s\b`), "AGE"},
	{regexp.MustCompile(` +`), " "},
}

func masked(text string) string {
	for _, part := range varyingParts {
		text = part.pattern.ReplaceAllString(text, part.placeholder)
	}
	return text
}

func TestTheDocumentsShowTheOutputOfKubectl(t *testing.T) {
	t.Parallel()
	for _, page := range []string{"docs/cluster.md", "docs/zh/cluster.md"} {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(harness.Root(page))
			if err != nil {
				t.Fatal(err)
			}
			kubectl := harness.LabCluster(t, "--nodes", "2").Kubectl()
			shown := 0
			for _, block := range strings.Split(string(text), "```console\n")[1:] {
				block, _, _ = strings.Cut(block, "```")
				for _, step := range strings.Split("\n"+block, "\n$ kubectl ")[1:] {
					command, output, _ := strings.Cut(step, "\n")
					output, _, _ = strings.Cut(output, "\n$ ")
					shown++
					command = strings.ReplaceAll(command, "fixtures/", harness.Root("fixtures")+"/")
					got := kubectl.Run(t, strings.Fields(command)...)
					equals(t, masked(got), masked(strings.TrimSuffix(output, "\n")+"\n"))
				}
			}
			if shown < 4 {
				t.Errorf("%s shows %d kubectl commands", page, shown)
			}
		})
	}
}
