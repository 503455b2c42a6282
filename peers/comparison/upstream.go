package main

// Runs benchmarks from client-go's own tests, as contenders in the comparison.

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// upstream is a benchmark of client-go's own tests.
type upstream struct {
	// tests is the path of the compiled test program.
	tests string
	// name is the benchmark's name, with sub-benchmarks as in Go: Name/level=1.
	name string
	// time is the -test.benchtime: a time, or a number of repetitions such as 100x.
	time string
	// warm runs the benchmark once before the measured run. A fixed number of repetitions has no other warm-up, and
	// our benchmark has one.
	warm bool
	// did computes the amount of work from the number of operations. Most benchmarks do the same fixed amount in each
	// operation; then it is a constant from the benchmark's source.
	did func(operations uint64) uint64
}

// fixed returns a did for a benchmark whose operations all do this amount of work.
func fixed(did int) func(uint64) uint64 { return func(uint64) uint64 { return uint64(did) } }

func operations(operations uint64) uint64 { return operations }

func (u upstream) contender(name string) contender {
	levels := strings.Split(u.name, "/")
	exact := "^" + strings.Join(levels, "$/^") + "$"
	return contender{name, func(ctx context.Context) ([]figure, error) {
		runs := 1
		if u.warm {
			runs = 2
		}
		tests := process(ctx, u.tests, "-test.run=^$", "-test.bench="+exact, "-test.benchtime="+u.time, fmt.Sprintf("-test.count=%d", runs))
		// The source in BenchmarkSharedIndexInformer does not support streaming lists, but does not say so; so the
		// client must not ask.
		tests.Env = append(os.Environ(), "KUBE_FEATURE_WatchListClient=false")
		out, err := output(tests)
		if err != nil {
			return nil, err
		}
		return u.parse(out)
	}}
}

// parse reads the figures in the last line of the output, such as "BenchmarkX-2  1000  217 ns/op  3.5 reads/s".
func (u upstream) parse(out []byte) (last []figure, err error) {
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) < 4 || !strings.HasPrefix(words[0], "Benchmark") {
			continue
		}
		count, err := strconv.ParseUint(words[1], 10, 64)
		if err != nil {
			continue
		}
		if last, err = u.figures(count, words[2:]); err != nil {
			return nil, err
		}
	}
	if len(last) == 0 {
		return nil, fmt.Errorf("%s printed no figure:\n%s", u.name, out)
	}
	return last, nil
}

func (u upstream) figures(operations uint64, words []string) (figures []figure, err error) {
	for ; len(words) >= 2; words = words[2:] {
		value, err := strconv.ParseFloat(words[0], 64)
		if err != nil {
			return nil, err
		}
		part, unit := "", "ns"
		if before, perSecond := strings.CutSuffix(words[1], "/s"); perSecond {
			part, unit = before, "/s"
		} else if words[1] != "ns/op" {
			continue
		}
		figures = append(figures, figure{part, value, unit, u.did(operations)})
	}
	return figures, nil
}
