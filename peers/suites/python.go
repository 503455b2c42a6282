package main

// The suite of the end-to-end tests that Python's client brings with it.

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
)

// pythonBase replaces the only module of the client's tests that is not published: the one that finds the cluster.
const pythonBase = `from kubernetes import client, config

def get_e2e_configuration():
    found = client.Configuration()
    config.load_kube_config(client_configuration=found)
    return found
`

func python(at place) ([]outcome, error) {
	folder := filepath.Join(at.scratch, "python")
	interpreter := filepath.Join(folder, "bin", "python")
	for _, command := range [][]string{
		{"python3", "-m", "venv", folder},
		{interpreter, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "kubernetes==" + pythonVersion},
	} {
		if output, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%q: %w: %s", command, err, output)
		}
	}
	tests := filepath.Join(folder, "tests", "kubernetes", "e2e_test")
	if err := os.MkdirAll(tests, 0o755); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(tests, "base.py"), []byte(pythonBase), 0o644); err != nil {
		return nil, err
	}
	// The program adds the folder of base.py to the package kubernetes, and then runs the tests that the package brings.
	program := `import kubernetes, sys, unittest
kubernetes.__path__.append(sys.argv.pop(1))
unittest.main(module=None, verbosity=2)`
	return at.tests(folder, pythonOutcomes, interpreter, "-c", program, filepath.Dir(tests),
		"kubernetes.dynamic.test_client", "kubernetes.dynamic.test_discovery")
}

var (
	pythonLine    = regexp.MustCompile(`(?m)^(test_\w+) \(.*\)(?: \.\.\. (?:.*\n)*?|\n.* \.\.\. )(ok|FAIL|ERROR)$`)
	pythonFailure = regexp.MustCompile(`(?ms)^(?:FAIL|ERROR): (test_\w+) .*?\n-{10,}\n(.*?)\n\n`)
)

func pythonOutcomes(output string) (outcomes []outcome) {
	messages := map[string]string{}
	for _, found := range pythonFailure.FindAllStringSubmatch(output, -1) {
		messages[found[1]] = tail([]byte(found[2]))
	}
	for _, found := range pythonLine.FindAllStringSubmatch(output, -1) {
		outcomes = append(outcomes, outcome{found[1], found[2] == "ok", messages[found[1]]})
	}
	return outcomes
}
