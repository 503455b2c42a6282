package main

// Placeholders in requests, such as <rv3>, and the values that they stand for in the current recording.

import (
	"encoding/base64"
	"regexp"
	"strconv"
	"strings"
)

const (
	// unusedUID is a uid that no object has.
	unusedUID = "00000000-0000-0000-0000-000000000000"
	// sometime replaces the placeholder of a time in a request.
	sometime = "2026-01-01T00:00:00Z"
	// ahead is the distance of a made-up future revision from the last one seen.
	ahead = 100_000
)

// bindings hold the current values of the placeholders.
type bindings struct {
	// values maps <rvN> and <uid:NAME> to their values, and the old ETags to the new ones.
	values map[string]string
	// last is the highest revision in any answer so far.
	last int
}

func newBindings() *bindings { return &bindings{values: map[string]string{}} }

// placeholder matches any placeholder. The name in a uid's placeholder may itself contain the placeholder of a
// generated name.
var placeholder = regexp.MustCompile(`<(?:continue:(\{.*?\})|rv\d+|uid(?::(?:[^<>]|<5 random>)*)?|time|age|5 random|host:port)>`)

// request returns the request with values in place of the placeholders.
func (b *bindings) request(request Request) Request {
	headers := map[string]string{}
	for name, value := range request.Headers {
		if now, found := b.values[value]; found {
			value = now // an ETag
		}
		headers[name] = b.fill(value)
	}
	return Request{Method: request.Method, Path: b.fill(request.Path), Headers: headers, Body: mapStrings(request.Body, b.fill)}
}

// fill replaces the placeholders in a text by their values.
func (b *bindings) fill(template string) string {
	return placeholder.ReplaceAllStringFunc(template, func(found string) string {
		inner, isToken := strings.CutPrefix(found, "<continue:")
		value, bound := b.values[found]
		switch {
		case isToken:
			return base64.RawURLEncoding.EncodeToString([]byte(b.fill(strings.TrimSuffix(inner, ">"))))
		case bound:
			return value
		case strings.HasPrefix(found, "<rv"):
			b.values[found] = strconv.Itoa(b.last + ahead)
			return b.values[found]
		case strings.HasPrefix(found, "<uid"):
			return unusedUID
		case found == "<time>":
			return sometime
		}
		return found
	})
}

var version = regexp.MustCompile(`^\d+$`)

// saw remembers the highest revision in an answer.
func (b *bindings) saw(response *Response) {
	eachVersion([]any{response.Body, response.Events}, func(text string) {
		if number, err := strconv.Atoi(text); err == nil {
			b.last = max(b.last, number)
		}
	})
}

// eachVersion calls found for every numeric resourceVersion in a body.
func eachVersion(value any, found func(text string)) {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			eachVersion(item, found)
		}
	case object:
		for name, item := range value {
			if text, ok := item.(string); ok && name == "resourceVersion" && version.MatchString(text) {
				found(text)
			}
			eachVersion(item, found)
		}
	}
}

// bind binds the placeholders in an old answer to the values at the same places of the new one.
func (b *bindings) bind(former, now *Response) {
	b.values[former.Headers["etag"]] = now.Headers["etag"]
	b.bindValue(former.Body, now.Body)
	b.bindValue(former.Events, now.Events)
}

func (b *bindings) bindValue(former, now any) {
	switch former := former.(type) {
	case string:
		if text, ok := now.(string); ok {
			b.bindText(former, text)
		}
	case []any:
		items, _ := now.([]any)
		for i := range min(len(former), len(items)) {
			b.bindValue(former[i], items[i])
		}
	case object:
		fields, _ := now.(object)
		for name, value := range former {
			b.bindValue(value, fields[name])
		}
	}
}

func (b *bindings) bindText(template, text string) {
	places := placeholder.FindAllStringIndex(template, -1)
	if places == nil {
		return
	}
	pattern, end := "^", 0
	for _, place := range places {
		pattern += regexp.QuoteMeta(template[end:place[0]]) + form(template[place[0]:place[1]])
		end = place[1]
	}
	found := regexp.MustCompile(pattern + regexp.QuoteMeta(template[end:]) + "$").FindStringSubmatch(text)
	for i, place := range places {
		if found != nil {
			b.bindOne(template[place[0]:place[1]], found[i+1])
		}
	}
}

func (b *bindings) bindOne(placeholder, value string) {
	if inner, isToken := strings.CutPrefix(placeholder, "<continue:"); isToken {
		if token, err := untoken(value); err == nil {
			b.bindText(strings.TrimSuffix(inner, ">"), token)
		}
		return
	}
	if _, bound := b.values[placeholder]; !bound {
		b.values[placeholder] = value
	}
}

// form returns a pattern for the values of a placeholder.
func form(placeholder string) string {
	switch {
	case strings.HasPrefix(placeholder, "<continue:"):
		return `([\w=+/%-]+)`
	case strings.HasPrefix(placeholder, "<rv"):
		return `(\d+)`
	case strings.HasPrefix(placeholder, "<uid"):
		return `([0-9a-f-]{36})`
	}
	return `(.+?)`
}

// untoken decodes a continue token.
func untoken(token string) (string, error) {
	text, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(token, "="))
	return string(text), err
}
