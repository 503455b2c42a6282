// Command costs estimates CEL rules with the code of apiextensions-apiserver. It reads cases from standard input, one JSON
// object on each line: a schema with rules. It writes them with the cost of each rule, as the expected results in
// fixtures/costs. With -generate it makes random cases instead of reading them.
package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apivalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// kase is a test case: a schema with rules, and upstream's estimate for each rule. (case is a keyword of Go.)
type kase struct {
	Schema json.RawMessage `json:"schema,omitempty"`
	// Resource is true if the schema is that of a whole resource.
	Resource bool   `json:"resource,omitempty"`
	Rules    []rule `json:"rules,omitempty"`
	// Cardinality is the largest number of values of this schema in a request.
	Cardinality uint64 `json:"cardinality,omitempty"`
	// Definition is the schema of a whole definition, with rules in it. Causes are upstream's reasons to refuse the
	// definition.
	Definition json.RawMessage      `json:"definition,omitempty"`
	Causes     []metav1.StatusCause `json:"causes,omitempty"`
}

type rule struct {
	Rule string `json:"rule"`
	// Cost is upstream's estimate of the highest cost of the rule.
	Cost uint64 `json:"cost"`
	// Refused is the error of a rule that does not compile.
	Refused string `json:"refused,omitempty"`
}

// answer sets the cost of each rule, or the causes if the case is a definition.
func answer(c *kase) error {
	if c.Definition != nil {
		return define(c)
	}
	var external apiextensionsv1.JSONSchemaProps
	var internal apiextensions.JSONSchemaProps
	if err := json.Unmarshal(c.Schema, &external); err != nil {
		return err
	}
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&external, &internal, nil); err != nil {
		return err
	}
	structural, err := structuralschema.NewStructural(&internal)
	if err != nil {
		return err
	}
	structural.XValidations = nil
	for _, rule := range c.Rules {
		structural.XValidations = append(structural.XValidations, apiextensionsv1.ValidationRule{Rule: rule.Rule})
	}
	declared := model.SchemaDeclType(structural, c.Resource)
	base := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())
	compiled, err := cel.Compile(structural, declared, celconfig.PerCallLimit, base, cel.StoredExpressionsEnvLoader())
	if err != nil {
		return err
	}
	for i, result := range compiled {
		c.Rules[i].Cost, c.Rules[i].Refused = result.MaxCost, ""
		c.Cardinality = max(c.Cardinality, result.MaxCardinality)
		if result.Error != nil {
			c.Rules[i].Refused = result.Error.Detail
		}
	}
	return nil
}

// define validates a definition with this schema.
func define(c *kase) error {
	var external apiextensionsv1.JSONSchemaProps
	var internal apiextensions.JSONSchemaProps
	if err := json.Unmarshal(c.Definition, &external); err != nil {
		return err
	}
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&external, &internal, nil); err != nil {
		return err
	}
	no := false
	definition := apiextensions.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "things.example.com"},
		Spec: apiextensions.CustomResourceDefinitionSpec{
			Group: "example.com", Scope: apiextensions.NamespaceScoped, Version: "v1",
			Names:                 apiextensions.CustomResourceDefinitionNames{Plural: "things", Singular: "thing", Kind: "Thing", ListKind: "ThingList"},
			Versions:              []apiextensions.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true}},
			Validation:            &apiextensions.CustomResourceValidation{OpenAPIV3Schema: &internal},
			PreserveUnknownFields: &no,
		},
		Status: apiextensions.CustomResourceDefinitionStatus{StoredVersions: []string{"v1"}},
	}
	c.Causes = nil
	for _, err := range apivalidation.ValidateCustomResourceDefinition(context.Background(), &definition) {
		c.Causes = append(c.Causes, metav1.StatusCause{Type: metav1.CauseType(err.Type), Message: err.ErrorBody(), Field: err.Field})
	}
	slices.SortFunc(c.Causes, func(a, b metav1.StatusCause) int {
		return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Message, b.Message))
	})
	return nil
}

func main() {
	generate := flag.Int("generate", 0, "write so many random cases instead of reading cases")
	definitions := flag.Bool("definitions", false, "make definitions, with rules at all their levels")
	seed := flag.Uint64("seed", 1, "the seed of the random cases")
	flag.Parse()
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	write := func(c kase) {
		if err := answer(&c); err != nil {
			log.Fatalf("%s: %v", c.Schema, err)
		}
		if *generate > 0 {
			c.Rules = accepted(c.Rules)
		}
		if *generate > 0 && slices.ContainsFunc(c.Causes, func(cause metav1.StatusCause) bool { return strings.Contains(cause.Message, "compilation failed") }) {
			return // a rule without a cost is no case for costs
		}
		if err := out.Encode(c); err != nil {
			log.Fatal(err)
		}
	}
	if *generate > 0 {
		random := newGenerator(*seed)
		for range *generate {
			if *definitions {
				write(random.definition())
			} else {
				write(random.kase())
			}
		}
		return
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<24)
	for in.Scan() {
		var c kase
		if err := json.Unmarshal(in.Bytes(), &c); err != nil {
			log.Fatal(fmt.Errorf("%s: %w", in.Text(), err))
		}
		c.Cardinality = 0
		write(c)
	}
	if err := in.Err(); err != nil {
		log.Fatal(err)
	}
}

// accepted returns the rules that compile.
func accepted(rules []rule) []rule {
	kept := []rule{}
	for _, rule := range rules {
		if rule.Refused == "" {
			kept = append(kept, rule)
		}
	}
	return kept
}
