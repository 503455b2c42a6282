// Command flowcontrol writes the priority levels and flow schemas that kube-apiserver creates when it starts: one object
// on each line, in the order of `ensure` in pkg/registry/flowcontrol/rest.
package main

import (
	"encoding/json"
	"log"
	"os"
	"slices"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
)

// object is what the program writes of an object.
type object struct {
	Kind     string         `json:"kind"`
	Metadata map[string]any `json:"metadata"`
	Spec     any            `json:"spec"`
}

func main() {
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	write := func(kind string, meta metav1.ObjectMeta, spec any) {
		// The ensurer sets this annotation: pkg/registry/flowcontrol/ensurer.
		annotations := map[string]string{flowcontrolv1.AutoUpdateAnnotationKey: "true"}
		if err := out.Encode(object{kind, map[string]any{"name": meta.Name, "annotations": annotations}, spec}); err != nil {
			log.Fatal(err)
		}
	}
	levels := func(levels []*flowcontrolv1.PriorityLevelConfiguration) {
		for level := range slices.Values(levels) {
			write("PriorityLevelConfiguration", level.ObjectMeta, level.Spec)
		}
	}
	schemas := func(schemas []*flowcontrolv1.FlowSchema) {
		for schema := range slices.Values(schemas) {
			write("FlowSchema", schema.ObjectMeta, schema.Spec)
		}
	}
	levels(bootstrap.SuggestedPriorityLevelConfigurations)
	schemas(bootstrap.SuggestedFlowSchemas)
	levels(bootstrap.MandatoryPriorityLevelConfigurations)
	schemas(bootstrap.MandatoryFlowSchemas)
}
