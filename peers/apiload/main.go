// Command apiload puts load on the pods of any API server, over plain HTTP: it creates pods, lists them (in JSON and
// as Tables), and changes one of them while many watchers watch it (in JSON, in protobuf and as Tables). It prints figures like ../bench.
//
//	apiload --url URL [--pid SERVER] [--pods 10000] [--bytes 1500] [--watchers 1000] [--changes 50] [--running]
//
// With --running it creates pods, waits until all run, and then waits until a first ReplicaSet is ready; the server
// needs a scheduler, a kubelet and controllers. With --pid it also prints what the server used: processor time per
// event, and memory.
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
	pid         = flag.Int("pid", 0, "the server's process id, to measure its memory and processor time")
	pods        = flag.Int("pods", 10_000, "how many pods are created")
	connections = flag.Int("connections", 16, "how many connections create pods")
	lists       = flag.Int("lists", 7, "how often the pods are listed")
	watchers    = flag.Int("watchers", 1000, "how many clients watch one pod")
	size        = flag.Int("bytes", 1500, "the size of a pod in bytes, as the server returns it; an annotation fills it up")
	changes     = flag.Int("changes", 50, "how often that pod is changed")
	running     = flag.Bool("running", false, "create pods, wait until all run, and skip lists and watchers")
)

type figure struct {
	Work  string  `json:"work"`
	Part  string  `json:"part"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	// Did is the amount of work, which must be the same for two servers that are compared.
	Did int `json:"did"`
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
