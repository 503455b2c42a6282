package e2e

// Conversion webhooks: our cluster converts custom resources exactly when upstream's API server does.

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"informer-lab/peers/e2e/harness"
)

const (
	doors          = "/apis/x.example.org/%s/namespaces/default/doors"
	definitionPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/doors.x.example.org"
	// steps is the number of random requests.
	steps = 300
)

// TestAnObjectKeepsItsVersionUntilItIsWritten sends random requests for two versions of a kind to a real API server
// and to our cluster, while the stored version changes and the conversion webhook sometimes fails. All answers must
// be the same, with the conversions that the webhook records in them. CONVERSION_SEED sets another seed.
func TestAnObjectKeepsItsVersionUntilItIsWritten(t *testing.T) {
	t.Parallel()
	converter := harness.StartConverter(t)
	hook := fmt.Sprintf(`{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],"clientConfig":{"url":%q,"caBundle":%q}}}`,
		converter.URL, base64.StdEncoding.EncodeToString(converter.Authority))
	compareVersions(t, &requests{conversion: hook, fails: &converter.Fails})
}

// TestConversionWithoutAWebhookDropsFieldsThatAVersionLacks sends the same requests without a webhook. Then fields that
// a version does not have are lost.
func TestConversionWithoutAWebhookDropsFieldsThatAVersionLacks(t *testing.T) {
	t.Parallel()
	compareVersions(t, &requests{conversion: `{"strategy":"None"}`, fails: &atomic.Bool{}})
}

