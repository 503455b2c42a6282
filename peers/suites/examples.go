package main

// The suite of client-go's example programs.

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// example is an example program of a library: a shell command, and the text that it prints when it works. Most
// examples run until they are stopped.
type example struct {
	name, line, says string
}

// clientGoExamples are client-go's examples, their arguments, and the text that each prints when it works.
var clientGoExamples = []struct{ name, arguments, says string }{
	{"create-update-delete-deployment", "", "Deleted deployment."},
	{"dynamic-create-update-delete-deployment", "", "Deleted deployment."},
	{"leader-election", "-lease-lock-name=example -lease-lock-namespace=default -id=1", "Controller loop..."},
	{"out-of-cluster-client-configuration", "", "Pod example-xxxxx in namespace default not found"},
	{"workqueue", "", "Pod default/mypod does not exist anymore"},
}

func examples(at place) ([]outcome, error) {
	sources, err := module(at, clientGo, clientGoVersion)
	if err != nil {
		return nil, err
	}
	var programs []example
	for _, of := range clientGoExamples {
		program := filepath.Join(at.scratch, of.name)
		if err := goBuild(sources, program, "./examples/"+of.name); err != nil {
			return nil, err
		}
		line := fmt.Sprintf(`exec '%s' -kubeconfig "$KUBECONFIG" %s`, program, of.arguments)
		programs = append(programs, example{of.name, line, of.says})
	}
	return tryAll(at, programs)
}

func goBuild(folder, program, of string) error {
	build := exec.Command("go", "build", "-o", program, of)
	build.Dir = folder
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, output)
	}
	return nil
}

// tryAll runs each program beside a new cluster.
func tryAll(at place, programs []example) ([]outcome, error) {
	var outcomes []outcome
	for _, program := range programs {
		output, passed, err := program.try(at)
		if err != nil {
			return nil, err
		}
		outcomes = append(outcomes, outcome{program.name, passed, tail([]byte(output))})
	}
	return outcomes, nil
}

// try runs the program until it prints the expected text.
func (e example) try(at place) (output string, passed bool, err error) {
	ctx, end := context.WithTimeout(context.Background(), time.Minute)
	defer end()
	run := at.beside(ctx, nil, "sh", "-c", "exec 2>&1; "+e.line)
	run.Stdin = strings.NewReader(strings.Repeat("\n", 10)) // "Press Return key to continue"
	out, err := run.StdoutPipe()
	if err != nil {
		return "", false, err
	}
	if err := run.Start(); err != nil {
		return "", false, err
	}
	output, passed = until(out, e.says)
	end()
	_ = run.Wait() // the error is the interrupt
	return output, passed, nil
}

// until reads lines up to the first that contains the text.
func until(out io.Reader, says string) (output string, found bool) {
	for lines := bufio.NewScanner(out); lines.Scan(); {
		output += lines.Text() + "\n"
		if strings.Contains(lines.Text(), says) {
			return output, true
		}
	}
	return output, false
}
