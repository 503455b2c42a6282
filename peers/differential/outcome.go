package main

// Answers in the form in which they are compared.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// Outcome is a flat map from the path of each value of an answer to the value.
type Outcome map[string]string

// compared are the headers that are compared, because they tell a client what to do.
var compared = []string{"Content-Type", "Warning", "Allow", "Retry-After", "Location", "Cache-Control", "Content-Encoding", "Vary"}

func outcome(side *Side, answer Answer) Outcome {
	if answer.Failed != "" {
		return Outcome{"failed": answer.Failed}
	}
	made := Outcome{"status": fmt.Sprint(answer.Status)}
	if answer.Close {
		made["header connection"] = "close"
	}
	if answer.Lost {
		made["header connection"] = "closed before this request, unannounced"
	}
	for _, name := range compared {
		for i, value := range answer.Header[http.CanonicalHeaderKey(name)] {
			made[fmt.Sprintf("header %s[%d]", strings.ToLower(name), i)] = side.normal.text(value)
		}
	}
	if strings.HasPrefix(answer.Header.Get("Content-Type"), "application/json") && bytes.Contains(answer.Body, []byte("\n  ")) {
		made["layout"] = "indented"
	}
	decoded := decode(answer.Header.Get("Content-Type"), answer.Body)
	side.normal.noteAllGenerated(decoded)
	flatten(made, "", side.normal.value(decoded))
	return made
}

// accepted returns true if the server did what was asked.
func accepted(outcome Outcome) bool { return strings.HasPrefix(outcome["status"], "2") }

// flatten writes each leaf of a JSON value into the map, by its path.
func flatten(into Outcome, path string, value any) {
	switch value := value.(type) {
	case object:
		if len(value) == 0 {
			into[path] = "{}"
		}
		for key, field := range value {
			flatten(into, path+"/"+key, field)
		}
	case []any:
		if len(value) == 0 {
			into[path] = "[]"
		}
		for i, item := range value {
			flatten(into, fmt.Sprintf("%s/%d", path, i), item)
		}
	default:
		text, err := json.Marshal(value)
		if err != nil {
			text = []byte(err.Error())
		}
		into[path] = string(text)
	}
}

// without returns the outcome without the paths for which gone returns true.
func (o Outcome) without(gone func(path string) bool) Outcome {
	rest := Outcome{}
	for path, value := range o {
		if !gone(path) {
			rest[path] = value
		}
	}
	return rest
}

// difference is a path at which two outcomes differ. An empty text means that the path is missing.
type difference struct{ path, real, ours string }

func differences(real, ours Outcome) []difference {
	both := map[string]bool{}
	for path := range real {
		both[path] = true
	}
	for path := range ours {
		both[path] = true
	}
	var found []difference
	for _, path := range sortedKeys(both) {
		if real[path] != ours[path] {
			found = append(found, difference{path, real[path], ours[path]})
		}
	}
	return found
}

// undeclared finds the unknown field in an error of structured-merge-diff. The library walks through a Go map and ends
// at the first unknown field, so it is chance which one it names, and which faults of other fields stand before it.
var undeclared = regexp.MustCompile(`\.[^ ]+: field not declared in schema`)

var ofCauses = regexp.MustCompile(`^/details/causes/\d+/`)

// unordered returns the outcome of an error (409, 422 or 500) with its causes, and the parts of its message, sorted. Of the
// message of a 500 about an unknown field, only the part before the list of errors stays.
func (o Outcome) unordered() Outcome {
	if o["status"] == "500" {
		made := o.without(func(string) bool { return false }) // a copy
		if at := undeclared.FindStringIndex(o["/message"]); at != nil {
			before, _, _ := strings.Cut(o["/message"][:at[0]], "errors:")
			made["/message"] = before + "a field not declared in schema"
			return made
		}
		faults := strings.Split(o["/message"], `\n`)
		faults[len(faults)-1] = strings.TrimSuffix(faults[len(faults)-1], `"`)
		slices.Sort(faults)
		made["/message"] = strings.Join(faults, " ")
		return made
	}
	if o["status"] != "422" && o["status"] != "409" {
		return o
	}
	causes := map[string][]string{}
	made := o.without(ofCauses.MatchString)
	for path, value := range o {
		if cause := ofCauses.FindString(path); cause != "" {
			causes[cause] = append(causes[cause], path[len(cause):]+"="+value)
		}
	}
	var all []string
	for _, cause := range causes {
		slices.Sort(cause)
		all = append(all, strings.Join(cause, " "))
	}
	slices.Sort(all)
	words := strings.FieldsFunc(o["/message"], func(r rune) bool { return strings.ContainsRune(" ,[]\"", r) })
	slices.Sort(words)
	made["causes"], made["/message"] = strings.Join(all, "; "), strings.Join(words, " ")
	return made
}

func (o Outcome) sortedWarnings() Outcome {
	isWarning := func(path string) bool { return strings.HasPrefix(path, "header warning[") }
	var warnings []string
	for path, text := range o {
		if isWarning(path) {
			warnings = append(warnings, text)
		}
	}
	slices.Sort(warnings)
	made := o.without(isWarning)
	for i, text := range warnings {
		made[fmt.Sprintf("header warning[%d]", i)] = text
	}
	return made
}

var missingIn = regexp.MustCompile(`is missing in '.*'`)

// withoutPatched returns the outcome without the object that a message about a refused patch quotes.
func (o Outcome) withoutPatched() Outcome {
	if o["status"] != "422" || o["/details/causes/0/field"] != `"patch"` {
		return o
	}
	made := o.without(func(string) bool { return false })
	for _, path := range []string{"/message", "/details/causes/0/message"} {
		// The quoted object ends where the reason begins.
		_, reason, _ := strings.Cut(o[path], `}\": `)
		made[path] = missingIn.ReplaceAllString(reason, "is missing in it")
	}
	return made
}

// withoutEntriesOf returns the outcome without the managedFields entries of a manager.
func (o Outcome) withoutEntriesOf(manager string) Outcome {
	gone := map[string]bool{}
	for path, value := range o {
		if entry, ok := strings.CutSuffix(path, "/manager"); ok && value == manager {
			gone[entry] = true
		}
	}
	return o.without(func(path string) bool {
		entry := ofEntry.FindString(path)
		return entry != "" && gone[strings.TrimSuffix(entry, "/")]
	})
}

var ofEntry = regexp.MustCompile(`^.*/managedFields/\d+/`)
