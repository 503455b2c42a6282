package e2e

// A day's work with kubectl, on one cluster.

import (
	"strings"
	"testing"

	"informer-lab/peers"
	"informer-lab/peers/e2e/harness"
)

// everydayFiles are the files that the command lines below read.
var everydayFiles = map[string]string{
	"pod.yaml": `apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}}
spec: {containers: [{name: web, image: nginx}]}
`,
	"cm.yaml": `apiVersion: v1
kind: ConfigMap
metadata: {name: conf}
data: {a: "1"}
`,
	"rs.yaml": `apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: rs, labels: {app: rs}}
spec:
  replicas: 2
  selector: {matchLabels: {app: rs}}
  template: {metadata: {labels: {app: rs}}, spec: {containers: [{name: c, image: nginx}]}}
`,
	"crd.yaml": `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: foos.x.io}
spec: {group: x.io, scope: Namespaced, names: {plural: foos, kind: Foo}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}
`,
	"kust/kustomization.yaml": "configMapGenerator: [{name: made, literals: [x=y]}]\n",
	"ed.sh":                   "#!/bin/sh\nsed -i 's/  a: .*/  a: edited/' \"$1\"\n",
}

// everyday are command lines as people type them, in the order of a day's work with one cluster, with parts of their
// output. A line that needs something that the cluster never has fails with a sentence that says so.
var everyday = []struct {
	line string
	says []string
}{
	{`kubectl version`, []string{"Client Version: " + peers.Minor(), "Server Version: " + peers.Minor()}},
	{`kubectl cluster-info`, []string{"Kubernetes control plane is running at http://127.0.0.1:"}},
	{`kubectl config view --minify`, []string{"insecure-skip-tls-verify: true", "current-context: informer-lab"}},
	{`kubectl api-versions`, []string{"apiregistration.k8s.io/v1\n", "apps/v1\n", "events.k8s.io/v1\n", "v1\n"}},
	{`kubectl api-resources`, []string{"apiservices ", "deployments ", "Event\n", "events.k8s.io/v1 "}},
	{`kubectl get --raw /healthz; echo; kubectl get --raw '/readyz?verbose'; echo; kubectl get --raw /version`,
		[]string{"ok\n", "[+]ping ok\n", "readyz check passed\n", `"gitVersion":"` + peers.Minor()}},
	{`kubectl get --raw /metrics | head -3`, []string{"Error from server (NotFound): this cluster keeps no metrics\n"}},
	{`kubectl create namespace demo`, []string{"namespace/demo created\n"}},
	{`kubectl run nginx --image=nginx --port=80 --labels=app=nginx`, []string{"pod/nginx created\n"}},
	{`kubectl run tmp --image=busybox --restart=Never -- sleep 1`, []string{"pod/tmp created\n"}},
	{`kubectl run -i --rm once --image=busybox --restart=Never -- echo hi`,
		[]string{"the containers of this cluster are not real: there is nothing to attach to", `pod "once" deleted`}},
	{`kubectl apply -f pod.yaml && kubectl wait --for=condition=Ready pod/web --timeout=10s`, []string{"pod/web created\n", "pod/web condition met\n"}},
	{`kubectl wait --for=condition=Ready pod/nginx --timeout=10s && kubectl get pods -o wide; kubectl get po nginx -o yaml | head -5; kubectl get po -o json | head -3; kubectl get po -o name`,
		[]string{"READINESS GATES\n", "node-1", "apiVersion: v1\nkind: Pod\n", "{\n    \"apiVersion\": \"v1\"", "pod/web\n"}},
	{`kubectl get po -o jsonpath='{range .items[*]}{.metadata.name}={.status.phase}{"\n"}{end}'; kubectl get po -o custom-columns=N:.metadata.name,IP:.status.podIP; kubectl get po -o go-template='{{range .items}}{{.metadata.name}} {{end}}'`,
		[]string{"web=Running\n", "N       IP\n", "10.244.0.", "nginx tmp web "}},
	{`kubectl get pods -A --sort-by=.metadata.creationTimestamp --show-labels -L app`, []string{"NAMESPACE   NAME", "APP     LABELS\n", "app=web\n"}},
	{`kubectl get pods --field-selector=status.phase=Running,spec.nodeName=node-1 -l 'app in (web,nginx)'`, []string{"nginx   1/1", "web     1/1"}},
	{`kubectl describe pod web`, []string{"Name:             web\n", "Started"}},
	{`kubectl describe node node-1`, []string{"Name:               node-1\n", "Capacity:"}},
	{`kubectl logs web; kubectl logs -l app=web --tail=5 --prefix`, []string{"container web of pod default/web is not real", "[pod/web/web] "}},
	{`kubectl events --for pod/web; kubectl get events --sort-by=.lastTimestamp | tail -2`, []string{"Scheduled   Pod/web", "pod/web"}},
	{`kubectl apply -f cm.yaml; sed 's/"1"/"2"/' cm.yaml | kubectl apply -f -; sed 's/"1"/"3"/' cm.yaml | kubectl replace -f -`,
		[]string{"configmap/conf created\n", "configmap/conf configured\n", "configmap/conf replaced\n"}},
	{`sed 's/"1"/"4"/' cm.yaml | kubectl diff -f -`, []string{"-  a: \"3\"\n+  a: \"4\"\n"}},
	{`kubectl patch cm conf -p '{"data":{"b":"2"}}'; kubectl patch cm conf --type=json -p '[{"op":"remove","path":"/data/b"}]'; kubectl patch cm conf --type=merge -p '{"data":{"a":"1"}}'`,
		[]string{"configmap/conf patched\nconfigmap/conf patched\nconfigmap/conf patched\n"}},
	{`EDITOR=./ed.sh kubectl edit cm conf; kubectl get cm conf -o jsonpath={.data.a}`, []string{"configmap/conf edited\n", "edited"}},
	{`kubectl label pod web tier=front; kubectl label --overwrite pod web tier=back; kubectl label pod web tier-; kubectl annotate pod web note=hi`,
		[]string{"pod/web labeled\npod/web labeled\npod/web unlabeled\npod/web annotated\n"}},
	{`kubectl apply --server-side -f cm.yaml; kubectl apply --server-side --force-conflicts -f cm.yaml`,
		[]string{"Apply failed with 1 conflict: conflict with \"before-first-apply\" using v1: .data.a\n", "configmap/conf serverside-applied\n"}},
	{`kubectl apply --dry-run=server -f pod.yaml; kubectl create --dry-run=client -o yaml -f pod.yaml | head -3`, []string{"pod/web unchanged (server dry run)\n", "kind: Pod\n"}},
	{`kubectl apply -k kust; kubectl kustomize kust | head -3`, []string{"configmap/made-6gc9d749f7 created\n", "x: \"y\"\n"}},
	{`kubectl delete -k kust`, []string{`configmap "made-6gc9d749f7" deleted`}},
	{`kubectl apply -f rs.yaml; kubectl wait --for=jsonpath={.status.readyReplicas}=2 rs/rs --timeout=10s; kubectl scale rs rs --replicas=3; kubectl get rs`,
		[]string{"replicaset.apps/rs created\n", "replicaset.apps/rs condition met\n", "replicaset.apps/rs scaled\n", "rs     3"}},
	{`kubectl expose pod web --port=80 --name=websvc; kubectl get svc,endpoints,endpointslices`,
		[]string{"service/websvc exposed\n", "service/kubernetes   ClusterIP   10.96.0.1", "endpointslice.discovery.k8s.io/kubernetes"}},
	{`kubectl create deployment d --image=nginx --replicas=2`, []string{"deployment.apps/d created\n"}},
	{`kubectl rollout status deployment/d --timeout=10s`, []string{"deployment \"d\" successfully rolled out\n"}},
	{`kubectl set image deployment/d nginx=nginx:2`, []string{"deployment.apps/d image updated\n"}},
	{`kubectl autoscale deployment d --max=3`, []string{"horizontalpodautoscaler.autoscaling/d autoscaled\n"}},
	{`kubectl create job j --image=busybox -- true`, []string{"job.batch/j created\n"}},
	{`kubectl create cronjob cj --image=busybox --schedule='* * * * *' -- true`, []string{"cronjob.batch/cj created\n"}},
	{`kubectl create role r --verb=get --resource=pods; kubectl create rolebinding rb --role=r --user=u; kubectl create clusterrole cr --verb=get --resource=pods`,
		[]string{"role.rbac.authorization.k8s.io/r created\n", "rolebinding.rbac.authorization.k8s.io/rb created\n", "clusterrole.rbac.authorization.k8s.io/cr created\n"}},
	{`kubectl create secret generic s --from-literal=a=b; kubectl get secret s -o jsonpath='{.data.a}'; kubectl create secret docker-registry dr --docker-username=u --docker-password=p; kubectl describe secret s | tail -3`,
		[]string{"secret/s created\nYg==secret/dr created\n", "a:  1 bytes\n"}},
	{`kubectl create configmap c2 --from-literal=x=y --from-file=pod.yaml; kubectl describe cm c2 | head -8`, []string{"configmap/c2 created\n", "pod.yaml:\n"}},
	{`kubectl create service clusterip sv --tcp=80:80; kubectl create service nodeport np --tcp=80:80; kubectl create service externalname en --external-name=x.y`,
		[]string{"service/sv created\nservice/np created\nservice/en created\n"}},
	{`kubectl create ingress ing --rule='a.b/c=svc:80'`, []string{"ingress.networking.k8s.io/ing created\n"}},
	{`kubectl create quota q --hard=pods=10; kubectl create pdb p --selector=app=db --min-available=1`, []string{"resourcequota/q created\npoddisruptionbudget.policy/p created\n"}},
	{`kubectl create priorityclass pc --value=10`, []string{"priorityclass.scheduling.k8s.io/pc created\n"}},
	{`kubectl create serviceaccount sa; kubectl create token sa`, []string{"serviceaccount/sa created\ney"}},
	{`kubectl top pods; kubectl top nodes`, []string{"error: Metrics API not available\nerror: Metrics API not available\n"}},
	{`kubectl auth can-i create pods; kubectl auth can-i --list | head -3; kubectl auth whoami`, []string{"yes\n", "[*]\n", "system:anonymous\n"}},
	{`kubectl explain pod.spec.containers | head -8; kubectl explain pods --recursive | tail -3; kubectl explain rs --output=plaintext-openapiv2 | head -2`,
		[]string{"FIELD: containers <[]Container>\n", "name\t<string> -required-\n", "KIND:     ReplicaSet\n"}},
	{`kubectl cordon node-1; kubectl get nodes; kubectl uncordon node-1`, []string{"node/node-1 cordoned\n", "Ready,SchedulingDisabled", "node/node-1 uncordoned\n"}},
	{`kubectl taint nodes node-1 k=v:NoSchedule; kubectl taint nodes node-1 k-`, []string{"node/node-1 tainted\n", "node/node-1 untainted\n"}},
	{`kubectl drain node-1 --ignore-daemonsets --force --timeout=25s; kubectl uncordon node-1`, []string{"evicting pod default/web\n", "node/node-1 drained\n", "node/node-1 uncordoned\n"}},
	{`kubectl apply -f pod.yaml; kubectl wait --for=condition=Ready pod/web --timeout=10s; kubectl exec web -- ls`,
		[]string{"pod/web condition met\n", "the containers of this cluster are not real: there is nothing to run a command in\n"}},
	{`kubectl attach web`, []string{"the containers of this cluster are not real: there is nothing to attach to\n"}},
	{`kubectl port-forward pod/web :80`, []string{"the containers of this cluster are not real: there is nothing to forward a port to\n"}},
	{`kubectl cp web:/etc/hosts hosts-copy`, []string{"the containers of this cluster are not real: there is nothing to run a command in\n"}},
	{`kubectl debug web --image=busybox --container=dbg; kubectl wait --for='jsonpath={.status.ephemeralContainerStatuses[0].state.running}' pod/web --timeout=10s`, []string{"pod/web condition met\n"}},
	{`kubectl debug web -it --image=busybox`, []string{"the containers of this cluster are not real: there is nothing to attach to"}},
	{`kubectl debug node/node-1 -it --image=busybox`, []string{"Creating debugging pod node-debugger-node-1-", "there is nothing to attach to"}},
	{`kubectl rollout history rs/rs; kubectl rollout restart rs/rs`, []string{`error: replicasets.apps "rs" restarting is not supported`}},
	{`kubectl set env rs/rs A=b; kubectl set resources rs/rs --limits=cpu=1; kubectl set serviceaccount rs/rs default`,
		[]string{"replicaset.apps/rs env updated\nreplicaset.apps/rs resource requirements updated\nreplicaset.apps/rs serviceaccount updated\n"}},
	{`kubectl delete rs rs --cascade=orphan; kubectl get po -l app=rs -o name`, []string{`replicaset.apps "rs" deleted`, "pod/rs-"}},
	{`kubectl delete po -l app=rs --now; kubectl delete po --all --grace-period=0 --force`, []string{`pod "rs-`, `pod "web" force deleted`}},
	{`kubectl delete cm,secret --all; kubectl delete ns demo; kubectl get all; kubectl get all -A | head -3`,
		[]string{`configmap "conf" deleted`, `secret "s" deleted`, "namespace \"demo\" deleted\n", "service/kubernetes "}},
	{`kubectl wait --for=delete pod/web --timeout=5s; kubectl wait --for=create cm/kube-root-ca.crt --timeout=5s`, []string{"configmap/kube-root-ca.crt condition met\n"}},
	{`kubectl get pod nosuch; kubectl get nosuch; kubectl delete pod nosuch --ignore-not-found`,
		[]string{"Error from server (NotFound): pods \"nosuch\" not found\nerror: the server doesn't have a resource type \"nosuch\"\n"}},
	{`kubectl get componentstatuses; kubectl get leases -A; kubectl get sa`, []string{"Warning: v1 ComponentStatus is deprecated in v1.19+\n", "etcd-0               Healthy   ok ", "kube-node-lease   node-1   node-1 ", "default"}},
	{`kubectl get crd; kubectl get pv,pvc; kubectl get storageclass`, []string{"No resources found\nNo resources found\n", "kube-testcluster/simulated"}},
	{`kubectl apply -f rs.yaml --prune -l app=rs; kubectl replace --force -f rs.yaml`, []string{"replicaset.apps/rs created\n", "replicaset.apps/rs replaced\n"}},
	{`kubectl create -f pod.yaml --validate=strict; echo '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"bad"},"dat":{}}' | kubectl create -f -`,
		[]string{"pod/web created\n", `strict decoding error: unknown field "dat"`}},
	{`kubectl cluster-info dump | head -3; kubectl get pods --chunk-size=1; kubectl get po --subresource=status web`, []string{`"kind": "NodeList"`, "web ", "READY   STATUS"}},
	{`kubectl create -f crd.yaml; kubectl get crd foos.x.io -o wide; kubectl delete crd foos.x.io`,
		[]string{"customresourcedefinition.apiextensions.k8s.io/foos.x.io created\n", "Namespaced   v1(storage) ", `customresourcedefinition.apiextensions.k8s.io "foos.x.io" deleted`}},
	{`kubectl certificate approve x; kubectl auth reconcile -f rs.yaml`, []string{"Error from server (NotFound): certificatesigningrequests.certificates.k8s.io \"x\" not found\n"}},
	{`kubectl get pods --as=someone -v=0; kubectl get ns default --show-managed-fields -o yaml | head -4`, []string{"web ", "kind: Namespace\n"}},
	{`kubectl get apiservices`, []string{"v1.apps ", "Local     True"}},
}

