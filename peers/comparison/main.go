// Command comparison runs our libraries, client-go, kube-runtime and a real API server in turn on the same work, and
// writes the measured times and sizes to benches/RESULTS.md. peers/compare builds and runs it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"syscall"
	"time"
)

const usage = `peers/compare [--quick | --smoke] [--only EXPRESSION] [--cold-builds] [--before REVISION] [--out FOLDER]

Runs this project, client-go, kube-runtime and a real API server on the same work in turn, checks that all did the same amount of work, and writes
benches/RESULTS.md and benches/results.svg. Needs Rust, Go and a C compiler; the first build takes a quarter of an hour.
Nothing else should run beside it. Ctrl-C ends it with all its programs, and writes nothing.

  --quick            up to 10,000 objects, in five minutes; without it up to a million, in 25
  --smoke            everything once, tiny, in debug builds, to check that it still runs; writes nothing
  --only EXPRESSION  only the rows whose number and name match this regular expression; writes nothing
  --cold-builds      also builds both sides from nothing (minutes)
  --before REVISION  also builds an earlier revision of this project (a quarter of an hour), and compares today's cluster with it;
                     writes nothing
  --out FOLDER       where the results go [benches, where reasons.txt and profiles/ are]

  peers/compare --quick --only '^6 .* 10 readers'
  peers/compare --before 3aa09d1 --only since       compares with the last revision without custom resources, TLS and server-side apply
  peers/compare --cold-builds                       the command that wrote the project's RESULTS.md
`

// The flags have no descriptions of their own, because usage replaces Go's list of flags.
var (
	project = flag.String("project", ".", "the project's folder; peers/compare sets it")
	quick   = flag.Bool("quick", false, "")
	smoke   = flag.Bool("smoke", false, "")
	cold    = flag.Bool("cold-builds", false, "")
	only    = flag.String("only", "", "")
	before  = flag.String("before", "", "")
	outDir  = flag.String("out", "", "")
)

func main() {
	if len(os.Args) > 2 && os.Args[1] == asHelper {
		exit(runAsHelper(os.Args[2:]))
	}
	flag.Usage = func() { fmt.Fprint(flag.CommandLine.Output(), usage) }
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx)
	if ctx.Err() != nil {
		fmt.Fprintln(os.Stderr, "\ncompare: interrupted, nothing was written")
		os.Exit(130)
	}
	exit(err)
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "\ncompare:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func run(ctx context.Context) error {
	size, chosen, err := asked()
	if err != nil {
		return err
	}
	root, err := filepath.Abs(*project)
	if err != nil {
		return err
	}
	benches := filepath.Join(root, "benches")
	if *outDir == "" {
		*outDir = benches
	}
	if err := os.MkdirAll(*outDir, 0o755); err != nil {
		return err
	}
	reasons, err := readReasons(benches)
	if err != nil {
		return err
	}
	// The scratch folder is in the project, because the system's temporary folder may be in memory, and a clean build
	// needs gigabytes.
	scratch, err := os.MkdirTemp(filepath.Join(root, "target", "peers"), "scratch")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	loadBefore := load()
	programs, err := build(ctx, root, scratch, size)
	if err != nil {
		return err
	}
	if err := os.Setenv("TMPDIR", scratch); err != nil { // so that the temporary files of the programs are removed, too
		return err
	}
	report := report{machine: describeMachine(ctx, programs, loadBefore), size: size, grown: grown{}, reasons: reasons}
	if err := report.measure(ctx, programs, chosen); err != nil {
		return err
	}
	report.machine.after = load()
	fmt.Printf("\n%s\n%s\ntook %s: %s\n", report.machine.markdown(), report.summary(), report.took.Round(time.Second), report.times())
	if len(report.failures) > 0 {
		err = fmt.Errorf("%d rows failed", len(report.failures))
	}
	if *smoke || *only != "" || *before != "" {
		return err
	}
	return errors.Join(err,
		os.WriteFile(filepath.Join(*outDir, "RESULTS.md"), report.markdown(), 0o644),
		os.WriteFile(filepath.Join(*outDir, "results.svg"), report.plot(), 0o644),
	)
}

// asked parses the command line: the size of the run, and the rows to run.
func asked() (size, *regexp.Regexp, error) {
	if flag.NArg() > 0 {
		return size{}, nil, fmt.Errorf("unexpected argument %q, see --help", flag.Arg(0))
	}
	chosen, err := regexp.Compile(*only)
	switch {
	case *smoke && *quick:
		return size{}, nil, errors.New("either --quick or --smoke")
	case *smoke:
		return smallest, chosen, err
	case *quick:
		return short, chosen, err
	default:
		return whole, chosen, err
	}
}
