package harness

// Starts API servers for tests: the built-in cluster, or upstream's API server.

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// Cluster is an API server that runs until its test ends.
type Cluster struct {
	URL        string
	Kubeconfig string
	// home is the home folder of kubectl, with its discovery cache.
	home string
}

// LabCluster starts the cluster under test on a free port.
func LabCluster(t *testing.T, arguments ...string) Cluster {
	t.Helper()
	home := t.TempDir()
	kubeconfig := filepath.Join(home, "kubeconfig")
	arguments = append([]string{"cluster", "--listen", "127.0.0.1:0", "--kubeconfig-out", kubeconfig}, arguments...)
	lab := Start(t, nil, Lab(), arguments...)
	url := lab.Out.AwaitLine(t, "://") // https:// with --tls
	lab.Out.AwaitLine(t, kubeconfig)
	return Cluster{URL: url, Kubeconfig: kubeconfig, home: home}
}

// RealCluster starts upstream's API server, and the program that stands in for scheduler and kubelet (peers/lifecycle)
// with these options.
func RealCluster(t *testing.T, lifecycle ...string) Cluster {
	t.Helper()
	home := t.TempDir()
	kubeconfig := filepath.Join(home, "kubeconfig")
	server := Start(t, []string{"TMPDIR=" + home}, Peer("apiserver"), "--listen", "127.0.0.1:0", "--kubeconfig", kubeconfig)
	ready := server.Out.AwaitLine(t, "ready http://")
	kubelet := Start(t, nil, Peer("lifecycle"), append([]string{"--kubeconfig", kubeconfig}, lifecycle...)...)
	kubelet.Err.AwaitLine(t, "watching")
	return Cluster{URL: strings.TrimPrefix(ready, "ready "), Kubeconfig: kubeconfig, home: home}
}

// Behind returns the same cluster, reached through a proxy.
func (c Cluster) Behind(t *testing.T, proxy *Proxy) Cluster {
	t.Helper()
	direct, err := os.ReadFile(c.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(kubeconfig, []byte(strings.ReplaceAll(string(direct), c.URL, proxy.URL)), 0o600); err != nil {
		t.Fatal(err)
	}
	return Cluster{URL: proxy.URL, Kubeconfig: kubeconfig, home: c.home}
}

// Client returns a client for the cluster without a rate limit.
func (c Cluster) Client(t *testing.T) kubernetes.Interface {
	t.Helper()
	client, err := kubernetes.NewForConfig(&rest.Config{Host: c.URL, QPS: -1})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// Fault starts a fault in a cluster that was started with --admin.
func (c Cluster) Fault(t *testing.T, fault string) {
	t.Helper()
	body, err := json.Marshal(map[string]string{"fault": fault})
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.Post(c.URL+"/lab/faults", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode/100 != 2 {
		t.Fatalf("the fault %s was answered with %s", fault, response.Status)
	}
}
