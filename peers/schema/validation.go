package main

// Finds the rules of declarative validation: the tags above API types, such as `+k8s:required`, from which upstream's
// validation-gen generates pkg/apis/*/*/zz_generated.validations.go. The table gets those that kube-apiserver enforces by
// default.

import (
	"log"
	"reflect"
	"slices"
	"strings"
)

// refuse ends the program with a sentence, because the table would lose a rule without an error. Tests replace it.
var refuse = log.Fatalf

// gates are the defaults of the feature gates that tags name: pkg/features/kube_features.go.
var gates = map[string]bool{"DRAPartitionableDevicesType": false, "HPAScaleToZero": true}

// dropped are the fields that kube-apiserver removes before the validation, because their feature gates are disabled by
// default: `dropDisabledFields` of their strategies.
var dropped = []string{
	"Device.nodeAllocatableResources",                  // DRANodeAllocatableResources
	"DeviceCounterConsumption.compatibilityGroups",     // DRADeviceCompatibilityGroups
	"DeviceRequestAllocationResult.skipNodeOperations", // DRAOptionalNodeOperations
	"DeviceSubRequest.derivedAttributes",               // DRADerivedAttributes
	"ExactDeviceRequest.derivedAttributes",             // DRADerivedAttributes
	"JobSpec.scheduling",                               // WorkloadWithJob
	"NodeSpec.podPreemptionPolicy",                     // InPlacePodVerticalScalingSchedulerPreemption
	"PersistentVolumeClaimStatus.healthStatus",         // CSIVolumeHealth
	"PodSpec.evictionResponders",                       // EvictionRequestAPI
	"PodStatus.nodeAllocatableResourceClaimStatuses",   // DRANodeAllocatableResources
	"PodStatus.volumeHealth",                           // CSIVolumeHealth
	"ResourceSliceSpec.partitionTypeAttribute",         // DRAPartitionableDevicesType
	"ResourceSliceSpec.skipNodeOperations",             // DRAOptionalNodeOperations
}

// ending are the rules that validation-gen runs before the others (`ShortCircuit`), because they can end the validation
// of a field.
var ending = []string{"forbidden", "immutable", "maxItems", "optional", "required", "update"}

// checked are the rules that the engine knows (crates/kube-machinery/src/codec/schema/rule.rs), besides those of `ending`.
var checked = []string{"eachKey", "enum", "format", "ifMode", "item", "maxBytes", "maxLength", "maximum", "minimum", "modeDiscriminator", "subfield", "unionMember"}

// silent are the tags that check nothing by themselves. `uniqueness` makes the rule of those for lists.
var silent = []string{"conversion-gen", "customUnique", "default", "deprecated", "listMapKey", "listType", "opaqueType", "unique"}

// ofTypes are the tags above a struct that check nothing by themselves, besides those of other generators. A write to a
// subresource without them is an internal error, which no strategy causes.
var ofTypes = []string{"isSubresource", "supportsSubresource"}

// rules returns the rules of a field in the notation of the table, and `+below` if the field's type has rules.
func rules(t reflect.Type, f reflect.StructField) []string {
	tags, path := sourceOf(t).tags[t.Name()+"."+f.Name], name(t)+"."+jsonName(f)
	if !reached[t] || slices.Contains(dropped, path) {
		return nil
	}
	slices.SortStableFunc(tags, func(a, b string) int { return strings.Compare(tagName(a), tagName(b)) })
	var first, rest, alpha []string
	for _, tag := range tags {
		rule, stage := resolved(tag)
		if rule == "+optional" {
			rule = onServer(f.Type, tags)
		}
		switch kind := tagName(strings.TrimPrefix(rule, "+")); {
		case rule == "" || stage == disabled || slices.Contains(silent, kind):
		case stage == unenforced && slices.Contains(ending, kind):
			alpha = append(alpha, "+alpha="+rule)
		case stage == unenforced:
		case slices.Contains(ending, kind):
			first = append(first, rule)
		case slices.Contains(checked, kind):
			rest = append(rest, rule)
		default:
			refuse("%s is enforced for %s, but the engine does not know it", rule, path)
		}
	}
	rest = append(rest, uniqueness(tags)...)
	if descends(t, f) {
		rest = append(rest, ofNamed(f.Type, path)...)
		if withRules[structOf(f.Type)] {
			rest = append(rest, "+below")
		}
	}
	if len(rest) > 0 {
		return slices.Concat(alpha, first, rest)
	}
	if !slices.ContainsFunc(first, func(rule string) bool { return rule != "+optional" }) {
		return nil
	}
	return first
}

