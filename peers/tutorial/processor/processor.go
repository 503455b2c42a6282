package processor

import (
	"sync"

	"k8s.io/client-go/tools/cache"
)

// ANCHOR: processor
// Processor passes every notification to every listener.
type Processor struct{ listeners []*Listener }

// AddListener gives a handler a listener of its own.
func (p *Processor) AddListener(handler cache.ResourceEventHandler) *Listener {
	listener := NewListener(handler)
	p.listeners = append(p.listeners, listener)
	return listener
}

// Distribute passes a notification to each listener. The handlers are called in the listeners' goroutines, not here.
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
