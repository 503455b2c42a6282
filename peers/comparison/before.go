package main

// The option --before REVISION, which compares our cluster with an earlier revision of itself.

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// buildBefore builds the program of an earlier revision, from the git history. It uses a target folder of its own, so
// that the next such build is short.
func buildBefore(ctx context.Context, p programs, profile, revision string) (string, error) {
	sources := filepath.Join(p.scratch, "before")
	archive := sources + ".tar"
	if err := os.Mkdir(sources, 0o755); err != nil {
		return "", err
	}
	if err := loud(process(ctx, "git", "-C", p.root, "archive", "--output", archive, revision)); err != nil {
		return "", fmt.Errorf("the sources of --before %s: %w", revision, err)
	}
	// -m sets the files' times to now. With the times of their commit, Cargo would take results of another revision
	// for up to date.
	if err := loud(process(ctx, "tar", "-xmf", archive, "-C", sources)); err != nil {
		return "", err
	}
	if err := takeProfiles(filepath.Join(p.root, "Cargo.toml"), filepath.Join(sources, "Cargo.toml")); err != nil {
		return "", err
	}
	return cargo(ctx, sources, "informer-lab", "build", "--locked", "-p", "informer-lab", "--profile", profile,
		"--target-dir", filepath.Join(p.root, "target", "before"))
}

// takeProfiles replaces the profiles of the manifest into with those of from, because the comparison is about the code
// and not about the compiler's options.
func takeProfiles(from, into string) error {
	ours, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	theirs, err := os.ReadFile(into)
	if err != nil {
		return err
	}
	_, profiles := splitProfiles(string(ours))
	rest, _ := splitProfiles(string(theirs))
	return os.WriteFile(into, []byte(rest+"\n"+profiles), 0o644)
}

// splitProfiles separates the profile tables of a manifest from the rest.
func splitProfiles(manifest string) (rest, profiles string) {
	into := &rest
	for line := range strings.Lines(manifest) {
		if strings.HasPrefix(line, "[profile") {
			into = &profiles
		} else if strings.HasPrefix(line, "[") {
			into = &rest
		}
		*into += line
	}
	return rest, profiles
}

// asGood is the ratio that the cluster has to reach to count as no more expensive than before. It is below one,
// because figures vary by a tenth without any change of the code.
const asGood = 0.9

// beforeRows returns the rows that compare the cluster with the revision of --before, if there is one.
func beforeRows(p programs, s size) []row {
	if *before == "" {
		return nil
	}
	since := func(goals ...goal) []goal {
		for n := range goals {
			goals[n].against, goals[n].ratio = *before, asGood
		}
		return goals
	}
	return []row{{
		number: 11, name: "API server since " + *before,
		contenders: []contender{p.plainCluster(s, ours, p.informerLab), p.plainCluster(s, *before, p.before)},
		goals: since(
			goal{what: "creates", part: "creates", better: higher},
			goal{what: "LIST of " + brief(s.pods) + " pods", part: "list"},
			goal{what: "events to " + brief(s.of(1000)) + " watchers", part: "events", better: higher},
			goal{what: "processor time per event", part: "processor"},
			goal{what: "processor time per event in protobuf", part: "processor in protobuf"},
			goal{what: "processor time per event as Tables", part: "processor as Tables"},
			goal{what: "LIST of " + brief(s.pods) + " pods as a Table", part: "list as Table"},
			goal{what: "start to first answer", part: "start"},
			goal{what: "idle memory", part: "idle"},
			goal{what: "memory with " + brief(s.pods) + " pods", part: "memory"},
		),
	}, {
		number: 11, name: "cluster since " + *before, runs: lifecycleRow(p, s).runs,
		contenders: []contender{p.liveCluster(s, ours, p.informerLab), p.liveCluster(s, *before, p.before)},
		goals: since(
			goal{what: "pods to Running", part: "running", better: higher},
			goal{what: "processor time per pod", part: "processor per pod"},
			goal{what: "memory with " + brief(10*s.pods) + " pods that run", part: "memory"},
		),
	}}
}
