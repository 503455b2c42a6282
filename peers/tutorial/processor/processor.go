package processor

import (
	"sync"

	"k8s.io/client-go/tools/cache"
)

// ANCHOR: processor
// Processor tells every listener everything.
type Processor struct{ listeners []*Listener }

// AddListener gives a handler a listener of its own.
func (p *Processor) AddListener(handler cache.ResourceEventHandler) *Listener {
	listener := NewListener(handler)
	p.listeners = append(p.listeners, listener)
	return listener
}

// Distribute hands a notification to each listener. No handler is called here: that is what goroutines are for.
func (p *Processor) Distribute(notification any) {
	for _, listener := range p.listeners {
		listener.Add(notification)
	}
}

// Run serves the listeners, two goroutines each, until all of them are closed.
func (p *Processor) Run() {
	var running sync.WaitGroup
	for _, listener := range p.listeners {
		running.Go(listener.Pop)
		running.Go(listener.Run)
	}
	running.Wait()
}

// ANCHOR_END: processor
