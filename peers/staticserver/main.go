// Command staticserver serves lists and watches of typical pods. It encodes the pods in JSON and in protobuf before
// the measurement, so that its own work does not slow down its clients.
//
//	staticserver --listen 127.0.0.1:0 --pods 10000 --changes 0
//
// It prints "ready URL" once it serves. A watch sends --changes changes, one pod after the other, and stays open.
// Streaming lists are refused.
package main

import (
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"strings"
)

var (
	listen  = flag.String("listen", "127.0.0.1:0", "loopback address to serve plain HTTP on")
	pods    = flag.Int("pods", 10_000, "how many pods there are")
	changes = flag.Int("changes", 0, "how many changes a watch sends")
)

func main() {
	flag.Parse()
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "staticserver:", err)
		os.Exit(1)
	}
}

func run() error {
	listener, err := net.Listen("tcp", *listen)
	if err != nil {
		return err
	}
	if ip := listener.Addr().(*net.TCPAddr).IP; !ip.IsLoopback() {
		return fmt.Errorf("refusing to listen on %s: not a loopback address", ip)
	}
	inJSON, err := encode(asJSON{}, *pods)
	if err != nil {
		return err
	}
	inProtobuf, err := encode(asProtobuf{}, *pods)
	if err != nil {
		return err
	}
	debug.FreeOSMemory()
	fmt.Printf("ready http://%s\n", listener.Addr())
	return http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := inJSON
		if strings.Contains(r.Header.Get("Accept"), "protobuf") {
			body = inProtobuf
		}
		body.serve(w, r)
	}))
}

func (b *body) serve(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	switch {
	case query.Get("sendInitialEvents") == "true":
		http.Error(w, "no streaming lists", http.StatusBadRequest)
	case query.Get("watch") != "":
		w.Header().Set("Content-Type", b.watchType)
		w.WriteHeader(http.StatusOK)
		if err := b.change(w, *changes); err != nil {
			return // the client is gone
		}
		<-r.Context().Done()
	default:
		w.Header().Set("Content-Type", b.listType)
		_, _ = w.Write(b.list)
	}
}
