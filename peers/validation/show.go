package main

// Answers how a valid object is stored and shown in tables.

import (
	"context"
	"encoding/json"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition/tableconvertor"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/printers"
	printersinternal "k8s.io/kubernetes/pkg/printers/internalversion"
)

var tables = printers.NewTableGenerator().With(printersinternal.AddHandlers)

// differentInEachRun are fields with a different value in each run.
var differentInEachRun = [][]string{{"metadata", "uid"}, {"metadata", "creationTimestamp"}, {"metadata", "resourceVersion"}, {"status", "lastPhaseTransitionTime"}}

// show adds the additional answers for a valid object: the stored object, and the cells and columns of its table.
func (c *kase) show(obj runtime.Object) error {
	if len(c.Ask) == 0 {
		return nil
	}
	obj, err := c.stored(obj)
	if err != nil {
		return err
	}
	table, err := tables.GenerateTable(obj, printers.GenerateOptions{Wide: true})
	if definition, ok := obj.(*apiextensions.CustomResourceDefinition); ok {
		table, err = tableconvertor.New().ConvertToTable(context.Background(), definition, nil)
	} else if err != nil { // the kind has no columns of its own
		table, err = rest.NewDefaultTableConvertor(schema.GroupResource{}).ConvertToTable(context.Background(), obj, nil)
	}
	if err != nil {
		return err
	}
	if slices.Contains(c.Ask, "cells") {
		c.Cells = table.Rows[0].Cells
	}
	if slices.Contains(c.Ask, "columns") {
		c.Columns = table.ColumnDefinitions
	}
	return nil
}

// stored returns the object as it is read back from etcd: in the version in which it was sent, with defaults.
func (c *kase) stored(obj runtime.Object) (runtime.Object, error) {
	var sent struct{ APIVersion string }
	if err := json.Unmarshal(c.New, &sent); err != nil {
		return nil, err
	}
	version, err := schema.ParseGroupVersion(sent.APIVersion)
	if err != nil {
		return nil, err
	}
	codec := legacyscheme.Codecs.LegacyCodec(version)
	inStorage := codec
	if _, ok := obj.(*apiextensions.CustomResourceDefinition); !ok { // definitions are stored as JSON, all other kinds as protobuf
		info, _ := runtime.SerializerInfoForMediaType(legacyscheme.Codecs.SupportedMediaTypes(), runtime.ContentTypeProtobuf)
		inStorage = legacyscheme.Codecs.CodecForVersions(info.Serializer, legacyscheme.Codecs.UniversalDeserializer(), version, runtime.InternalGroupVersioner)
	}
	data, err := runtime.Encode(inStorage, obj)
	if err != nil {
		return nil, err
	}
	if obj, err = runtime.Decode(inStorage, data); err != nil {
		return nil, err
	}
	if !slices.Contains(c.Ask, "object") {
		return obj, nil
	}
	if data, err = runtime.Encode(codec, obj); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &c.Object); err != nil {
		return nil, err
	}
	for _, field := range differentInEachRun {
		unstructured.RemoveNestedField(c.Object, field...)
	}
	return obj, nil
}
