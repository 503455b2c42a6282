// Package processor is client-go's processorListener and sharedProcessor by hand: there they are private.
package processor

import "k8s.io/client-go/tools/cache"

// Added, Updated and Deleted are what a listener is given.
type (
	Added   struct{ New any }
	Updated struct{ Old, New any }
	Deleted struct{ Old any }
)

// ANCHOR: listener
// Listener stands between those who tell and one handler: Add → pop (a buffer without a bound) → run.
type Listener struct {
	added   chan any // client-go: addCh
	next    chan any // client-go: nextCh
	handler cache.ResourceEventHandler
}

// NewListener is a listener that calls this handler once it runs.
func NewListener(handler cache.ResourceEventHandler) *Listener {
	return &Listener{make(chan any), make(chan any), handler}
}

// Add hands a notification over. It waits for pop, which always accepts, and never for the handler.
func (l *Listener) Add(notification any) { l.added <- notification }

// Close ends the listener after what it was given.
func (l *Listener) Close() { close(l.added) }

// Pop keeps what the handler has no time for yet.
func (l *Listener) Pop() {
	defer close(l.next)
	var pending []any
	added := l.added
	for added != nil || len(pending) > 0 {
		var next chan any // nothing is ever sent to a nil channel: without pending, only added is ready
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