// jsonName returns the name of a field in JSON.
func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// tagName returns a tag without its arguments and its value.
func tagName(tag string) string {
	end := strings.IndexAny(tag, "(=")
	if end < 0 {
		return tag
	}
	return tag[:end]
}

// stage says whether kube-apiserver enforces a tag by default. It enforces beta ones, because the feature gate
// DeclarativeValidationBeta is enabled. An alpha one is evaluated too, and ends the validation of its field, but without
// an error.
type stage int

const (
	enforced stage = iota
	unenforced
	disabled
)

// resolved returns the rule of a tag, without its stage and the condition of its feature gate. A tag of another
// generator has none.
func resolved(tag string) (string, stage) {
	tag = strings.TrimPrefix(strings.ReplaceAll(strings.ReplaceAll(tag, " ", ""), `"`, ""), "k8s:")
	outer, inner, found := strings.Cut(tag, "=+")
	if !found {
		return "+" + tag, enforced
	}
	rule, of := resolved(inner)
	call, rest, _ := strings.Cut(outer, "(")
	switch argument := strings.TrimSuffix(rest, ")"); call {
	case "alpha":
		return rule, max(of, unenforced)
	case "beta":
		return rule, of
	case "ifEnabled", "ifDisabled":
		isEnabled, known := gates[argument]
		if !known {
			refuse("the default of the feature gate %s is missing here", argument)
		}
		if isEnabled != (call == "ifEnabled") {
			of = disabled
		}
		return rule, of
	}
	return "+" + outer + "=" + rule, of
}

// onServer returns the rule for an optional field as the server applies it. A field with a default is required there,
// unless the default is the zero value of a type without nil. Upstream: `doOptional` of validation-gen.
func onServer(t reflect.Type, tags []string) string {
	at := slices.IndexFunc(tags, func(tag string) bool { return tagName(tag) == "default" })
	if at < 0 {
		return "+optional"
	}
	canBeNil := t.Kind() == reflect.Ptr || t.Kind() == reflect.Slice || t.Kind() == reflect.Map
	if isZero := slices.Contains([]string{`""`, "0", "false"}, strings.TrimPrefix(tags[at], "default=")); isZero && !canBeNil {
		return ""
	}
	return "+required"
}

// uniqueness returns the rule for a list that is enforced to be a set or a map, unless a hand-written rule checks that.
// The rule of a map names the fields that identify an item.
func uniqueness(tags []string) []string {
	isUnique := false
	var keys []string
	for _, tag := range tags {
		rule, stage := resolved(tag)
		if stage != enforced {
			continue
		}
		switch name, value, _ := strings.Cut(rule, "="); {
		case name == "+customUnique":
			return nil
		case name == "+unique", name == "+listType" && value != "atomic":
			isUnique = true
		case name == "+listMapKey":
			keys = append(keys, value)
		}
	}
	if !isUnique {
		return nil
	}
	return []string{"+unique=" + strings.Join(keys, ",")}
}

