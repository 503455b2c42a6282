package main

const (
	controllerRuntime        = "sigs.k8s.io/controller-runtime"
	controllerRuntimeVersion = "v0.25.2"
	clientGo                 = "k8s.io/client-go"
	clientGoVersion          = "v0.37.2"
	kubeRsVersion            = "5.0.0"
	pythonVersion            = "37.0.2"
	javascriptVersion        = "1.4.0"
)

// Why a test cannot pass here.
const (
	etcd         = "what is read and written in etcd, behind the server"
	featureGates = "feature gates, which are turned on and off"
)

// suites are all suites. Those of controller-runtime start what `informer-lab envtest` names, as they start envtest's binaries.
var suites = []suite{
	of("pkg/cache", nil),
	of("pkg/source", nil),
	of("pkg/cluster", nil),
	of("pkg/handler", nil),
	of("pkg/manager", nil),
	of("pkg/controller/controllerutil", nil),
	of("pkg/webhook", nil),
	of("pkg/builder", nil),
	of("pkg/controller", nil),
	of("pkg/internal/recorder", nil),
	of("pkg/internal/controller", nil),
	of("pkg/envtest", nil),
	of("pkg/reconcile", nil),
	of("pkg/manager/internal/integration", nil),
	of("pkg/webhook/admission", nil),
	of("pkg/webhook/conversion", nil),
	of("pkg/webhook/authentication", nil),
	of("pkg/client", nil),
	{"apiextensions-apiserver test/integration", clientGoVersion, customResources("test/integration"), []exception{
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
		except("TestSelectableFields", "conversion by a webhook"),
		except("TestApplyCRDuringCRDFinalization", "a definition is not seen between its deletion and what its controllers do then"),
		except("TestFieldSelectorOpenAPI/OpenAPIv2", "custom resources in /openapi/v2"),
	}},
	{"client-go examples", clientGoVersion, examples, nil},
	{"kube-rs, the ignored tests", kubeRsVersion, kubeRs, []exception{
		except("can_exec|can_get_pod_logs", "containers"),
		except("attaches_events_without_namespace", "component statuses"),
	}},
	{"Python's client", pythonVersion, python, []exception{
		except("custom_resources", "apiextensions.k8s.io/v1beta1, which Kubernetes 1.22 removed"),
		except("cache_decoder", "two clients, which are never equal"),
	}},
	{"JavaScript's client", javascriptVersion, javascript, nil},
}

func of(folder string, edits []edit, exceptions ...exception) suite {
	return suite{"controller-runtime " + folder, controllerRuntimeVersion, ginkgo(folder, edits), exceptions}
}
