package openapi

// Reads the packed OpenAPI documents of the project.

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// document returns one of the OpenAPI documents that the project's server serves. The format is described in
// crates/kube-testcluster/src/discovery/openapi/documents.rs.
func document(wanted string) ([]byte, error) {
	_, here, _, _ := runtime.Caller(0) // always known for this file
	file, err := os.Open(filepath.Join(filepath.Dir(here), "../../../crates/kube-testcluster/src/discovery/openapi/documents.gz"))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	plain, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	pack := bufio.NewReader(plain)
	// The pack begins with a line for each document. The parts below name a document by the number of its line.
	number := ""
	for n := 0; ; n++ {
		line, err := pack.ReadString('\n')
		if err != nil {
			return nil, err
		}
		name, _, more := strings.Cut(line, " ")
		if !more {
			break
		}
		if name == wanted {
			number = fmt.Sprint(n)
		}
	}
	var found []byte
	for {
		line, err := pack.ReadString('\n')
		if err == io.EOF {
			return found, nil
		}
		if err != nil {
			return nil, err
		}
		of, length := "", 0
		if _, err := fmt.Sscan(line, &of, &length); err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		part := make([]byte, length)
		if _, err := io.ReadFull(pack, part); err != nil {
			return nil, err
		}
		if slices.Contains(strings.Split(of, ","), number) {
			found = append(found, part...)
		}
	}
}
