package main

// Tests that the table gets the rules of the tags, and that the program refuses tags that the engine would not apply.

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	smd "sigs.k8s.io/structured-merge-diff/v6/schema"
)

// lines returns the lines of a type as the only one that is stored, or the sentence with which it is refused.
func lines(of reflect.Type) (lines []string, refused string) {
	kept, reaches, has := refuse, reached, withRules
	refuse = func(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
	reached, withRules = map[reflect.Type]bool{}, map[reflect.Type]bool{}
	defer func() {
		refuse, reached, withRules = kept, reaches, has
		if sentence := recover(); sentence != nil {
			refused = fmt.Sprint(sentence)
		}
	}()
	reach(of)
	findRules()
	return fields(&smd.Schema{}, of), ""
}

// rulesIn returns the rules in each line, without the first plus.
func rulesIn(lines []string) (rules []string) {
	for _, line := range lines {
		_, of, _ := strings.Cut(line, "+")
		rules = append(rules, of)
	}
	return rules
}

func TestAFieldHasTheRulesThatAreEnforced(t *testing.T) {
	got, refused := lines(reflect.TypeFor[ruled]())
	want := []string{
		"number  int32 +alpha=+immutable +required +minimum=1", "plain?  string", "later  int32", "gated  int32 +minimum=0",
	}
	if !slices.Equal(got, want) || refused != "" {
		t.Errorf("%q, want %q; %s", got, want, refused)
	}
}

func TestTheStructsOfACycleAllHaveRulesBelow(t *testing.T) {
	for of, want := range map[reflect.Type][]string{
		reflect.TypeFor[ring]():  {"below", "below"},
		reflect.TypeFor[cycle](): {"below", "", ""},
	} {
		if got, refused := lines(of); !slices.Equal(rulesIn(got), want) || refused != "" {
			t.Errorf("%q, want %q; %s", got, want, refused)
		}
	}
}

func TestATextHasTheValuesOfItsType(t *testing.T) {
	got, refused := lines(reflect.TypeFor[enumerated]())
	if want := []string{"enum=blue,red", "enum=blue,red", ""}; !slices.Equal(rulesIn(got), want) || refused != "" {
		t.Errorf("%q, want %q; %s", got, want, refused)
	}
}

func TestAnEmbeddedStructAndThoseInAMapHaveRulesBelow(t *testing.T) {
	for _, of := range []reflect.Type{reflect.TypeFor[embedding](), reflect.TypeFor[mapping]()} {
		if got, refused := lines(of); len(got) != 1 || !strings.HasSuffix(got[0], " +below") || refused != "" {
			t.Errorf("%q; %s", got, refused)
		}
	}
}

func TestAListHasTheRuleThatItsItemsAreUnique(t *testing.T) {
	got, refused := lines(reflect.TypeFor[lists]())
	want := []string{"maxItems=3 +unique=", "unique=name,kind +below", "", ""}
	if !slices.Equal(rulesIn(got), want) || refused != "" {
		t.Errorf("%q, want %q; %s", got, want, refused)
	}
}

func TestARuleThatTheEngineWouldNotApplyIsRefused(t *testing.T) {
	for of, want := range map[reflect.Type]string{
		reflect.TypeFor[colors]():  "+enum is enforced for the type main.color in colors.colors",
		reflect.TypeFor[colored](): "+enum is enforced for the type main.color in colored.colored",
		reflect.TypeFor[named]():   "+format=k8s-short-name is enforced for the type main.short in named.short",
		reflect.TypeFor[limited](): "+maxItems=3 is enforced for the type main.several in limited.several",
		reflect.TypeFor[unknown](): "+unheardOf is enforced for unknown.number",
	} {
		if _, refused := lines(of); !strings.HasPrefix(refused, want) {
			t.Errorf("%q, want %q", refused, want)
		}
	}
}

func TestADroppedFieldThatIsGoneIsRefused(t *testing.T) {
	kept, list := refuse, dropped
	defer func() { refuse, dropped = kept, list }()
	var refused string
	refuse = func(format string, args ...any) { refused = fmt.Sprintf(format, args...) }
	reached[reflect.TypeFor[unruled]()] = true
	defer clear(reached)
	dropped = []string{"unruled.number"}
	if checkDropped(); refused != "" {
		t.Error(refused)
	}
	dropped = append(dropped, "unruled.gone")
	if checkDropped(); !strings.Contains(refused, "unruled.gone,") {
		t.Error(refused)
	}
}
