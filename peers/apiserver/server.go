package main

// Assembles the API server from upstream's parts.

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/wait"
	apimachineryversion "k8s.io/apimachinery/pkg/version"
	"k8s.io/apiserver/pkg/admission/plugin/namespace/lifecycle"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	openapinamer "k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	utilcompat "k8s.io/apiserver/pkg/util/compatibility"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	restclient "k8s.io/client-go/rest"
	basecompat "k8s.io/component-base/compatibility"

	"informer-lab/peers"
	"informer-lab/peers/apiserver/core"
	"informer-lab/peers/apiserver/openapi"
)

// effectiveVersion reports the Kubernetes version of go.mod at /version, instead of the placeholder of a build whose
// linker sets no version.
type effectiveVersion struct {
	basecompat.MutableEffectiveVersion
}

func (v effectiveVersion) Info() *apimachineryversion.Info {
	info := v.MutableEffectiveVersion.Info()
	info.Major, info.Minor, info.GitVersion = "1", strings.TrimPrefix(peers.Minor(), "v1."), peers.Kubernetes()
	info.GitCommit, info.GitTreeState = strings.Repeat("0", 40), "clean"
	return info
}

func loopbackConfig(host string) *restclient.Config {
	return &restclient.Config{Host: "http://" + host, QPS: -1}
}

func loopbackClient(host string) (kubernetes.Interface, error) {
	return kubernetes.NewForConfig(loopbackConfig(host))
}

// newServer assembles the API server. It allows every request. Its only admission plugin is NamespaceLifecycle: an
// object's namespace must exist.
func newServer(host, etcd string, client kubernetes.Interface) (*genericapiserver.GenericAPIServer, error) {
	scheme := runtime.NewScheme()
	core.AddToScheme(scheme)
	addDefaults(scheme)
	addSelectable(scheme)
	codecs := serializer.NewCodecFactory(scheme)

	factory := informers.NewSharedInformerFactory(client, 0)
	admission, err := lifecycle.NewLifecycle(sets.New(metav1.NamespaceDefault, metav1.NamespaceSystem, metav1.NamespacePublic))
	if err != nil {
		return nil, err
	}
	admission.SetExternalKubeInformerFactory(factory)
	admission.SetExternalKubeClientSet(client)

	config := genericapiserver.NewConfig(codecs)
	config.ExternalAddress = host
	config.LoopbackClientConfig = loopbackConfig(host)
	config.EffectiveVersion = effectiveVersion{utilcompat.DefaultBuildEffectiveVersion()}
	config.Authorization.Authorizer = authorizerfactory.NewAlwaysAllowAuthorizer()
	config.AdmissionControl = admission
	definitions, err := openapi.Definitions(scheme)
	if err != nil {
		return nil, err
	}
	namer := openapinamer.NewDefinitionNamer(scheme)
	config.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(definitions, namer)
	config.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(definitions, namer)
	custom, err := newCustomResources(*config, etcd, factory, genericapiserver.NewEmptyDelegateWithCustomHandler(http.NotFoundHandler()))
	if err != nil {
		return nil, err
	}
	storage := storageOptions{etcd: etcd, codecs: codecs, tracker: config.StorageObjectCountTracker}
	config.RESTOptionsGetter = storage

	server, err := config.Complete(factory).New("peer", custom)
	if err != nil {
		return nil, err
	}
	registries, err := newRegistries(scheme, storage)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(registries)) { // discovery lists them in this order
		resources := registries[name]
		group := genericapiserver.NewDefaultAPIGroupInfo(name, scheme, runtime.NewParameterCodec(scheme), codecs)
		group.PrioritizedVersions = []schema.GroupVersion{{Group: name, Version: "v1"}}
		group.VersionedResourcesStorageMap["v1"] = resources
		if err := install(server, &group, name); err != nil {
			return nil, err
		}
	}
	server.PrepareRun()
	return server, nil
}

func install(server *genericapiserver.GenericAPIServer, group *genericapiserver.APIGroupInfo, name string) error {
	if name == "" {
		return server.InstallLegacyAPIGroup(genericapiserver.DefaultLegacyAPIPrefix, group)
	}
	return server.InstallAPIGroup(group)
}

// makeNamespaces waits until the server is ready, and creates the initial namespaces.
func makeNamespaces(ctx context.Context, client kubernetes.Interface) error {
	err := wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		return client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error() == nil, nil
	})
	if err != nil {
		return fmt.Errorf("the server did not become ready: %w", err)
	}
	for _, name := range []string{"default", "kube-system", "kube-public", "kube-node-lease"} {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if _, err := client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	return nil
}
