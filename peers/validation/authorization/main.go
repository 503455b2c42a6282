// Command authorization sends random requests to kube-apiserver's own RBAC authorizer, impersonation filter and
// escalation checks. It writes each random policy, with the requests and their answers, as a line of
// fixtures/rbac/decisions.jsonl. The same seed makes the same lines.
//
//	go run ./authorization -seed 7 -policies 24 >../../fixtures/rbac/decisions.jsonl
package main

import (
	"context"
	"encoding/json"
	"flag"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/authorization/union"
	"k8s.io/apiserver/pkg/endpoints/filters"
	"k8s.io/apiserver/pkg/endpoints/filters/impersonation"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	"k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac"
)

// identity is the user of a request.
type identity struct {
	Name   string              `json:"name"`
	UID    string              `json:"uid,omitempty"`
	Groups []string            `json:"groups,omitempty"`
	Extra  map[string][]string `json:"extra,omitempty"`
}

func (w identity) info() user.Info {
	return &user.DefaultInfo{Name: w.Name, UID: w.UID, Groups: w.Groups, Extra: w.Extra}
}

// question is a request with its answer.
type question struct {
	As      identity            `json:"as"`
	Method  string              `json:"method"`
	URL     string              `json:"url"`
	Headers map[string][]string `json:"headers,omitempty"`
	Body    any                 `json:"body,omitempty"`
	// User is the user after impersonation, if the request is allowed.
	User *identity `json:"user,omitempty"`
	// Refused is the error, if the request is refused.
	Refused *metav1.Status `json:"refused,omitempty"`
}

// review is a subject access review of a user, with its answer.
type review struct {
	Of      identity       `json:"of"`
	Spec    map[string]any `json:"spec"`
	Allowed bool           `json:"allowed"`
	Reason  string         `json:"reason,omitempty"`
}

// rules is a rules review of a user, with its answer.
type rules struct {
	Of        identity         `json:"of"`
	Namespace string           `json:"namespace"`
	Resources []map[string]any `json:"resources"`
	Paths     []map[string]any `json:"paths"`
	Problem   string           `json:"problem,omitempty"`
}

// line is a policy with its requests, reviews and answers.
type line struct {
	Objects   []any      `json:"objects"`
	Questions []question `json:"questions"`
	Reviews   []review   `json:"reviews"`
	Rules     []rules    `json:"rules"`
}

func main() {
	seed := flag.Uint64("seed", 7, "the seed of all random choices")
	policies := flag.Int("policies", 24, "how many policies")
	flag.Parse()
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for n := range *policies {
		if err := out.Encode(answered(rand.New(rand.NewPCG(*seed, uint64(n))))); err != nil {
			log.Fatal(err)
		}
	}
}

// answered returns a random policy with questions and reviews, and their answers.
func answered(random *rand.Rand) line {
	g := generator{random}
	policy := g.policy()
	all := policy.withBootstrap()
	lister, registry := resolver{all, singular}, resolver{all, ofRequest}
	byRoles := rbac.New(lister, lister, lister, lister)
	decide, err := union.New(
		union.NamedAuthorizer{AuthorizerName: "kubernetes.io/system-privileged-group", Authorizer: authorizerfactory.NewPrivilegedGroups(user.SystemPrivilegedGroup)},
		union.NamedAuthorizer{AuthorizerName: "rbac", Authorizer: byRoles},
	)
	if err != nil {
		log.Fatal(err)
	}
	result := line{Objects: policy.objects()}
	for range 40 {
		q := g.question()
		q.ask(decide)
		result.Questions = append(result.Questions, q)
	}
	for range 12 {
		q := g.grant(policy)
		q.grant(decide, registry, all)
		result.Questions = append(result.Questions, q)
	}
	for range 20 {
		r := g.review()
		r.ask(decide)
		result.Reviews = append(result.Reviews, r)
	}
	for range 3 {
		result.Rules = append(result.Rules, g.rules(byRoles))
	}
	return result
}

var infos = request.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")}

