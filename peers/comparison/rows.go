package main

// All rows of the benchmark table, by number: the works, the contenders and the goals.

import (
	"fmt"
	"path/filepath"
	"slices"
)

// The names of contenders besides ours.
const (
	// projected is our informer with a type that has only a few of a pod's fields.
	projected = "projected"
	clientGo  = "client-go"
	itsOwn    = "client-go's own benchmark"
	inJSON    = "client-go, JSON"
	inPB      = "client-go, protobuf"
	runtimes  = "kube-runtime"
	etcd      = "kube-apiserver's library on etcd"
)

// rows returns all rows. The numbers in the comments below are those in the first column of RESULTS.md.
func rows(p programs, s size) []row {
	return slices.Concat(
		storeRows(p, s), queueRows(p, s), informerRows(p, s), listerRows(p, s),
		syncRows(p, s), watchRows(p, s), clusterRows(p, s), lessonRows(p, s), growthRows(p, s),
	)
}

func (p programs) ours(s size, work string, arguments ...string) contender {
	return command(ours, p.work, withTime(s, work, arguments)...)
}

func (p programs) clientGo(s size, work string, arguments ...string) contender {
	return command(clientGo, p.peer("bench"), withTime(s, work, arguments)...)
}

func withTime(s size, work string, arguments []string) []string {
	return append([]string{work, "--ms", fmt.Sprint(s.milliseconds)}, arguments...)
}

func both(p programs, s size, work string, arguments ...string) []contender {
	return []contender{p.ours(s, work, arguments...), p.clientGo(s, work, arguments...)}
}

// faster returns the goal to be this many times faster than client-go.
func faster(ratio float64) []goal { return []goal{{against: clientGo, ratio: ratio}} }

// storeRows returns rows 1 and 2, the indexer and the queues of deltas.
func storeRows(p programs, s size) []row {
	const objects = 5000 // as in client-go's benchmark
	keys := fmt.Sprint(s.of(10_000))
	return []row{
		{number: 1, name: "Indexer update, index unchanged", goals: faster(3), contenders: []contender{
			p.ours(s, "indexer-same", "--objects", fmt.Sprint(objects)),
			upstream{tests: p.cacheTests, name: "BenchmarkIndexer", time: s.goTime(), did: fixed(objects)}.contender(clientGo),
		}},
		{number: 1, name: "Indexer update, moving between index values", goals: faster(3),
			contenders: both(p, s, "indexer-moving", "--objects", fmt.Sprint(objects))},
		{number: 2, name: "DeltaFIFO add and pop", goals: faster(3), contenders: both(p, s, "delta-fifo", "--keys", keys)},
		{number: 2, name: "RealFIFO add and pop", goals: faster(3), contenders: both(p, s, "real-fifo", "--keys", keys)},
	}
}

// queueRows returns rows 3, 4 and 5: listeners, work queues and delaying queues.
func queueRows(p programs, s size) []row {
	notifications, keys, turns := 4000*s.milliseconds, fmt.Sprint(s.of(100_000)), 10*s.milliseconds
	rows := []row{
		{number: 3, name: "listener, one notification", goals: faster(4), contenders: []contender{
			p.ours(s, "listener", "--notifications", fmt.Sprint(notifications)),
			upstream{tests: p.cacheTests, name: "BenchmarkListener", time: fmt.Sprintf("%dx", notifications), did: operations}.contender(clientGo),
		}},
		{number: 4, name: "work queue, 100 times add, get and done", goals: faster(3), contenders: []contender{
			p.ours(s, "workqueue"),
			upstream{tests: p.queueTests, name: "BenchmarkQueue", time: fmt.Sprintf("%dx", turns), did: fixed(100)}.contender(clientGo),
		}},
	}
	for _, workers := range []int{2, 8, 64} {
		rows = append(rows, row{number: 4, name: fmt.Sprintf("work queue, a key through %d workers", workers), goals: faster(3),
			contenders: both(p, s, "workqueue-workers", "--workers", fmt.Sprint(workers), "--keys", keys)})
	}
	return append(rows, row{number: 5, name: "delaying queue, AddAfter and Get", goals: faster(5), contenders: []contender{
		p.ours(s, "delaying-queue", "--keys", keys),
		upstream{tests: p.queueTests, name: "BenchmarkDelayingQueue_AddAfter", time: keys + "x", warm: true, did: operations}.contender(clientGo),
	}})
}

