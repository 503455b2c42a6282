package main

// Replaces the values that differ from run to run with placeholders.

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// normaliser replaces values that differ from run to run with placeholders.
type normaliser struct {
	// rvs maps revisions, uids maps uids, and names maps generated names to their placeholders.
	rvs, uids, names map[string]string
	// hashes maps the hashes of OpenAPI documents, which depend on the build of the server, to their placeholders.
	hashes map[string]string
}

func normalise(records []Record) {
	n := normaliser{map[string]string{}, map[string]string{}, map[string]string{}, map[string]string{}}
	for _, record := range records {
		if record.Response != nil {
			n.learn(record.Response.Body)
			n.learn(record.Response.Events)
		}
	}
	for _, record := range records {
		if record.Request != nil {
			mapStrings(record.Request.Body, n.invented)
		}
	}
	n.number(records)
	for i, record := range records {
		if record.Request == nil {
			continue
		}
		request, response := *record.Request, *record.Response
		request.Path, request.Body, request.Headers = n.text(request.Path), mapStrings(request.Body, n.text), n.headers(request.Headers)
		response.Body, response.Events = mapStrings(response.Body, n.text), mapStrings(response.Events, n.text)
		response.Headers = n.headers(response.Headers)
		records[i].Request, records[i].Response = &request, &response
	}
}

// learn remembers the uids and generated names in a body, in the body's order.
func (n normaliser) learn(body any) {
	switch body := body.(type) {
	case []any:
		for _, item := range body {
			n.learn(item)
		}
	case object:
		uid, _ := body["uid"].(string)
		name, _ := body["name"].(string)
		// The name may have only the beginning of generateName, because the server cuts a long one.
		if prefix, _ := body["generateName"].(string); len(name) > 5 && strings.HasPrefix(prefix, name[:len(name)-5]) && name[:len(name)-5] != "" {
			n.names[name] = name[:len(name)-5] + "<5 random>"
		}
		if _, known := n.uids[uid]; !known && name != "" && isUID.MatchString(uid) {
			n.uids[uid] = n.newUID(name)
		}
		for _, field := range slices.Sorted(maps.Keys(body)) {
			n.learn(body[field])
		}
	}
}

var (
	hash    = regexp.MustCompile(`\b[0-9A-F]{128}\b`)
	isUID   = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	uidText = regexp.MustCompile(`[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	// tokenText matches a continue token: base64 of JSON that begins with {"v":".
	tokenText = regexp.MustCompile(`eyJ2Ijoi[\w=+/%-]+`)
	// digits matches a word that may be a revision (isRevision): five digits, or six if a request made it up.
	digits  = regexp.MustCompile(`[\w-]*\d{5,6}[\w-]*`)
	rfcTime = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)
	goTime  = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? \+0000 UTC( m=[+\d.]+)?`)
	age     = regexp.MustCompile(`^\d+(s|m|m\d+s)$`)
	address = regexp.MustCompile(`\b127\.0\.0\.1:\d+`)
)

// invented remembers uids of a request that no response has shown. They stay as they are.
func (n normaliser) invented(text string) string {
	for _, uid := range uidText.FindAllString(text, -1) {
		if _, known := n.uids[uid]; !known {
			n.uids[uid] = uid
		}
	}
	return text
}

// newUID returns the placeholder for the next uid of an object with this name.
func (n normaliser) newUID(name string) string {
	if short, generated := n.names[name]; generated {
		name = short
	}
	count := 1
	for _, other := range n.uids {
		if other == "<uid:"+name+">" || strings.HasPrefix(other, "<uid:"+name+"#") {
			count++
		}
	}
	if count > 1 {
		name = fmt.Sprintf("%s#%d", name, count)
	}
	return "<uid:" + name + ">"
}

// number gives each revision a placeholder, <rv1> for the lowest, also the revisions inside continue tokens.
func (n normaliser) number(records []Record) {
	seen := map[int]bool{}
	note := func(text string) string {
		for _, token := range tokenText.FindAllString(text, -1) {
			if inner, err := untoken(token); err == nil {
				text += " " + inner
			}
		}
		for _, found := range digits.FindAllString(text, -1) {
			if number, err := strconv.Atoi(found); err == nil && isRevision(number) {
				seen[number] = true
			}
		}
		return text
	}
	for _, record := range records {
		if record.Request != nil {
			note(record.Request.Path)
			mapStrings(record.Request.Body, note)
			mapStrings(record.Response.Body, note)
			mapStrings(record.Response.Events, note)
		}
	}
	for i, number := range slices.Sorted(maps.Keys(seen)) {
		n.rvs[strconv.Itoa(number)] = fmt.Sprintf("<rv%d>", i+1)
	}
}

// isRevision returns true for a revision of a recorded server, or one from the future that a request has made up (see
// ahead).
func isRevision(number int) bool {
	return number >= firstRevision && number < firstRevision+10_000 || number >= ahead+firstRevision && number < ahead+firstRevision+10_000
}

func (n normaliser) headers(headers map[string]string) map[string]string {
	made := map[string]string{}
	for name, value := range headers {
		made[name] = n.text(value)
	}
	return made
}

func (n normaliser) text(text string) string {
	if age.MatchString(text) {
		return "<age>"
	}
	text = tokenText.ReplaceAllStringFunc(text, func(token string) string {
		inner, err := untoken(token)
		if err != nil || !strings.HasSuffix(inner, "}") {
			return token
		}
		return "<continue:" + inner + ">"
	})
	text = uidText.ReplaceAllStringFunc(text, func(uid string) string {
		if placeholder, known := n.uids[uid]; known {
			return placeholder
		}
		return "<uid>" // a uid in an answer that is not JSON
	})
	text = hash.ReplaceAllStringFunc(text, func(found string) string {
		if n.hashes[found] == "" {
			n.hashes[found] = fmt.Sprintf("<hash%d>", len(n.hashes)+1)
		}
		return n.hashes[found]
	})
	text = rfcTime.ReplaceAllString(text, "<time>")
	text = goTime.ReplaceAllString(text, "<time>")
	text = address.ReplaceAllString(text, "<host:port>")
	for name, short := range n.names {
		text = strings.ReplaceAll(text, name, short)
	}
	return digits.ReplaceAllStringFunc(text, func(found string) string {
		if placeholder, known := n.rvs[found]; known {
			return placeholder
		}
		return found
	})
}
