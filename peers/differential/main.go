// Command differential sends the same random requests to a real API server (peers/apiserver) and to informer-lab's
// cluster, and compares their answers completely. It shrinks a difference to the shortest sequence of requests that
// shows it, and prints that sequence with both answers. table.go lists the intended differences.
//
//	differential --seed 1 --count 10000 [--seeds 10] [--kinds configmaps,leases]
//	    [--binary PATH | --server URL] [--peer PATH | --peer-server URL | --kube-apiserver PATH]
//
// With --kube-apiserver the peer is the real kube-apiserver with its default admission, and requests go to every kind that
// both servers serve.
//
// It exits with 1 if fewer than --at-least percent of the requests are answered alike, or if a row of table.go
// explained no difference.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
)

var (
	seed      = flag.Uint64("seed", 1, "the first seed")
	seeds     = flag.Uint64("seeds", 1, "how many seeds, one after the other")
	count     = flag.Int("count", 1000, "how many requests for each seed")
	only      = flag.String("kinds", "", "the kinds, by their plurals (default: all)")
	length    = flag.Int("length", 25, "how many requests a sequence has")
	binary    = flag.String("binary", inProject("target", "debug", "informer-lab"), "informer-lab")
	serverURL = flag.String("server", "", "the URL of a running cluster of informer-lab, instead of --binary")
	peer      = flag.String("peer", inProject("target", "peers", "apiserver"), "the real API server")
	peerURL   = flag.String("peer-server", "", "the URL of a running real API server, instead of --peer")
	kube      = flag.String("kube-apiserver", "", "the real kube-apiserver, instead of --peer: compares all of its kinds")
	examples  = flag.Int("examples", 40, "how many classes of differences to print")
	atLeast   = flag.Float64("at-least", 100, "the percentage of requests that must be answered alike")
	shrinking = flag.Bool("shrink", true, "shrink each difference to the shortest sequence of requests")
)

func main() {
	flag.Parse()
	ok, err := run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "differential:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

func run() (bool, error) {
	against := smallPeer
	if *kube != "" {
		against = kubeAPIServer
	}
	realURL, stopReal, err := serverAt(*peerURL, against.program(), against.start)
	if err != nil {
		return false, err
	}
	defer stopReal()
	oursURL, stopOurs, err := serverAt(*serverURL, *binary, startOurs(against.admission))
	if err != nil {
		return false, err
	}
	defer stopOurs()

	runner := &Runner{real: newSide("real", realURL), ours: newSide("ours", oursURL), used: map[string]int{}, counts: tally{}, kinds: kinds, peer: against}
	report := newReport()
	if err := against.compare(runner, report); err != nil {
		return false, err
	}
	report.print(os.Stdout, *examples)
	return summary(runner, report), nil
}

// compareSmall compares the server with peers/apiserver: its kinds, and random custom resources.
func compareSmall(runner *Runner, report *Report) (err error) {
	report.addAll(runner.run(openings()))
	report.addAll(runner.run(listCombinations()))
	for s := *seed; s < *seed+*seeds; s++ {
		runner.seed = s
		generator := newGenerator(s, nil)
		var made []kind
		if *only == "" || strings.Contains(*only, "customresource") {
			custom, found := runner.install(generator)
			report.addAll(found)
			made = custom
		}
		runner.kinds = slices.Concat(kinds, made, []kind{definitionKind(generator)})
		if generator.kinds, err = chosenKinds(runner.kinds, *only); err != nil {
			return err
		}
		runner.sequencesOf(generator, report)
		report.addAll(runner.uninstall(made))
	}
	return nil
}

// sequencesOf runs sequences until the seed's requests are sent.
func (r *Runner) sequencesOf(generator *generator, report *Report) {
	for end := r.asked + *count; r.asked < end; {
		for _, found := range r.run(generator.sequence(*length)) {
			if report.add(found) && *shrinking {
				report.examples[found.class()] = r.shrink(found)
			}
		}
	}
}

// summary prints the numbers of the run. It returns true if enough requests were answered alike and every row of the
// table was used.
func summary(runner *Runner, report *Report) bool {
	if *kube != "" {
		runner.counts.print(os.Stdout)
	}
	for _, row := range runner.peer.table {
		fmt.Printf("%7d intended: %s (%s)\n", runner.used[row.name], row.name, row.reason)
	}
	fmt.Printf("%d requests, %d answered alike, %d classes of differences\n", runner.asked, runner.equal, len(report.counts))
	ok := float64(runner.equal)*100 >= *atLeast*float64(runner.asked)
	for _, row := range runner.peer.table {
		if runner.used[row.name] == 0 && runner.peer.opensAll {
			fmt.Printf("the row %q of the table explained no difference: remove it, or find out why the answers no longer differ\n", row.name)
			ok = false
		}
	}
	return ok
}

// serverAt returns the URL of the running server at `at`. If `at` is empty, it starts the program instead. The
// returned function stops a server that it has started.
func serverAt(at, program string, start func(string) (*server, error)) (string, func(), error) {
	if at != "" {
		return strings.TrimSuffix(at, "/"), func() {}, nil
	}
	started, err := start(program)
	if err != nil {
		return "", nil, err
	}
	return started.url, started.stop, nil
}

// chosenKinds returns the kinds with these plurals. "customresources" stands for all custom resources.
func chosenKinds(all []kind, plurals string) ([]kind, error) {
	if plurals == "" {
		return all, nil
	}
	var chosen []kind
	for plural := range strings.SplitSeq(plurals, ",") {
		before := len(chosen)
		for _, kind := range all {
			if kind.plural == plural || plural == "customresources" && strings.Contains(kind.apiVersion, customDomain) {
				chosen = append(chosen, kind)
			}
		}
		if len(chosen) == before {
			return nil, fmt.Errorf("no kind %q: there are %s, and customresources", plural, pluralsOf(all))
		}
	}
	return chosen, nil
}

func pluralsOf(kinds []kind) string {
	var plurals []string
	for _, kind := range kinds {
		plurals = append(plurals, kind.plural)
	}
	return strings.Join(slices.Compact(plurals), ", ")
}
