package main

// Starts the real kube-apiserver, which .ci/jobs/controlplane builds from k8s.io/kubernetes.

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"informer-lab/peers/etcd"
)

const (
	// token is the credential of an administrator on the real kube-apiserver.
	token = "differential"
	// controlplanePatience is the longest wait for a kube-apiserver to become ready.
	controlplanePatience = time.Minute
)

// startKubeAPIServer starts the program with an etcd of its own, with the options that have no default. Everything else,
// above all admission, is as a cluster has it by default.
func startKubeAPIServer(program string) (*server, error) {
	folder, err := os.MkdirTemp("", "informer-lab-kube-apiserver-")
	if err != nil {
		return nil, err
	}
	storage, stopEtcd, err := etcd.Start("")
	if err != nil {
		os.RemoveAll(folder)
		return nil, err
	}
	cleanUp := func() { stopEtcd(); os.RemoveAll(folder) }
	if err := writeCredentials(folder); err != nil {
		cleanUp()
		return nil, err
	}
	address, err := etcd.FreeURL()
	if err != nil {
		cleanUp()
		return nil, err
	}
	in := func(name string) string { return filepath.Join(folder, name) }
	command := exec.Command(program, "--etcd-servers="+storage, "--bind-address=127.0.0.1", "--secure-port="+address.Port(), "--cert-dir="+in("certificates"),
		"--service-account-issuer=https://kubernetes.default.svc.cluster.local", "--service-account-key-file="+in("key"), "--service-account-signing-key-file="+in("key"),
		"--token-auth-file="+in("tokens"), "--authorization-mode=RBAC", "--service-cluster-ip-range=10.96.0.0/12", "--allow-privileged",
		"--disable-admission-plugins=ServiceAccount") // as envtest does, because without controllers there are no accounts
	log, err := os.Create(in("log"))
	if err != nil {
		cleanUp()
		return nil, err
	}
	command.Stdout, command.Stderr = log, log
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := command.Start(); err != nil {
		cleanUp()
		return nil, fmt.Errorf("cannot start %s: %w (.ci/jobs/controlplane builds it)", program, err)
	}
	made := &server{url: "https://" + address.Host, command: command, cleanUp: cleanUp}
	if err := made.awaitReady(); err != nil {
		tail, _ := os.ReadFile(in("log"))
		made.stop()
		return nil, fmt.Errorf("%w: %s", err, tail[max(0, len(tail)-2000):])
	}
	return made, nil
}

// writeCredentials writes the key that signs the tokens of service accounts, and the administrator's token.
func writeCredentials(folder string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})
	if err := os.WriteFile(filepath.Join(folder, "key"), text, 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "tokens"), []byte(token+`,admin,1,"system:masters"`+"\n"), 0o600)
}

func (s *server) awaitReady() error {
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: loopbackTLS}, Timeout: time.Second}
	for end := time.Now().Add(controlplanePatience); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		request, err := http.NewRequest("GET", s.url+"/readyz", nil)
		if err != nil {
			return err
		}
		request.Header.Set("Authorization", "Bearer "+token)
		if answer, err := client.Do(request); err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return nil
			}
		}
	}
	return fmt.Errorf("kube-apiserver is not ready after %s", controlplanePatience)
}

// loopbackTLS trusts any certificate: the server has made its own, and both ends are in this machine.
var loopbackTLS = &tls.Config{InsecureSkipVerify: true}
