// Command suites runs the published test suites of other projects against `informer-lab cluster`, and prints a table
// of the results. The table of suites names the tests that cannot pass on this cluster, with reasons. The run fails
// if another test fails, or if an exception is no longer needed.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// place holds the paths that suites need: the project, the program under test, and a folder for temporary files.
type place struct {
	project, lab, scratch string
}

type outcome struct {
	test    string
	passed  bool
	message string
}

type suite struct {
	name, version string
	// run runs the tests and returns an outcome for each.
	run func(place) ([]outcome, error)
	// exceptions name the tests that cannot pass on this cluster.
	exceptions []exception
	// quick suites run without --all, too.
	quick bool
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "suites:", err)
		os.Exit(1)
	}
}

func run() error {
	project := flag.String("project", "..", "the project's folder")
	lab := flag.String("informer-lab", "", "the program (default: the project's debug build)")
	only := flag.String("only", "", "only suites whose name contains this")
	all := flag.Bool("all", false, "all suites, and not only those of the job suites of .ci/deep")
	atOnce := flag.Int("at-once", 2, "how many suites run at the same time")
	write := flag.Bool("write", false, "write the table into docs/suites.md")
	flag.Parse()
	root, err := filepath.Abs(*project)
	if err != nil {
		return err
	}
	at := place{project: root, lab: *lab, scratch: filepath.Join(root, "target", "suites")}
	if at.lab == "" {
		at.lab = filepath.Join(root, "target", "debug", "informer-lab")
	}
	if at.lab, err = filepath.Abs(at.lab); err != nil {
		return err
	}
	chosen := slices.DeleteFunc(slices.Clone(suites), func(s suite) bool {
		return !strings.Contains(s.name, *only) || !(s.quick || *all || *only != "")
	})
	if len(chosen) == 0 {
		return fmt.Errorf("no suite has %q in its name", *only)
	}
	if *write && (*only != "" || !*all) {
		return errors.New("--write writes the table of all suites: give --all, and leave out --only")
	}
	results, failed := runAll(chosen, at, *atOnce)
	table := markdown(results)
	fmt.Print("\n", table)
	if *write {
		if err := writeTable(root, table); err != nil {
			return err
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d suites failed", failed)
	}
	return nil
}

// ending is the end of a suite: its outcomes, or an error.
type ending struct {
	outcomes []outcome
	err      error
	seconds  float64
}

// runAll runs the suites, `atOnce` at a time, because most of them mainly wait. It prints the results in the order of
// the suites.
func runAll(chosen []suite, at place, atOnce int) (results []result, failed int) {
	for i, ended := range start(chosen, at, atOnce) {
		ending := <-ended
		fmt.Printf("== %s %s\n", chosen[i].name, chosen[i].version)
		if ending.err != nil {
			fmt.Printf("FAILED: %v\n", ending.err)
			failed++
			continue
		}
		result := judge(chosen[i], ending.outcomes)
		result.seconds = ending.seconds
		results = append(results, result)
		for _, complaint := range result.complaints {
			fmt.Println("FAILED:", complaint)
		}
		if len(result.complaints) > 0 {
			failed++
		}
		fmt.Printf("%d of %d passed, %d do not apply, %.0f s\n", result.passed, result.attempted, result.notApplicable, result.seconds)
	}
	return results, failed
}

// start returns a channel for the end of each suite.
func start(chosen []suite, at place, atOnce int) []chan ending {
	ends := make([]chan ending, len(chosen))
	for i := range ends {
		ends[i] = make(chan ending, 1)
	}
	slots := make(chan struct{}, max(1, atOnce))
	go func() {
		for i, suite := range chosen {
			slots <- struct{}{}
			go func() {
				defer func() { <-slots }()
				began := time.Now()
				outcomes, err := suite.run(at)
				ends[i] <- ending{outcomes, err, time.Since(began).Seconds()}
			}()
		}
	}()
	return ends
}
