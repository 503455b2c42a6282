// Package openapi describes the served types, as the generic API server needs it to say who owns which field. The descriptions are the
// shortest that do: an object with any fields. Nobody here reads them.
package openapi

import (
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/util"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// Definitions describes every type of the scheme, and those that the generic server answers with.
func Definitions(scheme *runtime.Scheme) common.GetOpenAPIDefinitions {
	definitions := map[string]common.OpenAPIDefinition{}
	describe := func(sample any) { definitions[util.GetCanonicalTypeName(sample)] = anything() }
	for _, of := range scheme.AllKnownTypes() {
		describe(reflect.New(of).Interface())
	}
	for _, sample := range []any{
		&metav1.APIGroup{}, &metav1.APIGroupList{}, &metav1.APIResourceList{}, &metav1.APIVersions{}, &metav1.Patch{}, &metav1.Status{},
		&metav1.Time{}, &metav1.MicroTime{}, &version.Info{},
	} {
		describe(sample)
	}
	return func(common.ReferenceCallback) map[string]common.OpenAPIDefinition { return definitions }
}

func anything() common.OpenAPIDefinition {
	schema := spec.Schema{SchemaProps: spec.SchemaProps{Type: []string{"object"}}}
	schema.AddExtension("x-kubernetes-preserve-unknown-fields", true)
	return common.OpenAPIDefinition{Schema: schema}
}
