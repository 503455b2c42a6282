package e2e

// kubectl with every kind that the built-in cluster serves.

import (
	"strings"
	"testing"

	"informer-lab/peers/e2e/harness"
)

// TestCreateMakesEveryKindThatItOffers runs each subcommand of `kubectl create`.
func TestCreateMakesEveryKindThatItOffers(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t).Kubectl()
	for line, made := range map[string]string{
		"clusterrole reader --verb=get --resource=pods":                  "clusterrole.rbac.authorization.k8s.io/reader",
		"clusterrolebinding readers --clusterrole=reader --user=jane":    "clusterrolebinding.rbac.authorization.k8s.io/readers",
		"configmap settings --from-literal=colour=green":                 "configmap/settings",
		"cronjob nightly --image=busybox --schedule=0_0_*_*_* -- true":   "cronjob.batch/nightly",
		"deployment web --image=nginx --replicas=2":                      "deployment.apps/web",
		"ingress web --rule=a.example/b=web:80":                          "ingress.networking.k8s.io/web",
		"job once --image=busybox -- true":                               "job.batch/once",
		"namespace demo":                                                 "namespace/demo",
		"poddisruptionbudget web --selector=app=web --min-available=50%": "poddisruptionbudget.policy/web",
		"priorityclass high --value=10":                                  "priorityclass.scheduling.k8s.io/high",
		"quota few --hard=pods=10":                                       "resourcequota/few",
		"role reader --verb=get --resource=pods":                         "role.rbac.authorization.k8s.io/reader",
		"rolebinding readers --role=reader --serviceaccount=default:me":  "rolebinding.rbac.authorization.k8s.io/readers",
		"secret generic password --from-literal=a=b":                     "secret/password",
		"service clusterip front --tcp=80:80":                            "service/front",
		"serviceaccount me":                                              "serviceaccount/me",
	} {
		arguments := strings.Fields("create " + line)
		for i := range arguments {
			arguments[i] = strings.ReplaceAll(arguments[i], "_", " ") // for the spaces inside an argument
		}
		equals(t, kubectl.Run(t, arguments...), made+" created\n")
	}
	matches(t, kubectl.Run(t, "create", "token", "me"), `[\w-]+\.[\w-]+\.[\w-]+`)
	contains(t, kubectl.Fail(t, "create", "token", "nobody"), `serviceaccounts "nobody" not found`)
}

// TestExplainAndGetKnowEveryKind runs explain and get for each kind of api-resources.
func TestExplainAndGetKnowEveryKind(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t).Kubectl()
	listed := strings.Fields(kubectl.Run(t, "api-resources", "--verbs=list", "-o", "name"))
	if len(listed) < 38 {
		t.Errorf("only %d kinds can be listed: %v", len(listed), listed)
	}
	for _, kind := range listed {
		explain := []string{"explain", kind}
		if kind == "events.events.k8s.io" { // kubectl takes the group for fields of the core group's Event, on any cluster
			explain = []string{"explain", "events", "--api-version=events.k8s.io/v1"}
		}
		contains(t, kubectl.Run(t, explain...), "DESCRIPTION:\n")
		kubectl.Run(t, "get", kind, "-A", "-o", "wide")
	}
}

func TestGetShowsTheColumnsOfUpstream(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t).Kubectl()
	kubectl.Run(t, "create", "ingress", "web", "--class=nginx", "--rule=a.example/b=web:80")
	matches(t, kubectl.Run(t, "get", "ingress"), `NAME   CLASS   HOSTS       ADDRESS   PORTS   AGE\nweb    nginx   a\.example             80      \d+s\n`)
	kubectl.Run(t, "create", "rolebinding", "readers", "--role=reader", "--user=jane")
	matches(t, kubectl.Run(t, "get", "rolebinding"), `NAME      ROLE          AGE\nreaders   Role/reader   \d+s\n`)
	kubectl.Run(t, "create", "role", "reader", "--verb=get", "--resource=pods")
	matches(t, kubectl.Run(t, "get", "role"), `NAME     CREATED AT\nreader   \d{4}-\d\d-\d\dT[\d:]+Z\n`)
	matches(t, kubectl.Run(t, "get", "endpoints,endpointslices", "-o", "name"), `endpoints/kubernetes\nendpointslice\.discovery\.k8s\.io/kubernetes\n`)
}

func TestABareClusterIsTheAPIServerAlone(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t, "--bare").Kubectl()
	equals(t, kubectl.Run(t, "get", "nodes", "-o", "name"), "")
	kubectl.Run(t, "run", "nettool", image)
	equals(t, field(t, kubectl, "pod/nettool", ".status.phase"), "Pending")
	equals(t, kubectl.Run(t, "get", "services", "-o", "name"), "service/kubernetes\n")
	equals(t, kubectl.Run(t, "get", "serviceaccounts", "-o", "name"), "")
}
