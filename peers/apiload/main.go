// Command apiload puts load on the pods of any API server, over plain HTTP and in JSON: it creates pods, lists them, and changes one of them
// while many watchers watch it. It prints its figures in the form of ../bench.
//
//	apiload --url URL [--pid SERVER] [--pods 10000] [--bytes 1500] [--watchers 1000] [--changes 50] [--running]
//
// With --running it waits instead until all pods run, and then for the status of a first ReplicaSet. That is for a server with a scheduler, a
// kubelet and controllers.
// With --pid it also prints what the server used: processor time per event, and memory.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
)

var (
	url         = flag.String("url", "http://127.0.0.1:18080", "the server")
	pid         = flag.Int("pid", 0, "the server's process, if it is to be looked at")
	pods        = flag.Int("pods", 10_000, "how many pods are created")
	connections = flag.Int("connections", 16, "how many connections create them")
	lists       = flag.Int("lists", 7, "how often they are listed")
	watchers    = flag.Int("watchers", 1000, "how many watch one pod")
	size        = flag.Int("bytes", 1500, "how large a pod is as the server tells it: what it does not fill in itself, an annotation does")
	changes     = flag.Int("changes", 50, "how often it is changed")
	running     = flag.Bool("running", false, "wait until all pods run, and do nothing else with them")
)

type figure struct {
	Work  string  `json:"work"`
	Part  string  `json:"part"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	Did   int     `json:"did"`
}

func main() {
	flag.Parse()
	server := load{server: *url, pods: "/api/v1/namespaces/default/pods", client: &http.Client{Transport: &http.Transport{}}}
	lines := json.NewEncoder(os.Stdout)
	steps := []func(*load) ([]figure, error){(*load).pad, (*load).create, (*load).list, (*load).memory, (*load).fanOut}
	if *running {
		steps = []func(*load) ([]figure, error){(*load).pad, (*load).run, (*load).memory, (*load).firstReplicaSet}
	}
	for _, step := range steps {
		figures, err := step(&server)
		if err != nil {
			fmt.Fprintln(os.Stderr, "apiload:", err)
			os.Exit(1)
		}
		for _, figure := range figures {
			figure.Work = "apiload"
			_ = lines.Encode(figure)
		}
	}
}
