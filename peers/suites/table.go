package main

// The table of all suites: versions, packages, and the tests that cannot pass on our cluster.

import "informer-lab/peers"

const (
	controllerRuntime        = "sigs.k8s.io/controller-runtime"
	controllerRuntimeVersion = "v0.25.2"
	clientGo                 = "k8s.io/client-go"
	kubeRsVersion            = "5.0.0"
	pythonVersion            = "37.0.2"
	javascriptVersion        = "1.4.0"
	// olderServer is the version of the API server that controller-runtime's tests download, to turn off a feature
	// gate that newer versions lack.
	olderServer = "1.28.0"
)

var clientGoVersion = peers.Version(clientGo)

// Reasons why a test cannot pass here.
const (
	etcd         = "reads and writes of etcd itself"
	featureGates = "feature gates that the test switches"
)

// suites are all suites. Those of controller-runtime start the programs of `informer-lab envtest` in place of
// envtest's binaries.
var suites = []suite{
	ofControllerRuntime("pkg/cache").inJob(),
	ofControllerRuntime("pkg/source"),
	ofControllerRuntime("pkg/cluster"),
	ofControllerRuntime("pkg/handler"),
	ofControllerRuntime("pkg/manager"),
	ofControllerRuntime("pkg/controller/controllerutil"),
	ofControllerRuntime("pkg/webhook").inJob(),
	ofControllerRuntime("pkg/builder").inJob(),
	ofControllerRuntime("pkg/controller").inJob(),
	ofControllerRuntime("pkg/internal/recorder"),
	ofControllerRuntime("pkg/internal/controller"),
	ofControllerRuntime("pkg/envtest"),
	ofControllerRuntime("pkg/reconcile"),
	ofControllerRuntime("pkg/manager/internal/integration"),
	ofControllerRuntime("pkg/webhook/admission"),
	ofControllerRuntime("pkg/webhook/conversion"),
	ofControllerRuntime("pkg/webhook/authentication"),
	ofControllerRuntime("pkg/client").inJob(),
	program("controller-runtime pkg/client/apiutil", controllerRuntimeVersion, goPackage("pkg/client/apiutil")).inJob(),
	ofControllerRuntime("pkg/metrics/filters").inJob(),
	program("apiextensions-apiserver test/integration", clientGoVersion, customResources("test/integration"),
		except("TestCBORStorageEnablement", etcd),
		except("TestCustomResourceDefaultingOfMetaFields", etcd),
		except("TestEtcdStorage", etcd),
		except("TestInvalidObjectMetaInStorage", etcd),
		except("TestNonStructuralSchemaConditionForCRDV1Beta1MigratedData", etcd),
		except("TestNonStructuralSchemaConditionUpdate", etcd),
		except("TestPruningFromStorage", etcd),
		except("TestCBORServingEnablement/enabled", featureGates),
		except("TestFieldSelectorDisablement", featureGates),
		except("TestFieldSelectorDropFields", featureGates),
		except("TestRatchetingDropFields", featureGates),
		except("TestFieldSelectorOpenAPI/OpenAPIv2", "custom resources in /openapi/v2"),
	).inJob(),
	ofClusterAPI("util/patch/test"),
	ofClusterAPI("util/deprecated/v1beta1/patch"),
	ofClusterAPI("util/controller"),
	ofClusterAPI("bootstrap/kubeadm/reconcilers/kubeadmconfig"),
	ofClusterAPI("controllers/clustercache"),
	ofClusterAPI("controllers/crdmigrator"),
	ofClusterAPI("controlplane/kubeadm/pkg"),
	ofClusterAPI("controlplane/kubeadm/reconcilers/kubeadmcontrolplane"),
	ofClusterAPI("core/reconcilers/cluster"),
	ofClusterAPI("core/reconcilers/clusterclass"),
	ofClusterAPI("core/reconcilers/clusterresourceset"),
	ofClusterAPI("core/reconcilers/extensionconfig"),
	ofClusterAPI("core/reconcilers/machine"),
	ofClusterAPI("core/reconcilers/machinedeployment"),
	ofClusterAPI("core/reconcilers/machinehealthcheck"),
	ofClusterAPI("core/reconcilers/machinepool"),
	ofClusterAPI("core/reconcilers/machineset"),
	ofClusterAPI("core/reconcilers/topology/cluster"),
	ofClusterAPI("internal/topology/upgrade"),
	ofClusterAPI("core/webhooks/admission/test"),
	ofClusterAPI("core/reconcilers/topology/cluster/structuredmerge"),
	ofClusterAPI("internal/util/ssa/test",
		except(`Case_2b:_\[before-first-apply,.*\(\+_transition_to_v1beta2\)`, "managedFields of other versions after a conversion by a webhook"),
	),
	program("client-go examples", clientGoVersion, examples).inJob(),
	program("kube-rs, the ignored tests and the crd_* examples", kubeRsVersion, kubeRs,
		except("can_exec|can_get_pod_logs", "containers"),
	).inJob(),
	program("Python's client", pythonVersion, python,
		except("custom_resources", "apiextensions.k8s.io/v1beta1, which Kubernetes 1.22 removed"),
		except("cache_decoder", "a comparison of two clients, which are never equal"),
	).inJob(),
	program("JavaScript's client", javascriptVersion, javascript).inJob(),
}

func ofControllerRuntime(folder string) suite {
	return program("controller-runtime "+folder, controllerRuntimeVersion, ginkgo(folder))
}

func ofClusterAPI(folder string, exceptions ...exception) suite {
	return program("cluster-api "+folder, clusterAPIVersion, clusterAPITests(folder), exceptions...)
}

func program(name, version string, run func(place) ([]outcome, error), exceptions ...exception) suite {
	return suite{name: name, version: version, run: run, exceptions: exceptions}
}

// inJob marks a suite that the job `suites` of .ci/deep runs, that is without --all, too.
func (s suite) inJob() suite {
	s.quick = true
	return s
}