// informerRows returns row 6, shared informers with readers beside them.
func informerRows(p programs, s size) (rows []row) {
	for _, pods := range s.each(10_000, 160_000) {
		for _, reached := range []struct {
			readers int
			writes  float64
		}{{0, 3}, {1, 10}, {10, 100}, {80, 500}} {
			row := informerRow(p, s, pods, reached.readers, reached.writes)
			// The readers of client-go's own benchmark are goroutines without threads of their own, so the comparison
			// with it has no target. It only shows that our copy of that benchmark (peers/bench) is no slower.
			const count = 10_000
			name := fmt.Sprintf("BenchmarkSharedIndexInformer/podCount=%d/readers=%d", count, reached.readers)
			own := upstream{tests: p.cacheTests, name: name, time: s.goTime(), did: fixed(count)}.contender(itsOwn)
			if pods == count {
				row.contenders = append(row.contenders, own)
				row.goals = append(row.goals, goal{what: "writes", part: "writes", better: higher, against: itsOwn})
			} else if s == smallest && reached.readers == 1 {
				row.contenders = append(row.contenders, own) // once, so that a smoke run finds a broken row
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// informerRow returns the part of row 6 with these pods and readers. writes is how many times as many writes as
// client-go the goal asks for.
func informerRow(p programs, s size, pods, readers int, writes float64) row {
	s.milliseconds = max(2*s.milliseconds, 50) // client-go's writer gets few turns beside many readers
	goals := []goal{{what: "writes", part: "writes", better: higher, against: clientGo, ratio: writes}}
	if readers > 0 {
		goals = append(goals, goal{what: "reads", part: "reads", better: higher, against: clientGo, ratio: 3})
	}
	return row{
		number: 6, name: fmt.Sprintf("shared informer, %s pods, %s", brief(pods), several(readers, "reader")), goals: goals,
		contenders: both(p, s, "shared-informer", "--pods", fmt.Sprint(pods), "--readers", fmt.Sprint(readers)),
	}
}

// listerRows returns row 7, listers with and without an index.
func listerRows(p programs, s size) (rows []row) {
	for _, objects := range s.each(10_000, 100_000, 1_000_000) {
		scanned := max(objects, 1000) // client-go has no smaller benchmark
		benchmark := fmt.Sprintf("BenchmarkLister_Match_%s_100", brief(scanned))
		rows = append(rows,
			row{number: 7, name: fmt.Sprintf("lister, 100 of %s, scan", brief(scanned)), goals: faster(2), contenders: []contender{
				p.ours(s, "lister-scan", "--objects", fmt.Sprint(scanned)),
				upstream{tests: p.cacheTests, name: benchmark, time: s.goTime(), did: fixed(100)}.contender(clientGo),
			}},
			row{number: 7, name: fmt.Sprintf("lister, 100 of %s, by index", brief(objects)), goals: faster(2),
				contenders: both(p, s, "lister-index", "--objects", fmt.Sprint(objects))})
	}
	return rows
}

// clusterRows returns row 11, the API servers and the cluster.
func clusterRows(p programs, s size) []row {
	return append([]row{{
		number: 11, name: "API server", contenders: []contender{
			p.plainCluster(s, ours, p.informerLab),
			apiserver(etcd, p.load(s), "ready ", p.peer("apiserver"), "--kubeconfig", filepath.Join(p.scratch, "real-kubeconfig")),
		},
		goals: []goal{
			{what: "creates", part: "creates", better: higher, against: etcd, ratio: 5},
			{what: "LIST of " + brief(s.pods) + " pods", part: "list", against: etcd, ratio: 5},
			{what: "events to " + brief(s.of(1000)) + " watchers", part: "events", better: higher, against: etcd, ratio: 2},
			{what: "processor time per event", part: "processor", against: etcd, ratio: 3},
			{what: "processor time per event in protobuf, of that in JSON", part: "processor in protobuf", better: within, against: "processor", ratio: 2},
			{what: "processor time per event as Tables, of that in JSON", part: "processor as Tables", better: within, against: "processor", ratio: 2},
			{what: "processor time per event in protobuf", part: "processor in protobuf", against: etcd},
			{what: "processor time per event as Tables", part: "processor as Tables", against: etcd},
			{what: "LIST as a Table, of that in JSON", part: "list as Table", better: within, against: "list", ratio: 3},
			{what: "LIST as a Table", part: "list as Table", against: etcd},
			{what: "start to first answer", part: "start", better: within, ratio: 20},
			{what: "start to first answer", part: "start", against: etcd},
			{what: "idle memory", part: "idle", better: within, ratio: 20},
			{what: "idle memory", part: "idle", against: etcd},
			{what: "memory with " + brief(s.pods) + " pods", part: "memory", against: etcd, ratio: 3},
		},
	}, lifecycleRow(p, s)}, beforeRows(p, s)...)
}

// load returns the command line of the load on a server that brings no pod to Running.
func (p programs) load(s size) []string {
	return []string{p.peer("apiload"), "--pods", fmt.Sprint(s.pods), "--watchers", fmt.Sprint(s.of(1000)), "--changes", fmt.Sprint(s.of(50))}
}

// plainCluster returns a cluster without kubelet stages: its pods stay as created, as on a real API server without
// kubelets.
func (p programs) plainCluster(s size, name, program string) contender {
	stages := filepath.Join(p.root, "peers", "comparison", "no-stages.yaml")
	return p.cluster(name, program, p.load(s), "--admission", "plain", "--stages", stages)
}

// liveCluster returns a cluster that brings pods to Running. It has a node for each hundred pods, because a node has
// room for 110.
func (p programs) liveCluster(s size, name, program string) contender {
	load := []string{p.peer("apiload"), "--pods", fmt.Sprint(10 * s.pods), "--running"}
	return p.cluster(name, program, load, "--nodes", fmt.Sprint(s.pods/10))
}

func (p programs) cluster(name, program string, load []string, options ...string) contender {
	options = append([]string{"cluster", "--kubeconfig-out", filepath.Join(p.scratch, "kubeconfig")}, options...)
	return apiserver(name, load, "http://", program, options...)
}

// lifecycleRow returns the row of a cluster with running pods. It has no opponent, because upstream's API server
// alone brings no pod to Running.
func lifecycleRow(p programs, s size) row {
	many := " with " + brief(10*s.pods) + " pods that run"
	row := row{number: 11, name: "cluster",
		contenders: []contender{p.liveCluster(s, ours, p.informerLab)},
		goals: []goal{
			{what: "pods to Running", part: "running", better: higher},
			{what: "processor time per pod", part: "processor per pod", better: within},
			{what: "memory" + many, part: "memory", better: within},
			{what: "memory with a first ReplicaSet, of that before", part: "first ReplicaSet", better: within},
		},
	}
	if s == whole {
		row.runs = 3
		row.goals[0].ratio, row.goals[2].ratio, row.goals[3].ratio = 5000, 400, 110 // pods per second, MB, percent
	}
	return row
}

// lessonRows returns row 12: a lesson from start to exit, and the size and build time of the program.
func lessonRows(p programs, s size) []row {
	trace := filepath.Join(p.root, "fixtures", "traces", "deltafifo.txt")
	rows := []row{
		{number: 12, name: "deltafifo lesson, start to end",
			contenders: []contender{lesson(ours, trace, p.informerLab, "deltafifo"), lesson(clientGo, trace, p.peer("deltafifo"))},
			goals:      []goal{{what: "time", part: "time", against: clientGo, ratio: 2}, {what: "peak memory", part: "peak", against: clientGo}}},
	}
	if s != smallest {
		rows = append(rows, row{number: 12, name: "stripped release binary of all lessons and the cluster", runs: 1,
			contenders: []contender{program(ours, p.informerLab)}, goals: []goal{{part: "size", better: within, ratio: 40}}})
	}
	if *cold {
		rows = append(rows, row{number: 12, name: "clean debug build to the first trace", runs: 1,
			goals: faster(1), contenders: []contender{
				coldBuild(ours, p.root, p.scratch, "CARGO_TARGET_DIR", "cargo", "run", "--locked", "--", "deltafifo"),
				coldBuild(clientGo, filepath.Join(p.root, "peers"), p.scratch, "GOCACHE",
					"go", "build", "-buildvcs=false", "-o", filepath.Join(p.scratch, "tracer"), "./tracer"),
			}})
	}
	return rows
}
