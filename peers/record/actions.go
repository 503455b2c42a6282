package main

// The writes that a recording can make while a watch is open, and the objects that exist at its start.

import (
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
)

const (
	pods       = "/api/v1/namespaces/default/pods"
	configMaps = "/api/v1/namespaces/default/configmaps"
	eventsPath = "/api/v1/namespaces/default/events"
)

//go:embed start.json
var startFile embed.FS

// prepare creates the objects with which every recording begins, after it has raised etcd's revision.
func (s *server) prepare() error {
	if err := s.inEtcd(raise); err != nil {
		return err
	}
	text, err := startFile.ReadFile("start.json")
	if err != nil {
		return err
	}
	newSecond()
	var requests []Request
	if err := json.Unmarshal(text, &requests); err != nil {
		return err
	}
	for _, request := range requests {
		if err := s.write(request); err != nil {
			return err
		}
	}
	return nil
}

// write sends a write that must succeed.
func (s *server) write(request Request) error {
	if request.Headers == nil {
		request.Headers = map[string]string{"content-type": "application/json"}
	}
	answer, err := s.send(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if text, err := io.ReadAll(answer.Body); err != nil || answer.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s: %s", request.Method, request.Path, answer.Status, text)
	}
	return nil
}

// actions are the possible actions while a watch is open.
var actions = []struct {
	form *regexp.Regexp
	make func(words []string) Request
}{
	{regexp.MustCompile(`^POST pod (\S+) labels (.*)$`), func(words []string) Request {
		return Request{Method: "POST", Path: pods, Body: `{"metadata":{"name":"` + words[1] + `","labels":` + words[2] +
			`},"spec":{"containers":[{"name":"main","image":"nginx:1.27"}]}}`}
	}},
	{regexp.MustCompile(`^POST configmap (\S+)$`), func(words []string) Request {
		return Request{Method: "POST", Path: configMaps, Body: `{"metadata":{"name":"` + words[1] + `"}}`}
	}},
	{regexp.MustCompile(`^POST event (\{.*\})$`), func(words []string) Request {
		return Request{Method: "POST", Path: eventsPath, Body: words[1]}
	}},
	{regexp.MustCompile(`^merge patch (\S+): labels (.*)$`), func(words []string) Request {
		return mergePatch(pods+"/"+words[1], `{"metadata":{"labels":`+words[2]+`}}`)
	}},
	{regexp.MustCompile(`^DELETE (\S+)(?: (\S+))?$`), func(words []string) Request {
		return Request{Method: "DELETE", Path: strings.TrimSuffix(pods+"/"+words[1]+"?"+words[2], "?")}
	}},
	{regexp.MustCompile(`^PUT status of (\S+): Running$`), func(words []string) Request {
		return mergePatch(pods+"/"+words[1]+"/status", `{"status":{"phase":"Running","podIP":"198.51.100.7","podIPs":[{"ip":"198.51.100.7"}],`+
			`"conditions":[{"type":"Ready","status":"True"},{"type":"PodScheduled","status":"True"}],`+
			`"containerStatuses":[{"name":"main","image":"nginx:1.27","imageID":"","ready":true,"restartCount":0,"state":{"running":{}},"lastState":{}}]}}`)
	}},
}

func mergePatch(path, body string) Request {
	return Request{Method: "PATCH", Path: path, Headers: map[string]string{"content-type": "application/merge-patch+json"}, Body: body}
}

func (s *server) act(action string) error {
	for _, known := range actions {
		if words := known.form.FindStringSubmatch(action); words != nil {
			return s.write(known.make(words))
		}
	}
	return fmt.Errorf("the recorder cannot do %q during a watch, actions.go lists the possible actions", action)
}
