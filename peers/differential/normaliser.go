package main

// Makes the answers of the two servers comparable.

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// normaliser replaces what differs by chance in the answers of one server: uids, current times, resourceVersions,
// continue tokens and generated names. A uid becomes its number in the order in which this server showed it, a
// resourceVersion the number of the write that made it.
type normaliser struct {
	uids      map[string]string
	generated map[string]string
	// writes are the resourceVersions of the sequence's writes, in ascending order.
	writes []uint64
}

func newNormaliser() *normaliser {
	return &normaliser{uids: map[string]string{}, generated: map[string]string{}}
}

// clone returns a copy, for a comparison that may be repeated after more answers.
func (n *normaliser) clone() *normaliser {
	return &normaliser{maps.Clone(n.uids), maps.Clone(n.generated), slices.Clone(n.writes)}
}

func (n *normaliser) uid(uid string) string {
	if n.uids[uid] == "" {
		n.uids[uid] = fmt.Sprintf("<uid%d>", len(n.uids)+1)
	}
	return n.uids[uid]
}

// wrote remembers the resourceVersion of the answer to a write. The deletion of a collection answers with a list or a
// table, whose resourceVersion belongs to no write.
func (n *normaliser) wrote(answer any) {
	body, _ := answer.(object)
	if body["items"] != nil || body["kind"] == "Table" {
		return
	}
	metadata, _ := body["metadata"].(object)
	text, _ := metadata["resourceVersion"].(string)
	version, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return
	}
	if at, known := slices.BinarySearch(n.writes, version); !known {
		n.writes = slices.Insert(n.writes, at, version)
	}
}

// version returns a resourceVersion as the number of the last write up to it. A plus marks a version after that
// write: another change, such as a deletion, whose answer has no resourceVersion.
func (n *normaliser) version(text string) string {
	version, err := strconv.ParseUint(text, 10, 64)
	if err != nil || strings.HasPrefix(text, "99999") || strings.HasPrefix(text, "0") {
		return text // the generator made it up
	}
	at, known := slices.BinarySearch(n.writes, version)
	if known {
		return fmt.Sprintf("<rv%d>", at+1)
	}
	return fmt.Sprintf("<rv%d+>", at)
}

// value returns a JSON value without the parts that differ by chance.
func (n *normaliser) value(value any) any {
	switch value := value.(type) {
	case object:
		n.noteGenerated(value)
		sortCustom(value)
		normal := object{}
		for _, key := range sortedKeys(value) {
			normal[n.text(key)] = n.field(key, value[key])
		}
		return normal
	case []any:
		normal := make([]any, len(value))
		for i, item := range value {
			normal[i] = n.value(item)
		}
		return normal
	case string:
		return n.text(value)
	}
	return value
}

// field returns the value of a field without the parts that differ by chance, which depend on the field's name.
func (n *normaliser) field(key string, value any) any {
	text, isText := value.(string)
	switch {
	case isText && key == "resourceVersion":
		return n.version(text)
	case isText && key == "continue" && text != "":
		return n.token(text)
	}
	if port, ok := value.(json.Number); ok && (key == "nodePort" || key == "healthCheckNodePort") && len(port) == 5 {
		return "<port>"
	}
	if entries, ok := value.([]any); ok && key == "managedFields" {
		return n.value(byManager(entries))
	}
	if cells, ok := value.([]any); ok && key == "cells" {
		return n.value(withoutAges(cells))
	}
	return n.value(value)
}

// sortCustom sorts the custom resources in a discovery document by name: upstream's order is that of a Go map.
func sortCustom(answer object) {
	version, _ := answer["groupVersion"].(string)
	resources, _ := answer["resources"].([]any)
	if strings.Contains(version, customDomain) {
		name := func(resource any) string { fields, _ := resource.(object); return fmt.Sprint(fields["name"]) }
		slices.SortStableFunc(resources, func(a, b any) int { return strings.Compare(name(a), name(b)) })
	}
}

// byManager sorts managed fields by manager, because servers sort them by time first, in whole seconds. It merges the
// entries of one manager: whether a controller wrote them in one second or in two is chance.
func byManager(entries []any) []any {
	manager := func(entry any) string {
		fields, _ := entry.(object)
		return fmt.Sprint(fields["operation"], fields["manager"], fields["apiVersion"], fields["subresource"])
	}
	var united []any
	for _, entry := range slices.SortedStableFunc(slices.Values(entries), func(a, b any) int { return strings.Compare(manager(a), manager(b)) }) {
		fields, isObject := entry.(object)
		last := len(united) - 1
		if !isObject || last < 0 || manager(united[last]) != manager(entry) {
			united = append(united, entry)
			continue
		}
		both := maps.Clone(united[last].(object))
		both["fieldsV1"] = union(both["fieldsV1"], fields["fieldsV1"])
		united[last] = both
	}
	return united
}

