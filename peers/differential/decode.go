package main

// Decodes answers in JSON, YAML and protobuf to the same generic JSON values, so that answers can be compared in any
// encoding.

import (
	"bytes"
	"encoding/json"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1beta1 "k8s.io/apimachinery/pkg/apis/meta/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

// codecs know the kinds of client-go, custom resource definitions, and the meta kinds Table and
// PartialObjectMetadata.
var codecs = func() serializer.CodecFactory {
	utilruntime.Must(metav1.AddMetaToScheme(scheme.Scheme))
	utilruntime.Must(metav1beta1.AddMetaToScheme(scheme.Scheme))
	utilruntime.Must(apiextensionsv1.AddToScheme(scheme.Scheme))
	return scheme.Codecs
}()

// decode reads a body by its content type and returns it as a JSON value, or as a string if it cannot be read.
func decode(contentType string, body []byte) any {
	switch {
	case strings.HasPrefix(contentType, "application/json"):
		return fromJSON(body)
	case strings.HasPrefix(contentType, "application/yaml"):
		if converted, err := yaml.YAMLToJSON(body); err == nil {
			return fromJSON(converted)
		}
	case strings.HasPrefix(contentType, protobufType):
		if decoded, _, err := codecs.UniversalDeserializer().Decode(body, nil, nil); err == nil {
			return asJSON(decoded)
		}
	}
	return string(body)
}

func decodeEvent(contentType string, sent []byte) any {
	if !strings.HasPrefix(contentType, protobufType) {
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
