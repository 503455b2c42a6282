// Command comparison runs the project's machinery, client-go and kube-runtime side by side on the same work, and reports who takes how long.
// ../compare runs it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"time"
)

var (
	quick  = flag.Bool("quick", false, "less of everything, in five minutes")
	smoke  = flag.Bool("smoke", false, "run everything once, small, in debug builds, and write no results")
	cold   = flag.Bool("cold-builds", false, "also build both sides from nothing (minutes)")
	only   = flag.String("only", "", "only the rows whose number and name match this expression; write no results")
	outDir = flag.String("out", "../benches", "where the results go")
)

func main() {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	chosen, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	size := whole
	switch {
	case *smoke:
		size = smallest
	case *quick:
		size = short
	}
	programs, err := build(ctx, size)
	if err != nil {
		return err
	}
	defer os.RemoveAll(programs.scratch)
	machine := look(ctx)
	began := time.Now()
	var results []result
	for _, row := range rows(programs, size) {
		if !chosen.MatchString(row.title()) {
			continue
		}
		measured, err := row.measure(ctx, size.runs)
		if err != nil {
			return fmt.Errorf("row %s: %w", row.title(), err)
		}
		for _, result := range measured {
			fmt.Println(result.line())
		}
		results = append(results, measured...)
	}
	growth, err := grow(ctx, programs, size, chosen)
	if err != nil {
		return err
	}
	if *smoke || *only != "" {
		return nil
	}
	reasons, err := readReasons(filepath.Join(*outDir, "reasons.txt"))
	if err != nil {
		return err
	}
	report := report{machine, size, time.Since(began), results, growth, reasons}
	return errors.Join(
		os.WriteFile(filepath.Join(*outDir, "RESULTS.md"), report.markdown(), 0o644),
		os.WriteFile(filepath.Join(*outDir, "results.svg"), report.plot(), 0o644),
	)
}