// request returns the request with the context that it has before the impersonation filter.
func (q *question) request() *http.Request {
	made := httptest.NewRequest(q.Method, q.URL, nil)
	for name, values := range q.Headers {
		for _, value := range values {
			made.Header.Add(name, value)
		}
	}
	info, err := infos.NewRequestInfo(made)
	if err != nil {
		log.Fatal(err)
	}
	ctx := request.WithRequestInfo(made.Context(), info)
	if info.Namespace != "" {
		ctx = request.WithNamespace(ctx, info.Namespace)
	}
	return made.WithContext(request.WithUser(ctx, q.As.info()))
}

// ask sends the request through kube-apiserver's filters: impersonation, then authorization.
func (q *question) ask(decide authorizer.Authorizer) {
	q.through(decide, func(ctx context.Context) *metav1.Status { return nil })
}

// through sends the request through the filters. If they allow it, handle answers it: nil, or an error.
func (q *question) through(decide authorizer.Authorizer, handle func(ctx context.Context) *metav1.Status) {
	end := http.HandlerFunc(func(_ http.ResponseWriter, handled *http.Request) {
		if status := handle(handled.Context()); status != nil {
			q.Refused = status
			return
		}
		info, _ := request.UserFrom(handled.Context())
		q.User = &identity{Name: info.GetName(), UID: info.GetUID(), Groups: info.GetGroups(), Extra: info.GetExtra()}
	})
	handler := filters.WithAuthorization(end, decide, legacyscheme.Codecs)
	handler = impersonation.WithImpersonation(handler, decide, legacyscheme.Codecs)
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, q.request())
	if q.User == nil && q.Refused == nil {
		q.Refused = &metav1.Status{}
		if err := json.Unmarshal(answer.Body.Bytes(), q.Refused); err != nil {
			log.Fatalf("%s: %v", answer.Body, err)
		}
	}
}

func (r *review) ask(decide authorizer.Authorizer) {
	attributes := authorizer.AttributesRecord{User: r.Of.info()}
	text := func(of any, field string) string {
		value, _ := of.(map[string]any)[field].(string)
		return value
	}
	if of, ok := r.Spec["resourceAttributes"]; ok {
		attributes.ResourceRequest = true
		attributes.Verb, attributes.APIGroup, attributes.Namespace = text(of, "verb"), text(of, "group"), text(of, "namespace")
		attributes.Resource, attributes.Subresource, attributes.Name = text(of, "resource"), text(of, "subresource"), text(of, "name")
	} else {
		of := r.Spec["nonResourceAttributes"]
		attributes.Verb, attributes.Path = text(of, "verb"), text(of, "path")
	}
	decision, reason, err := decide.Authorize(context.Background(), attributes)
	if err != nil {
		log.Fatal(err)
	}
	r.Allowed, r.Reason = decision == authorizer.DecisionAllow, reason
}

func (g generator) rules(resolver authorizer.RuleResolver) rules {
	r := rules{Of: g.identity(), Namespace: g.one("a", "b", "c"), Resources: []map[string]any{}, Paths: []map[string]any{}}
	resources, paths, _, err := resolver.RulesFor(context.Background(), r.Of.info(), r.Namespace)
	set := func(of map[string]any, field string, values []string) {
		if len(values) > 0 {
			of[field] = values
		}
	}
	for _, rule := range resources {
		shown := map[string]any{"verbs": rule.GetVerbs()}
		set(shown, "apiGroups", rule.GetAPIGroups())
		set(shown, "resources", rule.GetResources())
		set(shown, "resourceNames", rule.GetResourceNames())
		r.Resources = append(r.Resources, shown)
	}
	for _, rule := range paths {
		r.Paths = append(r.Paths, map[string]any{"verbs": rule.GetVerbs(), "nonResourceURLs": rule.GetNonResourceURLs()})
	}
	if err != nil {
		r.Problem = err.Error()
	}
	return r
}

// named sets the namespace and the name of an object.
func named(meta *metav1.ObjectMeta, namespace, name string) {
	meta.Namespace, meta.Name = namespace, name
}

// isOf returns a reference to a role of this kind, without the role's name.
func isOf(kind string) rbacv1.RoleRef { return rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: kind} }

// ofRequest names the resource of the request, as the registry does in its errors (qualifiedResourceFromContext).
func ofRequest(ctx context.Context, _ string) string {
	info, _ := request.RequestInfoFrom(ctx)
	return info.Resource
}

func singular(_ context.Context, kind string) string { return strings.ToLower(kind) }
