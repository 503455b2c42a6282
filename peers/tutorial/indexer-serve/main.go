// Command indexer-serve keeps an index up to date by list and watch, and answers from it over HTTP.
package main

import (
	"cmp"
	"encoding/json"
	"log"
	"net"
	"net/http"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"

	"informer-lab/peers/tutorial/cluster"
)

func byApp(object any) ([]string, error) {
	return []string{object.(*corev1.Pod).Labels["app"]}, nil
}

// ANCHOR: main
func main() {
	// The loop below writes each delta that it pops into the Indexer. The queue reads the Indexer as its known objects.
	indexer := cache.NewIndexer(cache.DeletionHandlingMetaNamespaceKeyFunc, cache.Indexers{"app": byApp})
	queue := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{KeyFunction: cache.MetaNamespaceKeyFunc, KnownObjects: indexer})
	go cache.NewReflector(cluster.Pods(), &corev1.Pod{}, queue, 0).Run(wait.NeverStop)
	go func() {
		for {
			queue.Pop(func(object any, _ bool) error { return keep(indexer, object.(cache.Deltas)) })
		}
	}()

	http.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		app := request.FormValue("app")
		if app == "" {
			app = "robusta-forwarder"
		}
		keys, err := indexer.IndexKeys("app", app)
		if err != nil {
			http.Error(response, err.Error(), http.StatusInternalServerError)
			return
		}
		json.NewEncoder(response).Encode(keys)
	})
	listener, err := net.Listen("tcp", cmp.Or(os.Getenv("LISTEN"), "127.0.0.1:8080"))
	if err != nil {
		log.Fatal(err)
	}
	log.Print("curl http://", listener.Addr())
	log.Fatal(http.Serve(listener, nil))
}

func keep(indexer cache.Indexer, deltas cache.Deltas) error {
	for _, delta := range deltas {
		if delta.Type == cache.Deleted {
			indexer.Delete(delta.Object)
		} else {
			indexer.Update(delta.Object)
		}
	}
	return nil
}

// ANCHOR_END: main
