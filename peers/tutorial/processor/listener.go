// Package processor builds client-go's processorListener and sharedProcessor by hand, because they are private there.
package processor

import "k8s.io/client-go/tools/cache"

// Added, Updated and Deleted are the notifications that a listener takes.
type (
	Added   struct{ New any }
	Updated struct{ Old, New any }
	Deleted struct{ Old any }
)

// ANCHOR: listener
// Listener passes notifications to one handler: Add → Pop (an unbounded buffer) → Run.
type Listener struct {
	added   chan any // client-go: addCh
	next    chan any // client-go: nextCh
	handler cache.ResourceEventHandler
}

// NewListener returns a listener that calls this handler once it runs.
func NewListener(handler cache.ResourceEventHandler) *Listener {
	return &Listener{make(chan any), make(chan any), handler}
}

// Add passes a notification to Pop, which always accepts it. So Add never waits for the handler.
func (l *Listener) Add(notification any) { l.added <- notification }

// Close ends the listener once the handler has got every notification.
func (l *Listener) Close() { close(l.added) }

// Pop buffers notifications while the handler is busy.
func (l *Listener) Pop() {
	defer close(l.next)
	var pending []any
	added := l.added
	for added != nil || len(pending) > 0 {
		var next chan any // a send to a nil channel never happens, so without pending only added can be ready
		var first any
		if len(pending) > 0 {
			next, first = l.next, pending[0]
		}
		select {
		case next <- first:
			pending = pending[1:]
		case notification, open := <-added:
			if open {
				pending = append(pending, notification)
			} else {
				added = nil
			}
		}
	}
}

// Run calls the handler, one notification at a time.
func (l *Listener) Run() {
	for notification := range l.next {
		switch n := notification.(type) {
		case Added:
			l.handler.OnAdd(n.New, false)
		case Updated:
			l.handler.OnUpdate(n.Old, n.New)
		case Deleted:
			l.handler.OnDelete(n.Old)
		}
	}
}

// ANCHOR_END: listener