func TestEverydayCommandsWorkOrNameTheMissingFeature(t *testing.T) {
	t.Parallel()
	shell := harness.LabCluster(t).Kubectl().Shell(t, everydayFiles)
	for _, each := range everyday {
		result := shell.Try(t, "{ "+each.line+"\n} 2>&1")
		for _, text := range each.says {
			if !strings.Contains(result.Out, text) {
				t.Errorf("%s\n  does not say %q, but:\n%s%s", each.line, text, result.Out, result.Err)
			}
		}
	}
}

// TestCommandsThatStayOpenShowChanges runs everyday command lines that do not end by themselves.
func TestCommandsThatStayOpenShowChanges(t *testing.T) {
	t.Parallel()
	cluster := harness.LabCluster(t)
	kubectl := cluster.Kubectl()
	shell := kubectl.Shell(t, everydayFiles)
	kubectl.Run(t, "run", "web", "--image=nginx")
	kubectl.Run(t, "wait", "--for=condition=Ready", "pod/web")
	for line, shows := range map[string]string{
		"kubectl get pods -w": "web    1/1",
		"kubectl get pods --watch-only --output-watch-events": "MODIFIED   web",
		"kubectl logs -f web": "container web of pod default/web is not real",
	} {
		stays := shell.Start(t, line)
		stays.Out.Await(t, shows, func(lines []string) bool {
			// A change before the watch is open is not seen, so the test repeats the change.
			kubectl.Run(t, "annotate", "--overwrite", "pod", "web", "seen="+strings.Repeat("y", len(lines)+1), "--field-manager=e2e")
			kubectl.Run(t, "annotate", "pod", "web", "seen-")
			return strings.Contains(strings.Join(lines, "\n"), shows)
		})
		stays.End(t)
	}
	proxied := shell.Start(t, "kubectl proxy --port=0")
	address := strings.Fields(proxied.Out.AwaitLine(t, "Starting to serve on"))[4]
	got := shell.Try(t, "kubectl --server=http://"+address+" get --raw /api/v1/namespaces/default/pods/web")
	contains(t, got.Out, `"name":"web"`)
}
