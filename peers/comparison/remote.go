package main

// The rows of the benchmark table that measure informers over HTTP: from a LIST to synced handlers, and a watch.

import (
	"context"
	"fmt"
)

// static returns a function that starts a staticserver with this number of pods and of watch events, and stores its
// address in url.
func (p programs) static(url *string, pods, changes int) func(context.Context) (*server, error) {
	return func(ctx context.Context) (*server, error) {
		server, err := serve(ctx, "ready ", p.peer("staticserver"), "--pods", fmt.Sprint(pods), "--changes", fmt.Sprint(changes))
		if err != nil {
			return nil, err
		}
		*url = server.url
		return server, nil
	}
}

// at returns a contender like command, for a program whose --url is known only when it runs.
func at(url *string, name, program string, arguments ...string) contender {
	return contender{name, func(ctx context.Context) ([]figure, error) {
		return command(name, program, append(arguments, "--url", *url)...).run(ctx)
	}}
}

// syncRows returns row 8, from an HTTP LIST to synced handlers, and row 9, its memory.
func syncRows(p programs, s size) (rows []row) {
	for _, pods := range s.each(10_000, 100_000) {
		row := syncRow(p, pods)
		row.goals = []goal{
			{what: "time", part: "time", against: inJSON, ratio: 4},
			{what: "time", part: "time", against: inPB, ratio: 1},
			{what: "time", part: "time", against: runtimes},
			{what: "time", part: "time", judged: projected, against: inPB},
			{what: "9: peak of its steady memory", part: "peak", better: within, against: "steady", ratio: 1.15},
			{what: "9: peak of its steady memory", part: "peak", better: within, judged: projected, against: "steady", ratio: 1.15},
			{what: "9: steady memory", part: "steady", judged: projected, against: inPB, ratio: 4},
			{what: "9: steady memory", part: "steady", against: inPB, ratio: 1},
			{what: "9: peak memory", part: "peak", against: inPB},
			{what: "9: peak memory", part: "peak", against: inJSON},
			{what: "9: steady memory", part: "steady", against: runtimes},
			{what: "9: peak memory", part: "peak", against: runtimes},
		}
		rows = append(rows, row)
	}
	return rows
}

func syncRow(p programs, pods int) row {
	url := new(string)
	return row{
		number: 8, name: fmt.Sprintf("HTTP LIST to synced, %s pods", brief(pods)), beside: p.static(url, pods, 0), grows: point{overHTTP, pods},
		contenders: []contender{
			at(url, ours, p.work, "sync"),
			at(url, inJSON, p.peer("bench"), "sync"),
			at(url, inPB, p.peer("bench"), "sync", "--encoding", "protobuf"),
			at(url, runtimes, p.kubeRuntime, "sync"),
			at(url, projected, p.work, "sync-projected"),
		},
	}
}

// watchRows returns row 10, watch events to handlers.
func watchRows(p programs, s size) (rows []row) {
	const pods = 100
	for _, handlers := range []int{1, 10, 100} {
		url := new(string)
		work := []string{"watch", "--changes", fmt.Sprint(s.changes), "--handlers", fmt.Sprint(handlers)}
		row := row{
			number: 10, name: fmt.Sprintf("watch, %s changes to %s", brief(s.changes), several(handlers, "handler")), beside: p.static(url, pods, s.changes),
			contenders: []contender{
				at(url, ours, p.work, work...),
				at(url, inJSON, p.peer("bench"), work...),
				at(url, runtimes, p.kubeRuntime, append(work, "--pods", fmt.Sprint(pods))...),
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
