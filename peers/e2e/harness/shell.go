package harness

import (
	"os"
	"path/filepath"
	"testing"
)

// Shell runs lines of a shell in a folder, in which kubectl is this one.
type Shell struct {
	folder    string
	variables []string
}

// Shell is a shell for this kubectl, in a new folder with these files.
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

// Try runs a line. It may fail.
func (s Shell) Try(t *testing.T, line string) Result {
	t.Helper()
	return Kubectl{program: "sh", variables: s.variables}.Try(t, "", "-c", "cd "+s.folder+" && "+line)
}

// Start runs a line beside the test.
func (s Shell) Start(t *testing.T, line string) *Process {
	t.Helper()
	return Start(t, s.variables, "sh", "-c", "cd "+s.folder+" && exec "+line)
}
