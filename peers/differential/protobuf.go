package main

import (
	"bytes"

	"k8s.io/apimachinery/pkg/runtime"
)

// protobufBody is how a body is written in protobuf, once its references are resolved.
type protobufBody int

const (
	noProtobuf protobufBody = iota
	wholeProtobuf
	cutProtobuf
	longProtobuf
)

const protobufType = "application/vnd.kubernetes.protobuf"

func asProtobuf(g *generator, made *draft) {
	if made.method != "POST" && made.method != "PUT" {
		return // no patch has this form, and a deletion's options are too few
	}
	made.header["Content-Type"] = protobufType
	made.protobuf = pick(g, []protobufBody{wholeProtobuf, wholeProtobuf, wholeProtobuf, wholeProtobuf, cutProtobuf, longProtobuf})
	if made.protobuf != wholeProtobuf {
		delete(made.metadata(), "resourceVersion") // the refusal shows the body's first bytes, and how long it is
	}
}

// encode writes an object of JSON so; what is no known object stays as it is.
func (p protobufBody) encode(text string) string {
	decoded, _, err := codecs.UniversalDeserializer().Decode([]byte(text), nil, nil)
	info, found := runtime.SerializerInfoForMediaType(codecs.SupportedMediaTypes(), protobufType)
	var encoded bytes.Buffer
	if p == noProtobuf || err != nil || !found || info.Serializer.Encode(decoded, &encoded) != nil {
		return text
	}
	switch p {
	case cutProtobuf:
		encoded.Truncate(encoded.Len() * 2 / 3)
	case longProtobuf:
		encoded.WriteByte(8)
	}
	return encoded.String()
}
