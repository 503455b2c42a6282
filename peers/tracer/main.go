// Command tracer runs one of the tutorial's programs on client-go and prints the program's output.
//
//	tracer listwatch        list, then watch from the list's resourceVersion
//	tracer listwatch-norv   list, then watch without a resourceVersion
//	tracer deltafifo        Reflector and DeltaFIFO, without known objects
//	tracer deltafifo-known  the same with a Store as known objects, to which the deltas are applied
//	tracer deltafifo-replaced, deltafifo-known-replaced   the same two with EmitDeltaTypeReplaced
//	tracer informer         cache.NewInformer
//	tracer shared           cache.NewSharedInformer with one handler
//
// KUBECONFIG names the cluster. "synced" on standard error means that the existing objects have been printed.
// KUBE_FEATURE_WatchListClient=false turns streaming lists off.
package main

import (
	"context"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

// program runs until it fails, and calls saySynced once it has synced.
type program func(pods *cache.ListWatch) error

var programs = map[string]program{
	"listwatch":                listWatch(fromList),
	"listwatch-norv":           listWatch(fromNowhere),
	"deltafifo":                deltaFIFO{}.run,
	"deltafifo-known":          deltaFIFO{known: cache.NewStore(cache.MetaNamespaceKeyFunc)}.run,
	"deltafifo-replaced":       deltaFIFO{emitReplaced: true}.run,
	"deltafifo-known-replaced": deltaFIFO{known: cache.NewStore(cache.MetaNamespaceKeyFunc), emitReplaced: true}.run,
	"informer":                 informer,
	"shared":                   shared,
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "tracer:", err)
		os.Exit(1)
	}
}

func run() error {
	if len(os.Args) != 2 || programs[os.Args[1]] == nil {
		return fmt.Errorf("name one program: tracer PROGRAM")
	}
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	pods := cache.NewListWatchFromClient(client.CoreV1().RESTClient(), "pods", "default", fields.Everything())
	return programs[os.Args[1]](pods)
}

func saySynced() {
	fmt.Fprintln(os.Stderr, "synced")
}

// saySyncedWhen waits for the condition in a new goroutine.
func saySyncedWhen(synced cache.InformerSynced) {
	go func() {
		if cache.WaitForCacheSync(context.Background().Done(), synced) {
			saySynced()
		}
	}()
}
