// Package trial connects a program with its cluster, and with the world outside of the cluster: a load balancer, a
// dashboard, a policy, alarms and handlers that note what they are told. `informer-lab check --in go` makes both. Without
// it, a program uses the cluster of KUBECONFIG, and the calls to the outside world are printed.
package trial

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// Trial is what a program gets from its surroundings.
type Trial struct {
	// Client is a client of the cluster.
	Client kubernetes.Interface
	// Balancer sends requests to the backends that the program adds to it.
	Balancer Balancer

	outside outside
}

// grace is the time that a program has to return after it was stopped.
const grace = 10 * time.Second

// Run runs a program until it is stopped. The context ends when the trial is over, or at Ctrl-C; the program has to
// return then.
func Run(program func(ctx context.Context, t *Trial) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	t, err := connect()
	if t != nil && t.outside != "" {
		go stopWithInput(stop)
	}
	if err == nil {
		err = program(ctx, t)
	}
	if err != nil && ctx.Err() == nil { // a stopped program may say that a call was cancelled
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func connect() (*Trial, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, nil).ClientConfig()
	if err != nil {
		return nil, err
	}
	config.QPS = -1 // a trial is over before the client's limit matters
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	outside := outside(os.Getenv("INFORMER_LAB_OUTSIDE"))
	return &Trial{Client: client, Balancer: Balancer{outside}, outside: outside}, nil
}

// stopWithInput stops the program when its input ends, as it does when the trial is over and when its judge is killed. A
// program that does not return then is ended.
func stopWithInput(stop func()) {
	io.Copy(io.Discard, os.Stdin)
	stop()
	time.Sleep(2 * grace)
	os.Exit(3)
}
