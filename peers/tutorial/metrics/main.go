// Command metrics registers a provider of metrics for all informers of a factory (since client-go 0.36).
package main

import (
	"context"
	"fmt"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"

	"informer-lab/peers/tutorial/pods"
)

// ANCHOR: provider
// measured makes the metrics of an informer. A program would register them with Prometheus.
type measured struct{ handled atomic.Int64 }

func (m *measured) NewQueuedItemMetric(cache.InformerNameAndResource) cache.GaugeMetric {
	return ignored{}
}

func (m *measured) NewProcessingLatencyMetric(id cache.InformerNameAndResource) cache.HistogramMetric {
	fmt.Println("measured:", id.Name(), id.GroupVersionResource().Resource)
	return histogram{m}
}

func (m *measured) NewStoreResourceVersionMetric(cache.InformerNameAndResource) cache.GaugeMetric {
	return ignored{}
}

type histogram struct{ *measured }

// Observe gets the seconds in which the loop has processed an item of the queue. It is called after each item.
func (h histogram) Observe(float64) { h.handled.Add(1) }

type ignored struct{}

func (ignored) Set(float64) {}

func newFactory(objects ...runtime.Object) informers.SharedInformerFactory {
	name, err := cache.NewInformerName("my-controller") // an informer without a name has no metrics
	if err != nil {
		panic(err)
	}
	return informers.NewSharedInformerFactoryWithOptions(fake.NewClientset(objects...), 0, informers.WithInformerName(name))
}

// ANCHOR_END: provider

func main() {
	metrics := &measured{}
	cache.SetInformerMetricsProvider(metrics) // before the first informer; a second call has no effect
	factory := newFactory(pods.New("wiremock", "wiremock", corev1.PodRunning))
	informer := factory.Core().V1().Pods().TypedInformer()
	ctx := context.Background()
	factory.StartWithContext(ctx)
	cache.WaitFor(ctx, "", informer.HasSyncedChecker())
	fmt.Println("handled:", metrics.handled.Load() > 0)
}
