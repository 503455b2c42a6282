package e2e

// client-go's shared informers against the built-in cluster, while watches break and history is compacted.

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"informer-lab/peers/e2e/harness"
)

const changes = 1000

// The watches are cut for the last 20 of every 250 changes. The first two times, the history is compacted before they
// resume.
const (
	gapEvery  = 250
	gapLength = 20
)

func TestCachesAndHandlersOfASharedInformerFactoryEndWithTheServersObjects(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			cluster := harness.LabCluster(t, "--admin", "--stages", harness.DefaultStages())
			proxy := harness.NewProxy(t, cluster)
			factory := informers.NewSharedInformerFactory(cluster.Behind(t, proxy).Client(t), time.Second)
			pods, configMaps := factory.Core().V1().Pods().Informer(), factory.Core().V1().ConfigMaps().Informer()
			watched := &watched{pods: pods, configMaps: configMaps, notified: make(chan struct{}, 1)}
			watched.addHandlers(t, 0)
			watched.addHandlers(t, time.Second) // with a resync
			factory.Start(t.Context().Done())
			factory.WaitForCacheSync(t.Context().Done())

			server := cluster.Client(t)
			world := world{client: server, random: rand.New(rand.NewPCG(seed, seed))}
			for change := range changes {
				switch change % gapEvery {
				case gapEvery - gapLength:
					proxy.AwaitWatches(t, 2)
					proxy.Cut()
				case gapEvery - 1:
					if change < changes/2 {
						cluster.Fault(t, "compact") // the resourceVersions from which the watches would resume have expired
					}
					proxy.Resume()
				}
				if change == changes/2 {
					watched.addHandlers(t, 0) // handlers that are added late
				}
				if err := world.change(t.Context()); err != nil {
					t.Fatalf("change %d: %v", change, err)
				}
			}
			watched.awaitAgreement(t, server)
			// Each informer lists at its start, and after the two compactions.
			if lists := proxy.Lists(); lists < 6 {
				t.Errorf("there were only %d lists", lists)
			}
		})
	}
}

// watched holds the informers of a factory, and the handlers with the objects that they know.
type watched struct {
	pods, configMaps cache.SharedIndexInformer
	folded           []*folded
	// notified receives a value after each notification.
	notified chan struct{}
}

func (w *watched) addHandlers(t *testing.T, resync time.Duration) {
	t.Helper()
	for _, informer := range []cache.SharedIndexInformer{w.pods, w.configMaps} {
		handler := &folded{informer: informer, objects: map[string]metav1.Object{}, notified: w.notified}
		if _, err := informer.AddEventHandlerWithResyncPeriod(handler, resync); err != nil {
			t.Fatal(err)
		}
		w.folded = append(w.folded, handler)
	}
}

// awaitAgreement waits until the caches and all handlers have exactly the objects of the server.
func (w *watched) awaitAgreement(t *testing.T, server kubernetes.Interface) {
	t.Helper()
	deadline := time.After(2 * harness.Patience) // client-go's back-off can reach 30 seconds
	for {
		differences := w.differences(t, server)
		if differences == "" {
			return
		}
		select {
		case <-w.notified:
		case <-deadline:
			t.Fatalf("the caches, the handlers and the server do not agree: %s", differences)
		}
	}
}

func (w *watched) differences(t *testing.T, server kubernetes.Interface) string {
	t.Helper()
	pods, err := server.CoreV1().Pods(metav1.NamespaceAll).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	configMaps, err := server.CoreV1().ConfigMaps(metav1.NamespaceAll).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	truth := map[cache.SharedIndexInformer]map[string]metav1.Object{w.pods: {}, w.configMaps: {}}
	for _, pod := range pods.Items {
		if pod.DeletionTimestamp != nil || pod.Status.Phase != corev1.PodRunning {
			return "the kubelet has not finished with " + pod.Name
		}
		truth[w.pods][key(&pod)] = &pod
	}
	for _, configMap := range configMaps.Items {
		truth[w.configMaps][key(&configMap)] = &configMap
	}
	for informer, objects := range truth {
		cached := map[string]metav1.Object{}
		for _, object := range informer.GetStore().List() {
			cached[key(object)] = object.(metav1.Object)
		}
		if !equality.Semantic.DeepEqual(cached, objects) {
			return fmt.Sprintf("cache: %v\nserver: %v", versions(cached), versions(objects))
		}
	}
	for _, handler := range w.folded {
		objects, failures := handler.result()
		if len(failures) > 0 {
			t.Fatalf("a handler got notifications that do not follow from the earlier ones: %v", failures)
		}
		if expected := truth[handler.informer]; !equality.Semantic.DeepEqual(objects, expected) {
			return fmt.Sprintf("handler: %v\nserver: %v", versions(objects), versions(expected))
		}
	}
	return ""
}

func versions(objects map[string]metav1.Object) map[string]string {
	versions := map[string]string{}
	for key, object := range objects {
		versions[key] = object.GetResourceVersion()
	}
	return versions
}

func key(object any) string {
	key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(object)
	if err != nil {
		panic(err) // every object has metadata
	}
	return key
}

// world changes a cluster at random.
type world struct {
	client kubernetes.Interface
	random *rand.Rand
}

// change changes a pod or a config map. It uses few names, so that objects of a name are deleted and created again.
func (w world) change(ctx context.Context) error {
	name := fmt.Sprint("object-", w.random.IntN(12))
	choice, value := w.random.IntN(10), fmt.Sprint(w.random.IntN(1000))
	if w.random.IntN(2) == 0 {
		return w.changePod(ctx, name, choice, value)
	}
	return w.changeConfigMap(ctx, name, choice, value)
}
