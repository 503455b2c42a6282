// Package etcd runs etcd inside the process.
package etcd

import (
	"errors"
	"net"
	"net/url"
	"os"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
)

// Start runs an etcd in this process, on two free loopback ports. Its data are in dir, or in a temporary folder
// if dir is empty. It returns the URL and a function that stops it.
func Start(dir string) (string, func(), error) {
	remove := func() {}
	if dir == "" {
		made, err := os.MkdirTemp("", "informer-lab-etcd-")
		if err != nil {
			return "", nil, err
		}
		dir, remove = made, func() { os.RemoveAll(made) }
	}
	server, err := open(dir)
	if err != nil {
		remove()
		return "", nil, err
	}
	stop := func() {
		server.Close()
		remove()
	}
	select {
	case <-server.Server.ReadyNotify():
		return server.Config().ListenClientUrls[0].String(), stop, nil
	case <-time.After(20 * time.Second):
		stop()
		return "", nil, errors.New("etcd did not become ready")
	}
}

func open(dir string) (*embed.Etcd, error) {
	peer, err := FreeURL()
	if err != nil {
		return nil, err
	}
	client, err := FreeURL()
	if err != nil {
		return nil, err
	}
	config := embed.NewConfig()
	config.Dir = dir
	config.ListenPeerUrls, config.AdvertisePeerUrls = []url.URL{peer}, []url.URL{peer}
	config.ListenClientUrls, config.AdvertiseClientUrls = []url.URL{client}, []url.URL{client}
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	config.LogLevel, config.LogOutputs = "fatal", []string{"stderr"}
	config.UnsafeNoFsync = true                // the data of a test need not survive a crash of the machine
	config.TickMs, config.ElectionMs = 10, 100 // a single member waits this long before it elects itself
	return embed.StartEtcd(config)
}

// FreeURL returns the URL of a loopback port that no program listens at.
func FreeURL() (url.URL, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return url.URL{}, err
	}
	defer listener.Close()
	return url.URL{Scheme: "http", Host: listener.Addr().String()}, nil
}
