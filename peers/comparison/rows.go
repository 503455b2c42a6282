package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
)

// rows are all works, and what is to be reached in each.
func rows(p programs, s size) []row {
	return slices.Concat(
		storeRows(p, s), queueRows(p, s), informerRows(p, s), listerRows(p, s),
		syncRows(p, s), watchRows(p, s), clusterRows(p, s), lessonRows(p, s),
	)
}

func (p programs) ours(s size, work string, arguments ...string) contender {
	return command(ours, p.work, append([]string{work, "--ms", s.time()}, arguments...)...)
}

func (p programs) clientGo(s size, work string, arguments ...string) contender {
	return command("client-go", p.peer("bench"), append([]string{work, "--ms", s.time()}, arguments...)...)
}

func both(p programs, s size, work string, arguments ...string) []contender {
	return []contender{p.ours(s, work, arguments...), p.clientGo(s, work, arguments...)}
}

func faster(ratio float64) []goal { return []goal{{against: "client-go", ratio: ratio}} }

func storeRows(p programs, s size) []row {
	benchmark := upstream{p.cacheTests, "BenchmarkIndexer", s.goTime(), fixed(5000)}.contender()
	if s == smallest {
		benchmark = p.clientGo(s, "indexer-same", "--objects", "100")
	}
	return []row{
		{number: 1, name: "Indexer update, index unchanged", goals: faster(3),
			contenders: []contender{p.ours(s, "indexer-same", "--objects", s.text(5000)), benchmark}},
		{number: 1, name: "Indexer update, moving between index values", goals: faster(3),
			contenders: both(p, s, "indexer-moving", "--objects", s.text(5000))},
		{number: 2, name: "DeltaFIFO add and pop, 10,000 keys", goals: faster(3),
			contenders: both(p, s, "delta-fifo", "--keys", s.text(10_000))},
		{number: 2, name: "RealFIFO add and pop, 10,000 keys", goals: faster(3),
			contenders: both(p, s, "real-fifo", "--keys", s.text(10_000))},
	}
}

func queueRows(p programs, s size) []row {
	notifications, keys, turns := 4000*s.milliseconds, s.of(100_000), 10*s.milliseconds
	rows := []row{
		{number: 3, name: "listener, one notification", goals: faster(4), contenders: []contender{
			p.ours(s, "listener", "--n", fmt.Sprint(notifications)),
			upstream{p.cacheTests, "BenchmarkListener", fmt.Sprintf("%dx", notifications), operations}.contender(),
		}},
		{number: 4, name: "work queue, 100 times add, get and done", goals: faster(3), contenders: []contender{
			p.ours(s, "workqueue"),
			upstream{p.queueTests, "BenchmarkQueue", fmt.Sprintf("%dx", turns), fixed(100)}.contender(),
		}},
	}
	for _, workers := range []string{"2", "8", "64"} {
		rows = append(rows, row{number: 4, name: "work queue, a key through " + workers + " workers", goals: faster(3),
			contenders: both(p, s, "workqueue-workers", "--workers", workers, "--keys", fmt.Sprint(keys))})
	}
	return append(rows, row{number: 5, name: "delaying queue, AddAfter and Get", goals: faster(5), contenders: []contender{
		p.ours(s, "delaying-queue", "--keys", fmt.Sprint(keys)),
		upstream{p.queueTests, "BenchmarkDelayingQueue_AddAfter", fmt.Sprintf("%dx", keys), operations}.contender(),
	}})
}

func informerRows(p programs, s size) (rows []row) {
	for _, pods := range []int{10_000, 160_000} {
		if !s.fits(pods) {
			break
		}
		for _, reached := range []struct {
			readers int
			writes  float64
		}{{0, 3}, {1, 10}, {10, 100}, {80, 500}} {
			readers := reached.readers
			goals := []goal{{what: "writes", part: "writes", better: higher, against: "client-go", ratio: reached.writes}}
			if readers > 0 {
				goals = append(goals, goal{what: "reads", part: "reads", better: higher, against: "client-go", ratio: 3})
			}
			row := row{number: 6, name: fmt.Sprintf("shared informer, %s pods, %d readers", brief(s.of(pods)), readers), goals: goals}
			if s == smallest {
				row.contenders = both(p, s, "shared-informer", "--pods", s.text(pods), "--readers", fmt.Sprint(readers))
			} else {
				row.contenders = informerContenders(p, s, pods, readers)
			}
			rows = append(rows, row)
		}
		if s == smallest {
			break
		}
	}
	return rows
}