func compareVersions(t *testing.T, random *requests) {
	seed := uint64(1)
	if text := os.Getenv("CONVERSION_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	random.Rand, random.stored = rand.New(rand.NewPCG(seed, 0)), "v1"
	sides := []*side{newSide(harness.RealCluster(t).URL), newSide(harness.LabCluster(t).URL)}
	for _, side := range sides {
		side.ask(t, http.MethodPost, strings.TrimSuffix(definitionPath, "/doors.x.example.org"), "application/json", random.definition())
		side.settle(t, "v1")
	}
	for step := range steps {
		request := random.next()
		var answers []string
		for _, side := range sides {
			answers = append(answers, request(t, side))
		}
		if answers[0] != answers[1] {
			t.Fatalf("seed %d, step %d: %s\nreal API server: %s\ninformer-lab:    %s", seed, step, random.last, answers[0], answers[1])
		}
	}
}

// definition returns the CustomResourceDefinition with the current stored version.
func (r *requests) definition() string {
	version := func(name, field string) string {
		return fmt.Sprintf(`{"name":%q,"served":true,"storage":%t,"selectableFields":[{"jsonPath":".spec.%s"},{"jsonPath":".spec.of"}],"subresources":{"status":{}},"schema":{"openAPIV3Schema":{"type":"object","properties":{
			"spec":{"type":"object","properties":{%q:{"type":"string"},"of":{"type":"string","default":%q}}},"status":{"type":"object","properties":{"open":{"type":"boolean"}}}}}}}`,
			name, name == r.stored, field, field, name)
	}
	return fmt.Sprintf(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"doors.x.example.org"},"spec":{"group":"x.example.org",
		"scope":"Namespaced","names":{"plural":"doors","kind":"Door"},"versions":[%s,%s],"conversion":%s}}`, version("v1", "one"), version("v2", "two"), r.conversion)
}

// requests makes random requests.
type requests struct {
	*rand.Rand
	// stored is the version that the definition stores objects in.
	stored string
	// conversion is the conversion of the definition. fails makes its webhook fail.
	conversion string
	fails      *atomic.Bool
	// last describes the last request, for failures.
	last string
}

// next returns a function that sends the next request to a side and returns the answer to compare.
func (r *requests) next() func(*testing.T, *side) string {
	version, name, n := []string{"v1", "v2"}[r.IntN(2)], []string{"a", "b", "c"}[r.IntN(3)], r.IntN(3)
	all := fmt.Sprintf(doors, version)
	one := all + "/" + name
	field := map[string]string{"v1": "one", "v2": "two"}[version]
	plain := func(method, path, contentType, body string) func(*testing.T, *side) string {
		r.last = method + " " + path + " " + body
		return func(t *testing.T, side *side) string { return side.ask(t, method, path, contentType, body) }
	}
	at := r.IntN(46)
	if r.fails.Load() && at < 42 {
		at = 8 // a GET: in other requests, upstream uses objects that its watch cache converted before
	}
	switch {
	case at < 8:
		finalizers := []string{``, ``, `,"finalizers":["example.org/held"]`}[r.IntN(3)]
		return plain(http.MethodPost, all, "application/json", fmt.Sprintf(`{"apiVersion":"x.example.org/%s","kind":"Door","metadata":{"name":%q%s},"spec":{%q:"%d"}}`, version, name, finalizers, field, n))
	case at < 16:
		return plain(http.MethodGet, one, "", "")
	case at < 19:
		return plain(http.MethodGet, all, "", "")
	case at < 24:
		return plain(http.MethodPatch, one, "application/merge-patch+json", fmt.Sprintf(`{"spec":{%q:"%d"}}`, field, n))
	case at < 26:
		return plain(http.MethodPatch, one, "application/merge-patch+json", `{}`)
	case at < 28:
		return plain(http.MethodPatch, one+"/status", "application/merge-patch+json", fmt.Sprintf(`{"status":{"open":%t}}`, n%2 == 0))
	case at < 30:
		return plain(http.MethodPatch, one, "application/merge-patch+json", `{"metadata":{"finalizers":null}}`)
	case at < 33:
		r.last = "GET and PUT " + one
		return func(t *testing.T, side *side) string { return side.putAgain(t, one) }
	case at < 36:
		return plain(http.MethodDelete, one, "application/json", "")
	case at < 40:
		return plain(http.MethodGet, all+"?limit="+strconv.Itoa(r.IntN(3))+"&fieldSelector="+r.selector(), "", "")
	case at < 41:
		return plain(http.MethodDelete, all+"?fieldSelector="+r.selector(), "", "")
	case at < 42:
		selector := r.selector()
		r.last = "watch " + all + " " + selector
		change := fmt.Sprintf(`{"spec":{%q:"%d"}}`, field, r.IntN(3))
		return func(t *testing.T, side *side) string { return side.watch(t, all, selector, one, change) }
	case at < 44:
		r.stored = map[string]string{"v1": "v2", "v2": "v1"}[r.stored]
		r.fails.Store(false) // so that settle can create objects
		stored, definition := r.stored, r.definition()
		r.last = "store in " + stored
		return func(t *testing.T, side *side) string {
			answer := side.ask(t, http.MethodPatch, definitionPath, "application/merge-patch+json", definition)
			side.settle(t, stored)
			return answer[:3] // the status code
		}
	default:
		r.fails.Store(!r.fails.Load())
		return plain(http.MethodGet, one, "", "")
	}
}

func (r *requests) selector() string {
	terms := []string{"spec.one%3D0", "spec.one!%3D1", "spec.two%3D1", "spec.two!%3D2", "spec.of%3Dv1", "spec.of!%3Dv1"}
	return terms[r.IntN(len(terms))]
}

// side is one of the two servers.
type side struct {
	url string
	// revisions numbers the resourceVersions in the order in which they were seen.
	revisions map[string]int
}

func newSide(url string) *side { return &side{url, map[string]int{}} }

// ask returns the status code and the body of an answer, without its random parts.
func (s *side) ask(t *testing.T, method, path, contentType, body string) string {
	t.Helper()
	code, answer := s.send(t, method, path, contentType, body)
	if items, ok := answer["items"].([]any); ok {
		delete(answer, "metadata")
		for _, item := range items {
			s.normalize(item.(map[string]any))
		}
	}
	s.normalize(answer)
	text, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d %s", code, revisions.ReplaceAllString(string(text), "revision=N"))
}

// revisions matches revisions in errors of the storage.
var revisions = regexp.MustCompile(`revision=\d+`)

// putAgain reads an object and writes it unchanged.
func (s *side) putAgain(t *testing.T, path string) string {
	t.Helper()
	code, object := s.send(t, http.MethodGet, path, "", "")
	if code != http.StatusOK {
		return strconv.Itoa(code)
	}
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return s.ask(t, http.MethodPut, path, "application/json", string(text))
}

// watch changes and deletes an object. It returns the answers, and the events of a watch with a selector that begins
// before the changes.
func (s *side) watch(t *testing.T, all, selector, one, change string) string {
	t.Helper()
	_, list := s.send(t, http.MethodGet, all, "", "")
	revision, _ := list["metadata"].(map[string]any)["resourceVersion"].(string)
	said := s.ask(t, http.MethodPatch, one, "application/merge-patch+json", change) +
		s.ask(t, http.MethodPatch, one, "application/merge-patch+json", `{"metadata":{"labels":{"step":"two"}}}`) +
		s.ask(t, http.MethodDelete, one, "application/json", "")
	response, err := http.Get(s.url + all + "?watch=true&timeoutSeconds=1&resourceVersion=" + revision + "&fieldSelector=" + selector)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	for events := json.NewDecoder(response.Body); ; {
		var event map[string]any
		if err := events.Decode(&event); err != nil {
			return said
		}
		s.normalize(event)
		if object, ok := event["object"].(map[string]any); ok {
			s.normalize(object)
		}
		text, err := json.Marshal(event)
		if err != nil {
			t.Fatal(err)
		}
		said += "\n" + string(text)
	}
}

func (s *side) send(t *testing.T, method, path, contentType, body string) (int, map[string]any) {
	t.Helper()
	request, err := http.NewRequest(method, s.url+path, bytes.NewBufferString(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", contentType)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	var answer map[string]any
	if err := json.Unmarshal(text, &answer); err != nil {
		answer = map[string]any{"text": string(text)}
	}
	return response.StatusCode, answer
}

func (s *side) normalize(object map[string]any) {
	metadata, _ := object["metadata"].(map[string]any)
	for _, field := range []string{"uid", "creationTimestamp", "deletionTimestamp"} {
		if _, has := metadata[field]; has {
			metadata[field] = "some"
		}
	}
	delete(metadata, "managedFields")
	if details, ok := object["details"].(map[string]any); ok {
		delete(details, "uid")
	}
	if revision, ok := metadata["resourceVersion"].(string); ok {
		if _, seen := s.revisions[revision]; !seen {
			s.revisions[revision] = len(s.revisions)
		}
		metadata["resourceVersion"] = s.revisions[revision]
	}
}

// settle waits until new objects are stored in this version. It creates objects in v1: if they are stored in v2, they
// have an annotation of conversions, or have lost a field.
func (s *side) settle(t *testing.T, stored string) {
	t.Helper()
	all := fmt.Sprintf(doors, "v1")
	for deadline := time.Now().Add(harness.Patience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		code, made := s.send(t, http.MethodPost, all, "application/json", `{"apiVersion":"x.example.org/v1","kind":"Door","metadata":{"name":"probe"},"spec":{"one":"some"}}`)
		if code != http.StatusCreated {
			continue
		}
		s.send(t, http.MethodDelete, all+"/probe", "application/json", "")
		annotations, _ := made["metadata"].(map[string]any)["annotations"].(map[string]any)
		_, isWhole := made["spec"].(map[string]any)["one"]
		if (annotations[harness.Conversions] != nil || !isWhole) == (stored == "v2") {
			return
		}
	}
	t.Fatalf("%s does not store new objects in %s", s.url, stored)
}