// union returns the fields that are in at least one of two FieldsV1 sets.
func union(one, other any) any {
	fields, isSet := one.(object)
	others, _ := other.(object)
	if !isSet {
		return other
	}
	both := maps.Clone(fields)
	for name, field := range others {
		both[name] = union(both[name], field)
	}
	return both
}

// withoutAges replaces ages, such as 5s, in the cells of a table.
func withoutAges(cells []any) []any {
	made := slices.Clone(cells)
	for i, cell := range made {
		if text, ok := cell.(string); ok && age.MatchString(text) {
			made[i] = "<age>"
		}
	}
	return made
}

var age = regexp.MustCompile(`^\d{1,2}m?(\d{1,2})?s$`)

// noteGenerated remembers the name that the server generated from generateName.
func (n *normaliser) noteGenerated(metadata object) {
	prefix, _ := metadata["generateName"].(string)
	name, _ := metadata["name"].(string)
	const random = 5
	// The server cuts a long prefix before it appends the random characters.
	if prefix != "" && len(name) >= random && strings.HasPrefix(prefix, name[:len(name)-random]) {
		n.generated[name] = name[:len(name)-random] + "<5 random>"
	}
}

// noteAllGenerated remembers the generated names in a whole answer, because a table has a name before the object with
// its prefix.
func (n *normaliser) noteAllGenerated(answer any) {
	switch answer := answer.(type) {
	case object:
		n.noteGenerated(answer)
		for _, field := range answer {
			n.noteAllGenerated(field)
		}
	case []any:
		for _, item := range answer {
			n.noteAllGenerated(item)
		}
	}
}

// noteRefused remembers the name that the server generated for an object and then refused. The refusal shows the name,
// but only the request has its generateName.
func (n *normaliser) noteRefused(request string, answer any) {
	var asked struct{ Metadata struct{ GenerateName string } }
	status, _ := answer.(object)
	details, _ := status["details"].(object)
	if json.Unmarshal([]byte(request), &asked) == nil && details["name"] != nil {
		n.noteGenerated(object{"generateName": asked.Metadata.GenerateName, "name": details["name"]})
	}
}

// token decodes a continue token.
func (n *normaliser) token(text string) string {
	decoded, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(text, "="))
	var token object
	if err != nil || json.Unmarshal(decoded, &token) != nil {
		return text
	}
	if revision, ok := token["rv"].(float64); ok {
		token["rv"] = n.version(fmt.Sprintf("%.0f", revision))
	}
	if start, ok := token["start"].(string); ok {
		token["start"] = strings.TrimPrefix(start, "/") // upstream writes no slash if the storage has no watch cache
	}
	rest, _ := json.Marshal(token) // encoding cannot fail: the value was decoded from JSON
	return "<continue " + n.text(string(rest)) + ">"
}

var (
	uuid   = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	moment = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)
	// inSentence finds resourceVersions inside of messages.
	inSentence = regexp.MustCompile(`((?:resource version|current|precondition|object meta|provided resource version): ?"?|ResourceVersion in (?:the precondition|record) \(|too old resource version: \d+ \(|"resourceVersion\\?":\\?")(\d+)`)
)

// The servers draw at random: the name of the volume that the admission of service accounts adds to pods, ports of nodes,
// and addresses of services.
var (
	accessVolume = regexp.MustCompile(`kube-api-access-[a-z0-9]{5}\b`)
	nodePort     = regexp.MustCompile(`:3\d{4}/`)
	serviceIP    = regexp.MustCompile(`\b10\.(9[6-9]|10\d|11[01])\.\d{1,3}\.\d{1,3}\b`)
)

// ownAddresses is the beginning of the addresses that requests name (namesOf).
const ownAddresses = "10.96.7."

func (n *normaliser) text(text string) string {
	for name, normal := range n.generated {
		text = strings.ReplaceAll(text, name, normal)
	}
	text = uuid.ReplaceAllStringFunc(text, func(uid string) string { return n.uid(uid) })
	text = moment.ReplaceAllStringFunc(text, func(time string) string {
		if isNow(time) {
			return "<time>"
		}
		return time
	})
	text = accessVolume.ReplaceAllString(text, "kube-api-access-<5 random>")
	text = serviceIP.ReplaceAllStringFunc(text, func(address string) string {
		if strings.HasPrefix(address, ownAddresses) {
			return address
		}
		return "<address>"
	})
	text = nodePort.ReplaceAllString(text, ":<port>/")
	return inSentence.ReplaceAllStringFunc(text, func(found string) string {
		parts := inSentence.FindStringSubmatch(found)
		return parts[1] + n.version(parts[2])
	})
}

// isNow returns true if a time is within a day of now. Such a time is from a server's clock, because the times that
// the generator makes up are years ago.
func isNow(text string) bool {
	at, err := time.Parse(time.RFC3339Nano, text)
	return err == nil && time.Since(at).Abs() < 24*time.Hour
}