// informerContenders have twice the time: client-go's writer gets few turns beside many readers.
func informerContenders(p programs, s size, pods, readers int) []contender {
	s.milliseconds *= 2
	return []contender{
		p.ours(s, "shared-informer", "--pods", fmt.Sprint(pods), "--readers", fmt.Sprint(readers)),
		upstream{p.cacheTests, fmt.Sprintf("BenchmarkSharedIndexInformer/podCount=%d/readers=%d", pods, readers), s.goTime(), fixed(pods)}.contender(),
	}
}

func listerRows(p programs, s size) (rows []row) {
	sizes := []int{10_000, 100_000, 1_000_000}
	for _, objects := range sizes {
		if !s.fits(objects) {
			break
		}
		name := fmt.Sprintf("BenchmarkLister_Match_%s_100", brief(objects))
		scanned := objects
		if s == smallest {
			name, scanned = "BenchmarkLister_Match_1k_100", 1000
		}
		scan := []contender{p.ours(s, "lister-scan", "--objects", fmt.Sprint(scanned)), upstream{p.cacheTests, name, s.goTime(), fixed(100)}.contender()}
		rows = append(rows,
			row{number: 7, name: fmt.Sprintf("lister, 100 of %s, scan", brief(scanned)), goals: faster(2), contenders: scan},
			row{number: 7, name: fmt.Sprintf("lister, 100 of %s, by index", brief(s.of(objects))), goals: faster(2),
				contenders: both(p, s, "lister-index", "--objects", s.text(objects))})
		if s == smallest {
			break
		}
	}
	return rows
}

// Names of those who have more than one way.
const (
	projected = "ours, projected"
	inJSON    = "client-go, JSON"
	inPB      = "client-go, protobuf"
	runtimes  = "kube-runtime"
)

// static starts a server of so many pods and changes; its address is in the URL once it runs.
func (p programs) static(url *string, pods, changes string) func(context.Context) (func(), error) {
	return func(ctx context.Context) (func(), error) {
		server, err := serve(ctx, "ready ", p.peer("staticserver"), "--pods", pods, "--changes", changes)
		if err != nil {
			return nil, err
		}
		*url = server.url
		return server.stop, nil
	}
}

// at is a command with the --url that is known when it runs.
func at(url *string, name, program string, arguments ...string) contender {
	return contender{name, func(ctx context.Context) ([]figure, error) {
		return command(name, program, append(arguments, "--url", *url)...).run(ctx)
	}}
}

func syncRows(p programs, s size) (rows []row) {
	for _, pods := range []int{10_000, 100_000} {
		if !s.fits(pods) {
			break
		}
		rows = append(rows, syncRow(p, s, pods))
		if s == smallest {
			break
		}
	}
	return rows
}

func syncRow(p programs, s size, pods int) row {
	url := new(string)
	return row{
		number: 8, name: fmt.Sprintf("HTTP LIST to handlers synced, %s pods", brief(s.of(pods))), beside: p.static(url, s.text(pods), "0"),
		contenders: []contender{
			at(url, ours, p.work, "sync"),
			at(url, inJSON, p.peer("bench"), "sync"),
			at(url, inPB, p.peer("bench"), "sync", "--encoding", "protobuf"),
			at(url, runtimes, p.kubeRuntime, "sync"),
			at(url, projected, p.work, "sync-projected"),
		},
		goals: []goal{
			{what: "time", part: "time", against: inJSON, ratio: 4},
			{what: "time", part: "time", against: inPB, ratio: 1},
			{what: "time", part: "time", against: runtimes},
			{what: "time", part: "time", who: projected, against: inPB},
			{what: "9: peak of its steady memory", part: "peak", better: within, against: "steady", ratio: 1.15},
			{what: "9: peak of its steady memory", part: "peak", better: within, who: projected, against: "steady", ratio: 1.15},
			{what: "9: steady memory", part: "steady", who: projected, against: inPB, ratio: 4},
			{what: "9: steady memory", part: "steady", against: inPB, ratio: 1},
			{what: "9: peak memory", part: "peak", against: inPB},
			{what: "9: peak memory", part: "peak", against: inJSON},
			{what: "9: steady memory", part: "steady", against: runtimes},
			{what: "9: peak memory", part: "peak", against: runtimes},
		},
	}
}

