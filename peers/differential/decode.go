package main

import (
	"bytes"
	"encoding/json"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

// decode reads a body by its content type, as JSON. What cannot be read is a text.
func decode(contentType string, body []byte) any {
	switch {
	case strings.HasPrefix(contentType, "application/json"):
		return fromJSON(body)
	case strings.HasPrefix(contentType, "application/yaml"):
		if converted, err := yaml.YAMLToJSON(body); err == nil {
			return fromJSON(converted)
		}
	case strings.HasPrefix(contentType, "application/vnd.kubernetes.protobuf"):
		if decoded, _, err := scheme.Codecs.UniversalDeserializer().Decode(body, nil, nil); err == nil {
			return asJSON(decoded)
		}
	}
	return string(body)
}

// decodeEvent reads an event of a watch, as JSON.
func decodeEvent(contentType string, sent []byte) any {
	if !strings.HasPrefix(contentType, "application/vnd.kubernetes.protobuf") {
		return fromJSON(sent)
	}
	var event metav1.WatchEvent
	if err := event.Unmarshal(sent); err != nil {
		return err.Error()
	}
	return object{"type": event.Type, "object": decode(contentType, event.Object.Raw)}
}

func fromJSON(body []byte) any {
	var value any
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if decoder.Decode(&value) != nil || decoder.More() {
		return string(body)
	}
	return value
}

func asJSON(decoded runtime.Object) any {
	text, err := json.Marshal(decoded)
	if err != nil {
		return err.Error()
	}
	return fromJSON(text)
}