// ofNamed returns the rule for a field whose type is a string with enumerated values, or a pointer to one. It refuses
// all other rules above the types without fields that the field's type consists of, such as that of a list's items.
func ofNamed(t reflect.Type, path string) []string {
	direct := t
	if t.Kind() == reflect.Ptr {
		direct = t.Elem()
	}
	var found []string
	for _, named := range namedIn(t) {
		for _, tag := range enforcedAbove(named) {
			if tag != "+enum" || named != direct || named.Kind() != reflect.String {
				refuse("%s is enforced for the type %s in %s, but the engine does not know it there", tag, named, path)
				continue
			}
			values := slices.Clone(sourceOf(named).constants[named.Name()])
			slices.Sort(values)
			found = append(found, "+enum="+strings.Join(values, ","))
		}
	}
	return found
}

// namedIn returns the types with a name and without fields that a type consists of: itself, and those of its items, keys
// and values.
func namedIn(t reflect.Type) []reflect.Type {
	var in []reflect.Type
	if _, described := leaf[t]; !described && t.PkgPath() != "" && t.Kind() != reflect.Struct {
		in = append(in, t)
	}
	switch t.Kind() {
	case reflect.Map:
		in = slices.Concat(in, namedIn(t.Key()), namedIn(t.Elem()))
	case reflect.Ptr, reflect.Slice:
		in = append(in, namedIn(t.Elem())...)
	}
	return in
}

// enforcedAbove returns the rules above a type that check something, and those in alpha that can end a validation.
func enforcedAbove(t reflect.Type) []string {
	var enforcing []string
	for _, tag := range sourceOf(t).tags[t.Name()] {
		rule, stage := resolved(tag)
		kind := tagName(strings.TrimPrefix(rule, "+"))
		if rule == "" || strings.Contains(kind, "-gen") || slices.Contains(silent, kind) || slices.Contains(ofTypes, kind) {
			continue
		}
		if stage == enforced || stage == unenforced && slices.Contains(ending, kind) {
			enforcing = append(enforcing, rule)
		}
	}
	return enforcing
}

// reached are the structs that the validation of a stored object can come to.
var reached = map[reflect.Type]bool{}

// reach adds a type and those of its fields to `reached`.
func reach(t reflect.Type) {
	t = structOf(t)
	if t == nil || reached[t] {
		return
	}
	reached[t] = true
	for _, rule := range enforcedAbove(t) {
		refuse("%s is enforced for %s, but the engine does not know it", rule, name(t))
	}
	for i := range t.NumField() {
		if descends(t, t.Field(i)) {
			reach(t.Field(i).Type)
		}
	}
}

// structOf returns the struct in a type, or nil.
func structOf(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Ptr || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if _, described := leaf[t]; described || t.Kind() != reflect.Struct {
		return nil
	}
	return t
}

// descends returns true if the validation of a field includes that of its type.
func descends(t reflect.Type, f reflect.StructField) bool {
	if jsonName(f) == "-" || slices.Contains(dropped, name(t)+"."+jsonName(f)) {
		return false
	}
	for _, tag := range sourceOf(t).tags[t.Name()+"."+f.Name] {
		if rule, stage := resolved(tag); rule == "+opaqueType" || rule == "+forbidden" && stage == enforced {
			return false
		}
	}
	return true
}

// withRules are the reached structs that have rules in their fields, or below.
var withRules = map[reflect.Type]bool{}

// findRules completes `withRules`. It repeats until no struct is added, because structs can contain each other.
func findRules() {
	for grows := true; grows; {
		grows = false
		for t := range reached {
			for i := 0; i < t.NumField() && !withRules[t]; i++ {
				if len(rules(t, t.Field(i))) > 0 {
					withRules[t], grows = true, true
				}
			}
		}
	}
}

// checkDropped makes sure that the reached structs have the fields in `dropped`.
func checkDropped() {
	missing := slices.Clone(dropped)
	for t := range reached {
		for i := range t.NumField() {
			path := name(t) + "." + jsonName(t.Field(i))
			missing = slices.DeleteFunc(missing, func(one string) bool { return one == path })
		}
	}
	if len(missing) > 0 {
		refuse("no served type has the fields %s, which kube-apiserver dropped before the validation", strings.Join(missing, ", "))
	}
}
