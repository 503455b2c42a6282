// Command suites runs tests that others wrote against `informer-lab cluster`, and prints a table of what passed. What cannot apply to this
// cluster is named in the table of suites with its reason; a test that fails without a reason, and a reason that nothing needs, fail the run.
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

// place says where things are.
type place struct {
	lab, scratch string
}

// outcome is how one test of a suite ended.
type outcome struct {
	test    string
	passed  bool
	message string
}

// suite is a program of tests.
type suite struct {
	name, version string
	// run returns how each test ended.
	run func(place) ([]outcome, error)
	// exceptions name the tests that cannot pass here.
	exceptions []exception
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
	write := flag.Bool("write", false, "write the table into the project's READMEs")
	flag.Parse()
	root, err := filepath.Abs(*project)
	if err != nil {
		return err
	}
	at := place{lab: *lab, scratch: filepath.Join(root, "target", "suites")}
	if at.lab == "" {
		at.lab = filepath.Join(root, "target", "debug", "informer-lab")
	}
	if at.lab, err = filepath.Abs(at.lab); err != nil {
		return err
	}
	chosen := slices.DeleteFunc(slices.Clone(suites), func(s suite) bool { return !strings.Contains(s.name, *only) })
	if len(chosen) == 0 {
		return fmt.Errorf("no suite has %q in its name", *only)
	}
	if *write && *only != "" {
		return errors.New("--write writes the table of all suites: leave out --only")
	}
	results, failed := runAll(chosen, at)
	table := markdown(results)
	fmt.Print("\n", table)
	if *write {
		if err := writeTables(root, table); err != nil {
			return err
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d suites are not as their table says", failed)
	}
	return nil
}

func runAll(chosen []suite, at place) (results []result, failed int) {
	for _, suite := range chosen {
		fmt.Printf("== %s %s\n", suite.name, suite.version)
		began := time.Now()
		outcomes, err := suite.run(at)
		if err != nil {
			fmt.Printf("FAILED: %v\n", err)
			failed++
			continue
		}
		result := judge(suite, outcomes)
		result.seconds = time.Since(began).Seconds()
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
