package main

// Encodes the bodies of some requests in protobuf.

import (
	"bytes"

	"k8s.io/apimachinery/pkg/runtime"
)

// protobufBody says how a body is encoded in protobuf when the request is sent: not at all, whole, cut off, or with one
// byte too many.
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
		return // patches have no protobuf form, and the options of a deletion are too short to be cut
	}
	made.header["Content-Type"] = protobufType
	made.protobuf = pick(g, []protobufBody{wholeProtobuf, wholeProtobuf, wholeProtobuf, wholeProtobuf, cutProtobuf, longProtobuf})
	if made.protobuf != wholeProtobuf {
		delete(made.metadata(), "resourceVersion") // it differs between the servers, and the error quotes bytes and length of the body
	}
}

// encode encodes an object in JSON as protobuf. It returns the text unchanged for noProtobuf, and if the text is no
// object of a known kind.
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
