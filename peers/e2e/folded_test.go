package e2e

// A handler that checks that its notifications are consistent.

import (
	"fmt"
	"maps"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// folded is a handler that rebuilds the objects from its notifications. It notes each notification that does not
// follow from the earlier ones.
type folded struct {
	informer cache.SharedIndexInformer
	notified chan<- struct{}
	mutex    sync.Mutex
	objects  map[string]metav1.Object
	failures []string
}

// OnAdd implements cache.ResourceEventHandler. The object must be new to the handler.
func (f *folded) OnAdd(object any, _ bool) {
	f.fold(func() {
		if old, ok := f.objects[key(object)]; ok {
			f.fail("%s was added, but the handler knew it already, at resourceVersion %s", key(object), old.GetResourceVersion())
		}
		f.objects[key(object)] = object.(metav1.Object)
	})
}

// OnUpdate implements cache.ResourceEventHandler. The old object must be the one that the handler knows.
func (f *folded) OnUpdate(old, object any) {
	f.fold(func() {
		known, ok := f.objects[key(old)]
		if !ok || known.GetResourceVersion() != old.(metav1.Object).GetResourceVersion() {
			f.fail("%s was updated from a state that the handler did not know", key(old))
		}
		f.objects[key(object)] = object.(metav1.Object)
	})
}

// OnDelete implements cache.ResourceEventHandler. The handler must know the object.
func (f *folded) OnDelete(object any) {
	f.fold(func() {
		if _, ok := f.objects[key(object)]; !ok {
			f.fail("%s was deleted, but the handler did not know it", key(object))
		}
		delete(f.objects, key(object))
	})
}

func (f *folded) fold(notification func()) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	notification()
	select {
	case f.notified <- struct{}{}:
	default: // a value is already waiting, and the receiver will look at everything
	}
}

func (f *folded) fail(format string, arguments ...any) {
	f.failures = append(f.failures, fmt.Sprintf(format, arguments...))
}

// result returns the objects that the handler knows, and its failures.
func (f *folded) result() (map[string]metav1.Object, []string) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return maps.Clone(f.objects), f.failures
}
