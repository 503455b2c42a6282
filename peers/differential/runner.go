package main

// Sends each sequence of requests to both servers and compares the answers.

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Runner sends sequences of requests to both servers, each sequence in a new namespace, and compares the answers.
type Runner struct {
	real, ours *Side
	peer       peerKind
	seed       uint64
	// sequences counts the sequences, openings the objects of awaitBeginning. The numbers make names unique.
	sequences int
	openings  int
	// asked counts the requests, equal those with the same answers. used counts how often each row of the table
	// explained a difference.
	asked, equal int
	used         map[string]int
	counts       tally
	// kinds are the kinds that requests are sent to.
	kinds []kind
}

// Finding is a request that the two servers answered differently.
type Finding struct {
	sequence    []Request // up to and including the request
	differences []difference
}

// run sends a sequence and returns the differences. It stops after a difference that leaves the two servers in
// different states.
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
				real = ours // upstream's zero timeout runs out before the headers or after them, by chance
			}
		} else if request.eventually {
			real, ours = r.eventually(request)
		} else {
			real, ours = r.ask(request)
		}
		r.asked++
		left := r.peer.unexplained(request, real, ours, r.used)
		r.counts.add(request, real, ours, len(left) == 0)
		if len(left) == 0 {
			r.equal++
			if oneRefused(request, real, ours) {
				break // the table allows it, but the servers now hold different objects
			}
		} else {
			found = append(found, Finding{sequence[:i+1], left})
		}
		unsettled := r.awaitControllers(sequence[:i+1])
		found = append(found, unsettled...)
		if len(unsettled) > 0 || len(left) > 0 && diverged(request, real, ours) {
			return append(found, r.events(sequence[:i], watches)...)
		}
	}
	return append(found, r.events(sequence, watches)...)
}

// diverged returns true if the servers may hold different objects after these answers.
func diverged(request Request, real, ours Outcome) bool {
	success := func(outcome Outcome) bool { // a write without an answer may have succeeded
		return accepted(outcome) || outcome["failed"] != ""
	}
	return request.Method != "GET" && (success(real) || success(ours))
}

// oneRefused returns true if only one server accepted a write.
func oneRefused(request Request, real, ours Outcome) bool {
	writes := request.Method != "GET" && !strings.Contains(request.Path, "dryRun")
	return writes && accepted(real) != accepted(ours)
}

// begin creates the namespace of the next sequence on both servers.
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

// ask sends a request to both servers at the same time.
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

// settle sends a consistent list before a request that may be answered from a watch cache. The answer to the list comes
// when the cache is up to date. settle does so before a patch of an object that may be deleted, too, because a patch is
// first applied to the cached object, and warnings about an outdated object would depend on chance.
func (r *Runner) settle(request Request, deleted bool) {
	path, _, _ := strings.Cut(request.Path, "?")
	reads := request.Method == "GET" || request.Method == "DELETE" // DELETE of a collection
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

// mostClears is the largest number of attempts to remove all definitions: a definition goes only when its controllers
// are done.
const mostClears = 30

// clear deletes the objects that a sequence has left, so that lists of all namespaces stay short.
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
