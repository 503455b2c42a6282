// Command bench does one piece of work on client-go and measures it. benches/work does the same works on the
// project's own libraries, with the same options and the same output.
//
//	bench WORK [--key value…]
//
// If client-go has its own benchmark of a work, ../comparison runs that instead.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"k8s.io/klog/v2"
)

// work does something and measures it.
type work func(context.Context, options) ([]figure, error)

var works = map[string]work{
	"indexer-same":      indexerSame,
	"indexer-moving":    indexerMoving,
	"delta-fifo":        deltaFIFO,
	"real-fifo":         realFIFO,
	"workqueue-workers": workqueueWorkers,
	"shared-informer":   readersAndAWriter,
	"source":            sourceToHandlers,
	"lister-index":      listerIndex,
	"sync":              listToHandlers,
	"watch":             changesToHandlers,
}

func main() {
	klog.LogToStderr(true)
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(words []string) error {
	if len(words) == 0 || works[words[0]] == nil {
		return fmt.Errorf("name one work: %s", strings.Join(slices.Sorted(maps.Keys(works)), ", "))
	}
	options, err := parse(words[1:])
	if err != nil {
		return err
	}
	figures, err := works[words[0]](context.Background(), options)
	if err != nil {
		return err
	}
	lines := json.NewEncoder(os.Stdout)
	for _, figure := range figures {
		figure.Work = words[0]
		if err := lines.Encode(figure); err != nil {
			return err
		}
	}
	return nil
}
