package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// buildBefore builds the program as it was at a revision, from the history of the project. Its own target folder makes the next build short.
func buildBefore(ctx context.Context, p programs, profile, revision string) (string, error) {
	sources := filepath.Join(p.scratch, "before")
	archive := sources + ".tar"
	if err := os.Mkdir(sources, 0o755); err != nil {
		return "", err
	}
	if err := loud(process(ctx, "git", "-C", p.root, "archive", "--output", archive, revision)); err != nil {
		return "", fmt.Errorf("the sources of --before %s: %w", revision, err)
	}
	// The files are as new as this build (-m). With the times of their commit, Cargo would take what it has built of another revision.
	if err := loud(process(ctx, "tar", "-xmf", archive, "-C", sources)); err != nil {
		return "", err
	}
	return cargo(ctx, sources, "informer-lab", "build", "--locked", "-p", "informer-lab", "--profile", profile,
		"--target-dir", filepath.Join(p.root, "target", "before"))
}

// nothingMore is the ratio at which something costs no more than before: a tenth is what the machine alone can make of it.
const nothingMore = 0.9
