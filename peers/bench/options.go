package main

// Parses the benchmark's command line.

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// keys are all options. Each work uses some of them.
var keys = []string{"changes", "encoding", "handlers", "keys", "ms", "objects", "pods", "readers", "url", "workers"}

// options are the --key value pairs of the command line.
type options map[string]string

func parse(words []string) (options, error) {
	pairs := options{}
	for ; len(words) > 0; words = words[2:] {
		key, isKey := strings.CutPrefix(words[0], "--")
		if !isKey || len(words) < 2 {
			return nil, fmt.Errorf("expected --key value, found %s", words[0])
		}
		if !slices.Contains(keys, key) {
			return nil, fmt.Errorf("no option --%s; there are %s", key, strings.Join(keys, ", "))
		}
		pairs[key] = words[1]
	}
	return pairs, nil
}

func (o options) text(key, usual string) string {
	if value, ok := o[key]; ok {
		return value
	}
	return usual
}

func (o options) number(key string, usual int) int {
	value, ok := o[key]
	if !ok {
		return usual
	}
	number, err := strconv.Atoi(value)
	if err != nil {
		panic(fmt.Sprintf("--%s %s is no number", key, value))
	}
	return number
}

// time is the time for which a work is repeated.
func (o options) time() time.Duration {
	return time.Duration(o.number("ms", 500)) * time.Millisecond
}
