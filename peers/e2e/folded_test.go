package e2e

import (
	"fmt"
	"maps"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// folded is a handler that computes the objects from its notifications. Each notification must follow from those before it.
type folded struct {
	informer cache.SharedIndexInformer
	told     chan<- struct{}
	mutex    sync.Mutex
	objects  map[string]metav1.Object
	failures []string
}

// OnAdd implements cache.ResourceEventHandler. The object must not have existed before.
func (f *folded) OnAdd(object any, _ bool) {
	f.fold(func() {
		if old, ok := f.objects[key(object)]; ok {
			f.fail("added %s again, which was there at %s", key(object), old.GetResourceVersion())
		}
		f.objects[key(object)] = object.(metav1.Object)
	})
}

// OnUpdate implements cache.ResourceEventHandler. The old object must be the one that the handler knows.
func (f *folded) OnUpdate(old, object any) {
	f.fold(func() {
		known, ok := f.objects[key(old)]
		if !ok || known.GetResourceVersion() != old.(metav1.Object).GetResourceVersion() {
			f.fail("updated %s, which was not known so", key(old))
		}
		f.objects[key(object)] = object.(metav1.Object)
	})
}

// OnDelete implements cache.ResourceEventHandler. The handler must know the object.
func (f *folded) OnDelete(object any) {
	f.fold(func() {
		if _, ok := f.objects[key(object)]; !ok {
			f.fail("deleted %s, which was not there", key(object))
		}
		delete(f.objects, key(object))
	})
}

func (f *folded) fold(notification func()) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	notification()
	select {
	case f.told <- struct{}{}:
	default: // a value is waiting already, and the waiting test will look at everything
	}
}

func (f *folded) fail(format string, arguments ...any) {
	f.failures = append(f.failures, fmt.Sprintf(format, arguments...))
}

// result returns the objects that the handler knows, and the notifications that did not follow.
func (f *folded) result() (map[string]metav1.Object, []string) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return maps.Clone(f.objects), f.failures
}
