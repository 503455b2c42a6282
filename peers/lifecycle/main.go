// Command lifecycle stands in for the scheduler and the kubelet, for pods in the namespace default: it binds each new
// pod, brings it to Running, and finishes graceful deletions. It makes one write for each MODIFIED event that a
// watcher should see.
//
//	lifecycle --kubeconfig FILE [--terminating 4]
//
// It prints "watching" on standard error once it watches the pods, and stops on SIGINT or SIGTERM.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

const namespace = "default"

var (
	kubeconfig  = flag.String("kubeconfig", os.Getenv("KUBECONFIG"), "kubeconfig file")
	terminating = flag.Int("terminating", 4, "MODIFIED events from DELETE to DELETED, 2 to 4; the API server makes the first and the last of them")
	step        = flag.Duration("step", 150*time.Millisecond, "pause between two writes")
)

func main() {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "lifecycle:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	if *terminating < 2 || *terminating > 4 {
		return fmt.Errorf("--terminating %d is not 2 to 4", *terminating)
	}
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		return err
	}
	config.QPS = -1
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	pods := client.CoreV1().Pods(namespace)
	node := kubelet{pods: pods, stage: map[types.UID]string{}}
	for ctx.Err() == nil {
		events, err := pods.Watch(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		fmt.Fprintln(os.Stderr, "watching")
		for event := range events.ResultChan() {
			if pod, ok := event.Object.(*corev1.Pod); ok && event.Type != watch.Deleted {
				node.see(ctx, pod)
			}
		}
	}
	return nil
}
