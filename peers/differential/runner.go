package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Runner sends sequences to both servers, each in a namespace of its own, and compares.
type Runner struct {
	real, ours *Side
	seed       uint64
	sequences  int
	openings   int
	// asked and equal count requests, used the rows of the table that were needed.
	asked, equal int
	used         map[string]int
	// kinds are those that requests are about.
	kinds []kind
}

// Finding is a request that was answered in two ways.
type Finding struct {
	sequence    []Request // up to and with the request
	differences []difference
}

// run sends a sequence and returns what differed. It ends with the first difference that leaves the two servers in different states.
func (r *Runner) run(sequence []Request) []Finding {
	r.begin()
	defer r.clear(sequence)
	var found []Finding
	var watches []watchPair
	for i, request := range sequence {
		r.settle(request, slices.ContainsFunc(sequence[:i], func(earlier Request) bool {
			return earlier.Method == "DELETE" && earlier.Plural == request.Plural
		}))
		var real, ours Outcome
		if request.Watch {
			pair, opened := r.open(request)
			if opened {
				pair.index = i
				watches = append(watches, pair)
			}
			real, ours = pair.real.outcome(r.real), pair.ours.outcome(r.ours)
			if noTime.MatchString(request.Path) && real["/message"] == "context deadline exceeded" {
				real = ours // whether its time is over before the headers or after them is by chance
			}
		} else if request.eventually {
			real, ours = r.eventually(request)
		} else {
			real, ours = r.ask(request)
		}
		r.asked++
		left := unnamed(request, real, ours, r.used)
		if len(left) == 0 {
			r.equal++
			if oneRefused(request, real, ours) {
				break // as the table says: what follows begins with different states
			}
		} else {
			found = append(found, Finding{sequence[:i+1], left})
		}
		unsettled := r.controlled(sequence[:i+1])
		found = append(found, unsettled...)
		if len(unsettled) > 0 || len(left) > 0 && diverged(request, real, ours) {
			return append(found, r.events(sequence[:i], watches)...)
		}
	}
	return append(found, r.events(sequence, watches)...)
}

// diverged says whether the servers may hold different states after these answers.
func diverged(request Request, real, ours Outcome) bool {
	success := func(outcome Outcome) bool {
		return strings.HasPrefix(outcome["status"], "2") || outcome["failed"] != ""
	}
	return request.Method != "GET" && (success(real) || success(ours))
}

// oneRefused says whether one server made or changed a definition that the other refused.
func oneRefused(request Request, real, ours Outcome) bool {
	writes := request.Method != "GET" && !strings.Contains(request.Path, "dryRun")
	return writes && isCustom(request) && strings.HasPrefix(real["status"], "2") != strings.HasPrefix(ours["status"], "2")
}

// begin makes a new namespace on both sides.
func (r *Runner) begin() {
	r.sequences++
	namespace := fmt.Sprintf("s%d-%d", r.seed, r.sequences)
	r.both(func(side *Side) {
		side.begin(namespace)
		answer := side.ask(Request{Method: "POST", Path: "/api/v1/namespaces", Body: `{"metadata":{"name":"<<ns:>>"}}`})
		body := decode(answer.Header.Get("Content-Type"), answer.Body)
		side.normal.wrote(body)
		side.memory.start(body)
	})
}

// ask sends a request to both at once.
func (r *Runner) ask(request Request) (real, ours Outcome) {
	outcomes := map[*Side]*Outcome{r.real: &real, r.ours: &ours}
	r.both(func(side *Side) {
		answer := side.ask(request)
		body := decode(answer.Header.Get("Content-Type"), answer.Body)
		if request.Method != "GET" && !strings.Contains(request.Path, "dryRun") {
			side.normal.wrote(body)
		}
		side.normal.noteRefused(request.Body, body)
		*outcomes[side] = outcome(side, answer)
		side.memory.learn(request.Plural, body)
	})
	return real, ours
}

// settle waits, before a request that a watch cache may answer with an earlier state, until both caches are up to date: a consistent list
// does. A patch is applied to what the cache has first: of an object that has been deleted, its warnings are told by chance.
func (r *Runner) settle(request Request, deleted bool) {
	path, _, _ := strings.Cut(request.Path, "?")
	reads := request.Method == "GET" || request.Method == "DELETE" // of many
	asksCache := strings.Contains(request.Path, "resourceVersion") || strings.Contains(request.Path, "watch")
	if !(reads && asksCache) && !(request.Method == "PATCH" && deleted) {
		return
	}
	for _, kind := range r.kinds {
		if kind.plural == request.Plural && strings.HasPrefix(path, "/api") {
			fresh := Request{Method: "GET", Path: kind.everywhere() + "?fieldSelector=metadata.name%3Dnone"}
			r.both(func(side *Side) { side.ask(fresh) })
		}
	}
}

func (r *Runner) both(do func(*Side)) {
	var both sync.WaitGroup
	for _, side := range []*Side{r.real, r.ours} {
		both.Go(func() { do(side) })
	}
	both.Wait()
}

// mostClears is how often what is left is removed: a definition goes when its controllers are done.
const mostClears = 30

// clear removes what a sequence has left, so that lists of all namespaces stay short.
func (r *Runner) clear(sequence []Request) {
	touched := map[string]bool{"namespaces": true}
	for _, request := range sequence {
		touched[request.Plural] = true
	}
	r.both(func(side *Side) {
		for _, kind := range r.kinds {
			if touched[kind.plural] {
				side.clear(kind)
			}
		}
		for attempt := 0; touched["customresourcedefinitions"] && side.clear(definitionKind(nil)) > 0 && attempt < mostClears; attempt++ {
			time.Sleep(time.Millisecond << min(attempt, 7))
		}
	})
}
