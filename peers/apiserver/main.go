// Command apiserver is a small but genuine Kubernetes API server. The handlers, the admission chain, the watch cache
// and the storage are upstream's (k8s.io/apiserver, etcd). Only the strategies of the kinds are local and simplified:
// they have the defaults, validation and columns of pods that the recordings in fixtures/wire need.
//
//	apiserver --listen 127.0.0.1:0 --kubeconfig FILE
//
// It prints "etcd URL" and, once it serves, "ready URL", and stops on SIGINT or SIGTERM. It serves plain HTTP on
// loopback without authentication. With --data-dir it keeps its data for the next start.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"informer-lab/peers/etcd"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/klog/v2"
)

var (
	listen     = flag.String("listen", "127.0.0.1:0", "loopback address to serve plain HTTP on")
	kubeconfig = flag.String("kubeconfig", "", "where to write a kubeconfig")
	dataDir    = flag.String("data-dir", "", "folder of etcd; without it, a temporary one that is removed at the end")
	gates      = flag.String("feature-gates", "", "comma separated, as in WatchList=false")
)

func main() {
	klog.InitFlags(nil)
	_ = flag.Set("stderrthreshold", "ERROR")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "apiserver:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	listener, err := net.Listen("tcp", *listen)
	if err != nil {
		return err
	}
	if ip := listener.Addr().(*net.TCPAddr).IP; !ip.IsLoopback() {
		return fmt.Errorf("refusing to listen on %s: not a loopback address", ip)
	}
	if err := utilfeature.DefaultMutableFeatureGate.Set(*gates); err != nil {
		return err
	}
	storage, stopEtcd, err := etcd.Start(*dataDir)
	if err != nil {
		return err
	}
	defer stopEtcd()

	host := listener.Addr().String()
	client, err := loopbackClient(host)
	if err != nil {
		return err
	}
	server, err := newServer(host, storage, client)
	if err != nil {
		return err
	}
	defer server.Destroy()
	httpServer := &http.Server{Handler: server.Handler, ReadHeaderTimeout: 32 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- httpServer.Serve(listener) }()
	defer httpServer.Close()
	server.RunPostStartHooks(ctx)

	if err := makeNamespaces(ctx, client); err != nil {
		return err
	}
	if *kubeconfig != "" {
		if err := os.WriteFile(*kubeconfig, fmt.Appendf(nil, kubeconfigText, host), 0o600); err != nil {
			return err
		}
	}
	fmt.Printf("etcd %s\nready http://%s\n", storage, host)
	select {
	case <-ctx.Done():
		return nil
	case err := <-failed:
		return err
	}
}

const kubeconfigText = `apiVersion: v1
kind: Config
clusters:
- name: peer
  cluster: {server: "http://%s"}
contexts:
- name: peer
  context: {cluster: peer, user: peer, namespace: default}
current-context: peer
users:
- name: peer
  user: {}
`
