// Package openapi describes the served types to the generic API server, which needs the descriptions to track which
// manager owns which field. The schemas come from Kubernetes' own OpenAPI documents, as packed in the project.
package openapi

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/util"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// served are the documents of the served groups.
var served = []string{"v3/api/v1", "v3/apis/apps/v1", "v3/apis/coordination.k8s.io/v1"}

const references = "#/components/schemas/"

// Definitions returns the OpenAPI definitions of all types in the scheme and of the types that the generic server
// answers with. A type that kube-apiserver does not publish is described as an object with any fields.
func Definitions(scheme *runtime.Scheme) (common.GetOpenAPIDefinitions, error) {
	published := map[string]json.RawMessage{}
	for _, name := range served {
		text, err := document(name)
		if err != nil {
			return nil, err
		}
		var document struct {
			Components struct{ Schemas map[string]json.RawMessage }
		}
		if err := json.Unmarshal(text, &document); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for name, schema := range document.Components.Schemas {
			if _, err := describe(schema, references); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			published[name] = schema
		}
	}
	return func(ref common.ReferenceCallback) map[string]common.OpenAPIDefinition {
		own := ref("x") // shows the prefix that this server's document has before names
		prefix := strings.TrimSuffix(own.String(), "x")
		definitions := map[string]common.OpenAPIDefinition{}
		for name, schema := range published {
			definitions[name], _ = describe(schema, prefix) // no error: the schema was parsed above
		}
		for _, sample := range samples(scheme) {
			if name := util.GetCanonicalTypeName(sample); definitions[name].Schema.Type == nil {
				definitions[name] = anything()
			}
		}
		return definitions
	}, nil
}

var reference = regexp.MustCompile(`"` + references + `([^"]+)"`)

// describe parses a published schema, and gives its references the prefix.
func describe(published json.RawMessage, prefix string) (common.OpenAPIDefinition, error) {
	made := common.OpenAPIDefinition{}
	for _, found := range reference.FindAllSubmatch(published, -1) {
		made.Dependencies = append(made.Dependencies, string(found[1]))
	}
	text := strings.ReplaceAll(string(published), references, prefix)
	return made, json.Unmarshal([]byte(text), &made.Schema)
}

// samples returns a value of each type that needs a definition.
func samples(scheme *runtime.Scheme) []any {
	samples := []any{
		&metav1.APIGroup{}, &metav1.APIGroupList{}, &metav1.APIResourceList{}, &metav1.APIVersions{}, &metav1.Patch{}, &metav1.Status{},
		&metav1.Time{}, &metav1.MicroTime{}, &version.Info{},
	}
	for _, of := range scheme.AllKnownTypes() {
		samples = append(samples, reflect.New(of).Interface())
	}
	return samples
}

func anything() common.OpenAPIDefinition {
	schema := spec.Schema{SchemaProps: spec.SchemaProps{Type: []string{"object"}}}
	schema.AddExtension("x-kubernetes-preserve-unknown-fields", true)
	return common.OpenAPIDefinition{Schema: schema}
}
