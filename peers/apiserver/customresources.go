package main

import (
	"k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apiextensions-apiserver/pkg/cmd/server/options"
	generatedopenapi "k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	openapinamer "k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/util/openapi"
	"k8s.io/client-go/informers"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	restclient "k8s.io/client-go/rest"
)

// newCustomResources is upstream's server of custom resource definitions, with its controllers, on the same etcd: what kube-apiserver
// delegates to when it does not know a path. It knows no webhooks by their services.
func newCustomResources(base genericapiserver.Config, etcd string, factory informers.SharedInformerFactory, delegate genericapiserver.DelegationTarget) (genericapiserver.DelegationTarget, error) {
	base.PostStartHooks = map[string]genericapiserver.PostStartHookConfigEntry{}
	base.LoopbackClientConfig = restclient.CopyConfig(base.LoopbackClientConfig)
	base.LoopbackClientConfig.UserAgent = "kube-apiserver" // who owns what the controllers write
	base.MergedResourceConfig = apiserver.DefaultAPIResourceConfigSource()
	base.OpenAPIConfig = nil // it would be merged by an aggregator
	definitions := openapi.GetOpenAPIDefinitionsWithoutDisabledFeatures(generatedopenapi.GetOpenAPIDefinitions)
	base.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(definitions, openapinamer.NewDefinitionNamer(apiserver.Scheme, clientscheme.Scheme))
	base.RESTOptionsGetter = storageOptions{etcd: etcd, codecs: apiserver.Codecs, tracker: base.StorageObjectCountTracker}

	backend := storagebackend.NewDefaultConfig("/registry", nil)
	backend.Transport.ServerList = []string{etcd}
	backend.CompactionInterval = 0 // as storageOptions
	stored := genericoptions.NewEtcdOptions(backend)
	config := &apiserver.Config{
		GenericConfig: &genericapiserver.RecommendedConfig{Config: base, SharedInformerFactory: factory},
		ExtraConfig: apiserver.ExtraConfig{
			CRDRESTOptionsGetter: options.NewCRDRESTOptionsGetter(*stored, nil, base.StorageObjectCountTracker),
			MasterCount:          1,
		},
	}
	server, err := config.Complete().New(delegate)
	if err != nil {
		return nil, err
	}
	return server.GenericAPIServer, nil
}
