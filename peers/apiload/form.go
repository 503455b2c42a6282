package main

// The forms of answers that clients ask for: informers in Go ask for protobuf, kubectl for Tables.

import (
	"bufio"
	"encoding/binary"
	"io"
)

// form is one form of a watch or a list.
type form struct {
	// name is the end of the figures' names; it is empty for JSON.
	name   string
	accept string
	// skip reads one event of a watch.
	skip func(*bufio.Reader) error
}

const table = "application/json;as=Table;g=meta.k8s.io;v=v1"

// forms are the forms of watches.
var forms = []form{
	{"", "application/json", skipLine},
	{" in protobuf", "application/vnd.kubernetes.protobuf;stream=watch", skipFrame},
	{" as Tables", table, skipLine},
}

func skipLine(events *bufio.Reader) error {
	_, err := events.ReadSlice('\n')
	return err
}

// skipFrame reads an event of a protobuf stream: its length in four bytes, and then that many bytes.
func skipFrame(events *bufio.Reader) error {
	var length [4]byte
	if _, err := io.ReadFull(events, length[:]); err != nil {
		return err
	}
	_, err := events.Discard(int(binary.BigEndian.Uint32(length[:])))
	return err
}
