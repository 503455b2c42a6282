package main

// References in requests to values of earlier answers, such as a resourceVersion, which differ between the two
// servers.

import (
	"regexp"
	"strings"
)

// memory holds what one server has answered in a sequence, to replace the references in later requests:
//
//	<<ns:>>                  the sequence's namespace, the same on both sides
//	<<rv:configmaps/a>>      the newest resourceVersion of an object
//	<<oldrv:configmaps/a>>   the first resourceVersion of that object
//	<<uid:configmaps/a>>     its newest uid
//	<<gen:configmaps/g->>    the last name that was generated with this prefix
//	<<listrv:>>              the resourceVersion of the last list
//	<<continue:>>            the last continue token
//
// If the sequence has not seen a resourceVersion, the reference becomes the resourceVersion of the namespace; any
// other unknown reference becomes "1".
type memory struct {
	values map[string]string
	// first is the resourceVersion of the namespace, before every other one of the sequence.
	first string
}

func newMemory(namespace string) *memory {
	return &memory{values: map[string]string{"ns:": namespace}, first: "1"}
}

// start remembers the resourceVersion of the new, empty namespace.
func (m *memory) start(namespace any) {
	body, _ := namespace.(object)
	metadata, _ := body["metadata"].(object)
	if version, ok := metadata["resourceVersion"].(string); ok {
		m.first = version
	}
}

var reference = regexp.MustCompile(`<<([a-z]+:[^<>]*)>>`)

func (m *memory) resolve(text string) string {
	if !strings.Contains(text, "<<") {
		return text
	}
	return reference.ReplaceAllStringFunc(text, func(found string) string {
		if value, known := m.values[found[2:len(found)-2]]; known {
			return value
		}
		if strings.Contains(found, "rv:") {
			return m.first
		}
		return "1"
	})
}

// learn remembers the versions, uids and generated names of the objects in an answer.
func (m *memory) learn(plural string, answer any) {
	body, ok := answer.(object)
	if !ok {
		return
	}
	metadata, _ := body["metadata"].(object)
	if items, isList := body["items"].([]any); isList {
		m.keep("listrv:", metadata["resourceVersion"])
		m.keep("continue:", metadata["continue"])
		for _, item := range items {
			m.learn(plural, item)
		}
		return
	}
	name, _ := metadata["name"].(string)
	if name == "" {
		return
	}
	key := plural + "/" + name
	m.keep("rv:"+key, metadata["resourceVersion"])
	m.keep("uid:"+key, metadata["uid"])
	if _, known := m.values["oldrv:"+key]; !known {
		m.keep("oldrv:"+key, metadata["resourceVersion"])
	}
	if prefix, _ := metadata["generateName"].(string); prefix != "" && strings.HasPrefix(name, prefix) {
		m.keep("gen:"+plural+"/"+prefix, name)
	}
}

func (m *memory) keep(key string, value any) {
	if text, ok := value.(string); ok && text != "" {
		m.values[key] = text
	}
}
