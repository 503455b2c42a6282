package main

// Adds upstream's apiextensions-apiserver, which serves CustomResourceDefinitions and custom resources.

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

// newCustomResources returns upstream's server of custom resource definitions, with its controllers, on the same
// etcd. As in kube-apiserver, it gets the requests whose paths the other handlers do not know. It cannot resolve the
// Services of conversion webhooks.
func newCustomResources(base genericapiserver.Config, etcd string, factory informers.SharedInformerFactory, delegate genericapiserver.DelegationTarget) (genericapiserver.DelegationTarget, error) {
	base.PostStartHooks = map[string]genericapiserver.PostStartHookConfigEntry{}
	base.LoopbackClientConfig = restclient.CopyConfig(base.LoopbackClientConfig)
	base.LoopbackClientConfig.UserAgent = "kube-apiserver" // the field manager of what the controllers write
	base.MergedResourceConfig = apiserver.DefaultAPIResourceConfigSource()
	base.OpenAPIConfig = nil // only an aggregator would merge it
	definitions := openapi.GetOpenAPIDefinitionsWithoutDisabledFeatures(generatedopenapi.GetOpenAPIDefinitions)
	base.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(definitions, openapinamer.NewDefinitionNamer(apiserver.Scheme, clientscheme.Scheme))
	base.RESTOptionsGetter = storageOptions{etcd: etcd, codecs: apiserver.Codecs, tracker: base.StorageObjectCountTracker}

	backend := storagebackend.NewDefaultConfig("/registry", nil)
	backend.Transport.ServerList = []string{etcd}
	backend.CompactionInterval = never
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
