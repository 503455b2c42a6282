package main

// Encodes the server's list and watch events in advance.

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
)

// All versions have the same number of digits, so that a version can be overwritten in an encoded event.
const (
	firstVersion = 1_000_000_000
	listVersion  = firstVersion + 100_000_000
	// inTurn is the number of pods that change, one after the other.
	inTurn = 100
)

// body holds everything that is sent, in one encoding.
type body struct {
	listType, watchType string
	list                []byte
	events              []event
}

// event is the encoded change of a pod, with the offset of the resourceVersion in it.
type event struct {
	frame     []byte
	versionAt int
}

type encoding interface {
	contentTypes() (list, watch string)
	list(*corev1.PodList) ([]byte, error)
	event(*corev1.Pod) ([]byte, error)
}

func encode(as encoding, number int) (*body, error) {
	list := &corev1.PodList{TypeMeta: metav1.TypeMeta{Kind: "PodList", APIVersion: "v1"}}
	list.ResourceVersion = fmt.Sprint(listVersion)
	for n := range number {
		list.Items = append(list.Items, typicalPod(n))
	}
	body := &body{}
	body.listType, body.watchType = as.contentTypes()
	var err error
	if body.list, err = as.list(list); err != nil {
		return nil, err
	}
	for n := range min(inTurn, number) {
		pod := list.Items[n].DeepCopy()
		pod.Kind, pod.APIVersion = "Pod", "v1"
		frame, err := as.event(pod)
		if err != nil {
			return nil, err
		}
		body.events = append(body.events, event{frame, bytes.Index(frame, []byte(pod.ResourceVersion))})
	}
	return body, nil
}

// change sends this many events, each with a new resourceVersion.
func (b *body) change(w http.ResponseWriter, changes int) error {
	out := bufio.NewWriterSize(w, 1<<16)
	events := slices.Clone(b.events)
	for n := range events {
		events[n].frame = bytes.Clone(events[n].frame) // because other watches write their own versions
	}
	for n := range changes {
		event := events[n%len(events)]
		copy(event.frame[event.versionAt:], fmt.Sprint(listVersion+1+n))
		if _, err := out.Write(event.frame); err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return http.NewResponseController(w).Flush()
}

type asJSON struct{}

func (asJSON) contentTypes() (list, watch string) { return "application/json", "application/json" }

func (asJSON) list(list *corev1.PodList) ([]byte, error) { return json.Marshal(list) }

func (asJSON) event(pod *corev1.Pod) ([]byte, error) {
	line, err := json.Marshal(metav1.WatchEvent{Type: "MODIFIED", Object: runtime.RawExtension{Object: pod}})
	return append(line, '\n'), err
}

type asProtobuf struct{}

var serializer = func() *protobuf.Serializer {
	scheme := runtime.NewScheme()
	_ = corev1.AddToScheme(scheme)
	return protobuf.NewSerializer(scheme, scheme)
}()

func (asProtobuf) contentTypes() (list, watch string) {
	return "application/vnd.kubernetes.protobuf", "application/vnd.kubernetes.protobuf;stream=watch"
}

func (asProtobuf) list(list *corev1.PodList) ([]byte, error) { return enveloped(list) }

func (asProtobuf) event(pod *corev1.Pod) ([]byte, error) {
	object, err := enveloped(pod)
	if err != nil {
		return nil, err
	}
	message, err := (&metav1.WatchEvent{Type: "MODIFIED", Object: runtime.RawExtension{Raw: object}}).Marshal()
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(message))), message...), err
}

func enveloped(object runtime.Object) ([]byte, error) {
	var out bytes.Buffer
	err := serializer.Encode(object, &out)
	return out.Bytes(), err
}
