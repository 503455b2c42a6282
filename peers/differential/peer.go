package main

// The two programs that can be the real API server.

// peerKind is what a comparison needs to know of its real API server.
type peerKind struct {
	// program returns the path of the program, start starts it.
	program func() string
	start   func(program string) (*server, error)
	// admission is that of our server.
	admission string
	// table lists the intended differences. opensAll is true if the first requests of a run use each of its rows, so that a
	// row that is not used is no longer needed.
	table    []row
	opensAll bool
	// compare sends requests to both servers.
	compare func(*Runner, *Report) error
}

// smallPeer is peers/apiserver: upstream's libraries with a few kinds. It starts at once.
var smallPeer = peerKind{program: func() string { return *peer }, start: startReal, admission: "plain", table: table, opensAll: true, compare: compareSmall}

// kubeAPIServer is the real one, with every kind and its default admission.
var kubeAPIServer = peerKind{program: func() string { return *kube }, start: startKubeAPIServer, admission: "kube", table: kubeTable, compare: compareServed}
