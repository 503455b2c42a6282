package harness

import (
	"os"
	"path/filepath"
	"testing"
)

// Shell runs shell commands in a folder, with the cluster's kubectl in PATH.
type Shell struct {
	folder    string
	variables []string
}

// Shell returns a shell with this kubectl, in a new folder with these files.
func (k Kubectl) Shell(t *testing.T, files map[string]string) Shell {
	t.Helper()
	folder := t.TempDir()
	for name, content := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	path := "PATH=" + filepath.Dir(k.program) + string(os.PathListSeparator) + os.Getenv("PATH")
	return Shell{folder: folder, variables: append([]string{path}, k.variables...)}
}

// Try runs a command line. It may fail.
func (s Shell) Try(t *testing.T, line string) Result {
	t.Helper()
	// Kubectl.Try runs any program with these variables.
	return Kubectl{program: "sh", variables: s.variables}.Try(t, "", "-c", "cd "+s.folder+" && "+line)
}

// Start starts a command line that runs beside the test.
func (s Shell) Start(t *testing.T, line string) *Process {
	t.Helper()
	return Start(t, s.variables, "sh", "-c", "cd "+s.folder+" && exec "+line)
}
