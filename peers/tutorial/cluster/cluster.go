// Package cluster connects the programs of the tutorial with the cluster of KUBECONFIG.
package cluster

import (
	"log"
	"os"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

// Client returns a client of the cluster.
func Client() *kubernetes.Clientset {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		log.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		log.Fatal(err)
	}
	return client
}

// Pods returns a ListWatch of the pods in the namespace default.
func Pods() *cache.ListWatch {
	return cache.NewListWatchFromClient(Client().CoreV1().RESTClient(), "pods", "default", fields.Everything())
}
