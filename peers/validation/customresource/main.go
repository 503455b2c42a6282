// Command customresource validates custom resources with the code of apiextensions-apiserver. It reads cases from
// standard input, one JSON object on each line: a schema, a new value and sometimes an old value. It writes them with
// upstream's causes, as the expected results in fixtures/customresources. With -generate it makes random cases
// instead of reading them.
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

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/warning"
)

// kase is a case: a schema, a value, sometimes the old value, and upstream's causes by the part of the validation
// that found them.
type kase struct {
	Schema json.RawMessage `json:"schema"`
	Old    json.RawMessage `json:"old,omitempty"`
	New    json.RawMessage `json:"new"`
	// At is the field of the object that holds the value. It is empty if the value is the whole object.
	At string `json:"at,omitempty"`
	// Causes come from the validation by the schema.
	Causes []metav1.StatusCause `json:"causes"`
	// Embedded are the causes for the metadata of embedded resources.
	Embedded []metav1.StatusCause `json:"embedded,omitempty"`
	// Lists are the causes for duplicates in sets and in lists with keys.
	Lists []metav1.StatusCause `json:"lists,omitempty"`
	// Rules are the causes from validation rules in CEL.
	Rules []metav1.StatusCause `json:"rules,omitempty"`
	// Warnings are for rules that an unchanged part of the value violates.
	Warnings []string `json:"warnings,omitempty"`
}

// recorder collects the warnings of a request.
type recorder struct{ texts []string }

func (r *recorder) AddWarning(_, text string) { r.texts = append(r.texts, text) }

// answer runs each part of the validation that the strategy of custom resources runs.
func answer(c *kase) error {
	var external apiextensionsv1.JSONSchemaProps
	var internal apiextensions.JSONSchemaProps
	if err := json.Unmarshal(c.Schema, &external); err != nil {
		return err
	}
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&external, &internal, nil); err != nil {
		return err
	}
	validator, _, err := validation.NewSchemaValidator(&internal)
	if err != nil {
		return err
	}
	structural, err := structuralschema.NewStructural(&internal)
	if err != nil {
		return err
	}
	var value, old any
	if err := utiljson.Unmarshal(c.New, &value); err != nil {
		return err
	}
	if c.Old != nil {
		if err := utiljson.Unmarshal(c.Old, &old); err != nil {
			return err
		}
	}
	var path *field.Path
	if c.At != "" {
		path = field.NewPath(c.At)
	}
	rules := cel.NewValidator(structural, c.At == "", celconfig.PerCallLimit)
	if c.Old == nil {
		c.Causes = causes(validation.ValidateCustomResource(path, value, validator))
	} else {
		correlated := common.NewCorrelatedObject(value, old, &model.Structural{Structural: structural})
		c.Causes = causes(validation.ValidateCustomResourceUpdate(path, value, old, validator, validation.WithRatcheting(correlated)))
	}
	c.Embedded = causes(objectmeta.Validate(context.Background(), path, value, structural, false))
	object, isObject := value.(map[string]any)
	if isObject {
		c.Lists = causes(listtype.ValidateListSetsAndMaps(path, structural, object))
	}
	if rules != nil && isObject {
		options := []cel.Option{}
		if c.Old != nil {
			options = append(options, cel.WithRatcheting(common.NewCorrelatedObject(value, old, &model.Structural{Structural: structural})))
		}
		var warned recorder
		ctx := warning.WithWarningRecorder(context.Background(), &warned)
		errs, _ := rules.Validate(ctx, path, structural, value, old, celconfig.RuntimeCELCostBudget, options...)
		c.Rules = causes(errs)
		slices.Sort(warned.texts)
		c.Warnings = warned.texts
	}
	return nil
}

// causes converts errors to the causes of a Status, sorted because upstream's order depends on Go maps.
func causes(errs field.ErrorList) []metav1.StatusCause {
	list := []metav1.StatusCause{}
	for _, err := range errs {
		list = append(list, metav1.StatusCause{Type: metav1.CauseType(err.Type), Message: err.ErrorBody(), Field: err.Field})
	}
	slices.SortFunc(list, func(a, b metav1.StatusCause) int {
		return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Message, b.Message), cmp.Compare(a.Type, b.Type))
	})
	return list
}

func main() {
	generate := flag.Int("generate", 0, "write so many random cases instead of reading cases")
	seed := flag.Uint64("seed", 1, "the seed of the random cases")
	flag.Parse()
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	write := func(c kase) {
		if err := answer(&c); err != nil {
			log.Fatalf("%s: %v", c.Schema, err)
		}
		if err := out.Encode(c); err != nil {
			log.Fatal(err)
		}
	}
	if *generate > 0 {
		random := newGenerator(*seed)
		for range *generate {
			write(random.kase())
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
		write(c)
	}
	if err := in.Err(); err != nil {
		log.Fatal(err)
	}
}
