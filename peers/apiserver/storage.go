package main

// The storage of all resources: etcd behind a watch cache.

import (
	"time"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/registry/generic"
	genericregistry "k8s.io/apiserver/pkg/registry/generic/registry"
	serverstorage "k8s.io/apiserver/pkg/server/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	flowcontrol "k8s.io/apiserver/pkg/util/flowcontrol/request"
)

// never is the time between two compactions of etcd by the server, longer than any test. A compaction writes a key, so
// it would change revisions at random. An interval of zero would also turn off the code that notices the compactions of
// others.
const never = 365 * 24 * time.Hour

// storageOptions gives every resource its etcd storage, in protobuf as in a real cluster, behind a watch cache.
type storageOptions struct {
	etcd    string
	codecs  serializer.CodecFactory
	tracker flowcontrol.StorageObjectCountTracker
}

func (o storageOptions) GetRESTOptions(resource schema.GroupResource, _ runtime.Object) (generic.RESTOptions, error) {
	backend := storagebackend.NewDefaultConfig("/registry", nil)
	backend.Transport.ServerList = []string{o.etcd}
	backend.StorageObjectCountTracker = o.tracker
	backend.CompactionInterval = never
	codec, versioner, err := serverstorage.NewStorageCodec(serverstorage.StorageCodecConfig{
		StorageMediaType:  runtime.ContentTypeProtobuf,
		StorageSerializer: o.codecs,
		StorageVersion:    schema.GroupVersion{Group: resource.Group, Version: "v1"},
		MemoryVersion:     schema.GroupVersion{Group: resource.Group, Version: runtime.APIVersionInternal},
		Config:            *backend,
	})
	if err != nil {
		return generic.RESTOptions{}, err
	}
	backend.Codec, backend.EncodeVersioner = codec, versioner
	decorator := genericregistry.StorageWithCacher()
	if resource.Resource == "events" {
		decorator = generic.UndecoratedStorage // events have no watch cache, as in kube-apiserver
	}
	prefix := resource.Resource
	if resource.Group == apiextensions.GroupName {
		prefix = resource.Group + "/" + resource.Resource // the prefix that kube-apiserver uses (SimpleRestOptionsFactory)
	}
	return generic.RESTOptions{
		StorageConfig:             backend.ForResource(resource),
		Decorator:                 decorator,
		ResourcePrefix:            prefix,
		EnableGarbageCollection:   true,
		DeleteCollectionWorkers:   1,
		StorageObjectCountTracker: o.tracker,
	}, nil
}
