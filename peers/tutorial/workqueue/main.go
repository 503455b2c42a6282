// Command workqueue shows the three layers of client-go's work queue.
package main

import (
	"fmt"
	"time"

	"k8s.io/client-go/util/workqueue"
)

func main() {
	dedupe()
	delay()
	rateLimit()
}

// say prints a message with the time since the demonstration of a layer began.
func say(began time.Time, format string, values ...any) {
	fmt.Printf("%3d ms  %s\n", time.Since(began).Milliseconds(), fmt.Sprintf(format, values...))
}

// ANCHOR: dedupe
func dedupe() {
	began, queue := time.Now(), workqueue.NewTyped[string]()
	for _, item := range []string{"a", "b", "a", "a"} {
		queue.Add(item)
		say(began, "add %s: %d queued", item, queue.Len())
	}
	a, _ := queue.Get()
	say(began, "get %s", a)
	queue.Add(a)
	say(began, "add %s, which a worker has: %d queued", a, queue.Len())
	b, _ := queue.Get()
	say(began, "get %s", b)
	queue.Done(a) // without Done, the queue would never return a again
	say(began, "done %s: %d queued", a, queue.Len())
	a, _ = queue.Get()
	say(began, "get %s", a)
}

// ANCHOR_END: dedupe

// ANCHOR: delay
func delay() {
	began, queue := time.Now(), workqueue.NewTypedDelayingQueue[string]()
	for _, item := range []struct {
		name  string
		after time.Duration
	}{{"a", 100}, {"b", 20}, {"c", 80}, {"c", 40}, {"b", 90}, {"d", 0}} {
		queue.AddAfter(item.name, item.after*time.Millisecond)
		say(began, "add %s after %d ms", item.name, item.after)
	}
	for range 4 {
		item, _ := queue.Get()
		say(began, "get %s", item)
		queue.Done(item)
	}
}

// ANCHOR_END: delay

// ANCHOR: rate-limit
func rateLimit() {
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[string](5*time.Millisecond, 1000*time.Second)
	began, queue := time.Now(), workqueue.NewTypedRateLimitingQueue(limiter)
	queue.Add("a")
	queue.Add("b")
	say(began, "add a, add b")
	for range 6 {
		item, _ := queue.Get()
		say(began, "get %s", item)
		if failures := queue.NumRequeues(item); (item == "b" && failures == 1) || failures == 3 {
			queue.Forget(item)
			say(began, "%s succeeds: forget its failures", item)
		} else {
			queue.AddRateLimited(item)
			say(began, "%s fails, number %d", item, queue.NumRequeues(item))
		}
		queue.Done(item)
	}
	queue.AddRateLimited("a")
	say(began, "a fails, number %d", queue.NumRequeues("a"))
	item, _ := queue.Get()
	say(began, "get %s", item)
}

// ANCHOR_END: rate-limit
