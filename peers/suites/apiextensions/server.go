// Package fixtures replaces test/integration/fixtures/server.go of k8s.io/apiextensions-apiserver, with the same
// functions. The server that the tests start is the kube-apiserver of `informer-lab envtest` instead of one in the
// process.
package fixtures

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	clientv3 "go.etcd.io/etcd/client/v3"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	serveroptions "k8s.io/apiextensions-apiserver/pkg/cmd/server/options"
	servertesting "k8s.io/apiextensions-apiserver/pkg/cmd/server/testing"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// The user of the tests, with all rights like upstream's loopback client.
const (
	token = "integration"
	user  = token + `,integration,1,"system:masters"` + "\n"
)

// namespaces are used by the tests without being created, because upstream's server runs without the admission plugin
// NamespaceLifecycle. The namespace of TestEtcdStorage is missing on purpose: the test then fails at once, and does
// not wait for an etcd for ever.
var namespaces = []string{"namespace-1", "namespace-2", "not-the-default", "test"}

var (
	errEtcd     = errors.New("there is no etcd to read and write behind the server's back")
	errFeatures = errors.New("there are no feature gates, and no versions to emulate")
)

// StartDefaultServer starts informer-lab as kube-apiserver. The returned options have no effect on it.
func StartDefaultServer(t servertesting.Logger, flags ...string) (func(), *rest.Config, *serveroptions.CustomResourceDefinitionsServerOptions, error) {
	if slices.ContainsFunc(flags, choosesFeatures) {
		return nil, nil, nil, errFeatures
	}
	folder, err := os.MkdirTemp("", "apiextensions-apiserver")
	if err != nil {
		return nil, nil, nil, err
	}
	config, end, err := start(folder, flags)
	if err != nil {
		os.RemoveAll(folder)
		return nil, nil, nil, err
	}
	tearDown := func() {
		end()
		os.RemoveAll(folder)
	}
	if err := makeNamespaces(config); err != nil {
		tearDown()
		return nil, nil, nil, err
	}
	return tearDown, config, serveroptions.NewCustomResourceDefinitionsServerOptions(io.Discard, io.Discard), nil
}

func choosesFeatures(flag string) bool {
	return strings.HasPrefix(flag, "--feature-gates") || strings.HasPrefix(flag, "--emulated-version")
}

// start runs the server until it prints its address.
func start(folder string, flags []string) (config *rest.Config, end func(), err error) {
	tokens := filepath.Join(folder, "tokens.csv")
	if err := os.WriteFile(tokens, []byte(user), 0o600); err != nil {
		return nil, nil, err
	}
	arguments := append([]string{"--secure-port=0", "--cert-dir=" + folder, "--token-auth-file=" + tokens}, flags...)
	server := exec.Command(filepath.Join(os.Getenv("KUBEBUILDER_ASSETS"), "kube-apiserver"), arguments...)
	said, err := server.StderrPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := server.Start(); err != nil {
		return nil, nil, err
	}
	end = func() {
		server.Process.Signal(syscall.SIGTERM)
		server.Wait()
	}
	lines := bufio.NewScanner(said)
	for lines.Scan() {
		if _, address, found := strings.Cut(lines.Text(), "Serving securely on "); found {
			go io.Copy(io.Discard, said)
			config := &rest.Config{Host: "https://" + address, BearerToken: token, QPS: -1}
			config.CAFile = filepath.Join(folder, "apiserver.crt")
			return config, end, nil
		}
	}
	end()
	return nil, nil, fmt.Errorf("kube-apiserver has ended before it served")
}

func makeNamespaces(config *rest.Config) error {
	clients, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	for _, name := range namespaces {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if _, err := clients.CoreV1().Namespaces().Create(context.Background(), namespace, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// StartDefaultServerWithConfigAccess fails, because it would give a test access to the server's etcd.
func StartDefaultServerWithConfigAccess(t servertesting.Logger, flags ...string) (func(), *rest.Config, apiserver.CompletedConfig, error) {
	return nil, nil, apiserver.CompletedConfig{}, errEtcd
}

func StartDefaultServerWithClients(t servertesting.Logger, extraFlags ...string) (func(), clientset.Interface, dynamic.Interface, error) {
	tearDown, config, _, err := StartDefaultServer(t, extraFlags...)
	if err != nil {
		return nil, nil, nil, err
	}
	apiExtensionsClient, err := clientset.NewForConfig(config)
	if err != nil {
		tearDown()
		return nil, nil, nil, err
	}
	dynamicClient, err := dynamic.NewForConfig(config)
	if err != nil {
		tearDown()
		return nil, nil, nil, err
	}
	return tearDown, apiExtensionsClient, dynamicClient, nil
}

// StartDefaultServerWithClientsAndEtcd fails, because it would give a test access to the server's etcd.
func StartDefaultServerWithClientsAndEtcd(t servertesting.Logger, extraFlags ...string) (func(), clientset.Interface, dynamic.Interface, *clientv3.Client, string, error) {
	return nil, nil, nil, nil, "", errEtcd
}

// IntegrationEtcdServers returns no servers: there is no etcd.
func IntegrationEtcdServers() []string { return nil }