func watchRows(p programs, s size) (rows []row) {
	const pods = "100"
	changes := fmt.Sprint(s.changes)
	for _, handlers := range []int{1, 10, 100} {
		url := new(string)
		work := []string{"watch", "--changes", changes, "--handlers", fmt.Sprint(handlers)}
		row := row{
			number: 10, name: fmt.Sprintf("watch, %s changes to %d handlers", brief(s.changes), handlers), beside: p.static(url, pods, changes),
			contenders: []contender{
				at(url, ours, p.work, work...),
				at(url, inJSON, p.peer("bench"), work...),
				at(url, runtimes, p.kubeRuntime, append(work, "--pods", pods)...),
			},
			goals: []goal{{better: higher, against: inJSON, ratio: 3}, {better: higher, against: runtimes}},
		}
		if handlers == 1 {
			row.contenders = append(row.contenders, at(url, inPB, p.peer("bench"), append(work, "--encoding", "protobuf")...))
			row.goals = append(row.goals, goal{better: higher, against: inPB})
		}
		rows = append(rows, row)
	}
	return rows
}

func clusterRows(p programs, s size) []row {
	const realServer = "kube-apiserver's library on etcd"
	load := p.peer("apiload")
	// A kubelet that does nothing: pods stay as they were created, as they do beside a real API server alone.
	stages := filepath.Join(p.root, "peers", "comparison", "no-stages.yaml")
	return []row{{
		number: 11, name: "API server", contenders: []contender{
			apiserver(ours, load, s, "http://", p.informerLab, "cluster", "--stages", stages, "--kubeconfig-out", filepath.Join(p.scratch, "kubeconfig")),
			apiserver(realServer, load, s, "ready ", p.peer("apiserver"), "--kubeconfig", filepath.Join(p.scratch, "real-kubeconfig")),
		},
		goals: []goal{
			{what: "creates", part: "creates", better: higher, against: realServer, ratio: 5},
			{what: "LIST of " + brief(s.pods) + " pods", part: "list", against: realServer, ratio: 5},
			{what: "events to " + brief(s.of(1000)) + " watchers", part: "events", better: higher, against: realServer, ratio: 2},
			{what: "processor time per event", part: "processor", against: realServer, ratio: 3},
			{what: "start to first answer", part: "start", better: within, ratio: 20},
			{what: "start to first answer", part: "start", against: realServer},
			{what: "idle memory", part: "idle", better: within, ratio: 20},
			{what: "idle memory", part: "idle", against: realServer},
			{what: "memory with " + brief(s.pods) + " pods", part: "memory", against: realServer, ratio: 3},
		},
	}}
}

func lessonRows(p programs, s size) []row {
	trace := filepath.Join(p.root, "fixtures", "traces", "deltafifo.txt")
	rows := []row{
		{number: 12, name: "deltafifo lesson, start to end",
			contenders: []contender{lesson(ours, trace, p.informerLab, "deltafifo"), lesson("client-go", trace, p.peer("lesson"))},
			goals:      []goal{{what: "time", part: "time", against: "client-go", ratio: 2}, {what: "peak memory", part: "peak", against: "client-go"}}},
	}
	if s != smallest {
		rows = append(rows, row{number: 12, name: "stripped release binary of all lessons and the cluster", contenders: []contender{program(ours, p.informerLab)},
			goals: []goal{{part: "size", better: within, ratio: 15}}})
	}
	if *cold {
		rows = append(rows, row{number: 12, name: "build from nothing to the first trace", once: true, goals: faster(1), contenders: []contender{
			coldBuild(ours, p.root, p.scratch, "CARGO_TARGET_DIR", []string{"cargo", "run", "--locked", "--", "deltafifo"}),
			coldBuild("client-go", filepath.Join(p.root, "peers"), p.scratch, "GOCACHE",
				[]string{"go", "build", "-buildvcs=false", "-o", filepath.Join(p.scratch, "tracer"), "./tracer"}, []string{"go", "run", "./lesson"}),
		}})
	}
	return rows
}
