// Command podsecurity judges pods with kube-apiserver's own Pod Security checks, and reads the labels of namespaces as
// its admission plugin does. The pods are those of upstream's own fixtures, each once, and random ones. It writes a line
// for each pod, and one for each set of labels. The same seed makes the same lines.
//
//	go run ./podsecurity -seed 7 -fixtures "$(go list -m -f '{{.Dir}}' k8s.io/pod-security-admission)/test/testdata"
package main

import (
	"encoding/json"
	"flag"
	"io/fs"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	"sigs.k8s.io/yaml"
)

var (
	seed     = flag.Uint64("seed", 7, "the seed of the random pods and labels")
	random   = flag.Int("random", 240, "how many random pods are judged, and a quarter as many sets of labels read")
	fixtures = flag.String("fixtures", "", "the folder with upstream's pods")
)

// judged is a pod, its violations, and which of them it has from each minor version on in which that changes.
type judged struct {
	Pod        *corev1.Pod `json:"pod"`
	Violations []violation `json:"violations"`
	States     []state     `json:"states"`
}

// violation is a reason with its detail.
type violation [2]string

// state has the indices of the violations from a minor version on, in the order in which they are reported.
type state struct {
	Since      int   `json:"since"`
	Baseline   []int `json:"baseline"`
	Restricted []int `json:"restricted"`
}

// chosen is the policy that labels choose.
type chosen struct {
	Labels  map[string]string `json:"labels"`
	Enforce string            `json:"enforce"`
	Warn    string            `json:"warn"`
	Causes  []string          `json:"causes"`
}

func main() {
	flag.Parse()
	lines := json.NewEncoder(os.Stdout)
	lines.SetEscapeHTML(false)
	write := func(line any) {
		if err := lines.Encode(line); err != nil {
			log.Fatal(err)
		}
	}
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		log.Fatal(err)
	}
	g := generator{rand.New(rand.NewPCG(*seed, 0))}
	for _, pod := range slices.Concat(published(*fixtures), g.pods(*random)) {
		write(judge(evaluator, pod))
	}
	for range *random / 4 {
		write(choose(g.labels()))
	}
}

// newest is a minor version after every check.
const newest = 40

func judge(evaluator policy.Evaluator, pod *corev1.Pod) judged {
	line := judged{Pod: pod, Violations: []violation{}}
	for minor := range newest {
		at := func(level api.Level) []int {
			indices := []int{}
			version := api.LevelVersion{Level: level, Version: api.MajorMinorVersion(1, minor)}
			for _, result := range evaluator.EvaluatePod(version, &pod.ObjectMeta, &pod.Spec) {
				if !result.Allowed {
					indices = append(indices, line.index(violation{result.ForbiddenReason, result.ForbiddenDetail}))
				}
			}
			return indices
		}
		now := state{minor, at(api.LevelBaseline), at(api.LevelRestricted)}
		last := len(line.States) - 1
		if last < 0 || !slices.Equal(line.States[last].Baseline, now.Baseline) || !slices.Equal(line.States[last].Restricted, now.Restricted) {
			line.States = append(line.States, now)
		}
	}
	return line
}

// index returns the index of a violation, which it adds if it is new.
func (line *judged) index(of violation) int {
	if at := slices.Index(line.Violations, of); at >= 0 {
		return at
	}
	line.Violations = append(line.Violations, of)
	return len(line.Violations) - 1
}

func choose(labels map[string]string) chosen {
	privileged := api.LevelVersion{Level: api.LevelPrivileged, Version: api.LatestVersion()}
	policy, errors := api.PolicyToEvaluate(labels, api.Policy{Enforce: privileged, Audit: privileged, Warn: privileged})
	line := chosen{labels, policy.Enforce.String(), policy.Warn.String(), []string{}}
	for _, err := range errors {
		line.Causes = append(line.Causes, err.Error())
	}
	return line
}

// published returns the pods of upstream's fixtures. Nearly all are in the folders of several versions.
func published(folder string) []*corev1.Pod {
	var pods []*corev1.Pod
	seen := map[string]bool{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".yaml" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || seen[string(text)] {
			return err
		}
		seen[string(text)] = true
		pod := new(corev1.Pod)
		pods = append(pods, pod)
		return yaml.UnmarshalStrict(text, pod)
	})
	if err != nil {
		log.Fatal(err)
	}
	return pods
}
