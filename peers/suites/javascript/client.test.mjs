// Tests of our cluster with JavaScript's client, whose package has no tests that need a cluster.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  AppsV1Api, BatchV1Api, CoreV1Api, CustomObjectsApi, EventsV1Api, KubeConfig, KubernetesObjectApi, Log, PatchStrategy, V1MicroTime, VersionApi, Watch,
  makeInformer, setHeaderOptions,
} from "@kubernetes/client-node";

const config = new KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(CoreV1Api);
const namespace = "default";

const pod = (name, labels = {}) => ({
  metadata: { name, labels }, spec: { containers: [{ name: "main", image: "nginx" }] },
});
const configMap = (name, data) => ({ metadata: { name }, data });

/** Waits up to ten seconds until `holds` returns true. */
async function eventually(holds) {
  for (const end = Date.now() + 10_000; Date.now() < end;) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.fail("it did not happen within ten seconds");
}

test("tells its version", async () => {
  assert.match((await config.makeApiClient(VersionApi).getCode()).gitVersion, /^v1\.\d+/);
});

test("creates, reads, replaces and deletes", async () => {
  const created = await core.createNamespacedConfigMap({ namespace, body: configMap("crud", { a: "1" }) });
  created.data.a = "2";
  await core.replaceNamespacedConfigMap({ name: "crud", namespace, body: created });
  assert.equal((await core.readNamespacedConfigMap({ name: "crud", namespace })).data.a, "2");
  await core.deleteNamespacedConfigMap({ name: "crud", namespace });
  await assert.rejects(core.readNamespacedConfigMap({ name: "crud", namespace }), (error) => error.code === 404);
});

test("rejects an outdated update with a conflict", async () => {
  const old = await core.createNamespacedConfigMap({ namespace, body: configMap("conflict", { a: "1" }) });
  await core.replaceNamespacedConfigMap({ name: "conflict", namespace, body: { ...old, data: { a: "2" } } });
  await assert.rejects(core.replaceNamespacedConfigMap({ name: "conflict", namespace, body: old }), (error) => error.code === 409);
});

test("patches in three ways", async () => {
  await core.createNamespacedConfigMap({ namespace, body: configMap("patched", { a: "1" }) });
  const patch = (strategy, body) =>
    core.patchNamespacedConfigMap({ name: "patched", namespace, body }, setHeaderOptions("Content-Type", strategy));
  await patch(PatchStrategy.MergePatch, { data: { b: "2" } });
  await patch(PatchStrategy.StrategicMergePatch, { data: { c: "3" } });
  const patched = await patch(PatchStrategy.JsonPatch, [{ op: "remove", path: "/data/a" }]);
  assert.deepEqual(patched.data, { b: "2", c: "3" });
});

test("lists in pages and by labels", async () => {
  for (const name of ["p1", "p2", "p3"]) await core.createNamespacedPod({ namespace, body: pod(name, { app: "pages" }) });
  const first = await core.listNamespacedPod({ namespace, labelSelector: "app=pages", limit: 2 });
  assert.equal(first.items.length, 2);
  const rest = await core.listNamespacedPod({ namespace, labelSelector: "app=pages", limit: 2, _continue: first.metadata._continue });
  assert.deepEqual([...first.items, ...rest.items].map((one) => one.metadata.name), ["p1", "p2", "p3"]);
});

test("watches", async () => {
  const seen = [];
  const controller = await new Watch(config).watch(`/api/v1/namespaces/${namespace}/configmaps`, { fieldSelector: "metadata.name=seen" },
    (type) => seen.push(type), () => {});
  await core.createNamespacedConfigMap({ namespace, body: configMap("seen", {}) });
  await core.deleteNamespacedConfigMap({ name: "seen", namespace });
  await eventually(() => seen.length === 2);
  controller.abort();
  assert.deepEqual(seen, ["ADDED", "DELETED"]);
});

test("runs an informer", async () => {
  const list = () => core.listNamespacedPod({ namespace, labelSelector: "app=informed" });
  const informer = makeInformer(config, `/api/v1/namespaces/${namespace}/pods`, list, "app=informed");
  const seen = new Set();
  for (const event of ["add", "update", "delete"]) informer.on(event, () => seen.add(event));
  await informer.start();
  await core.createNamespacedPod({ namespace, body: pod("informed", { app: "informed" }) });
  await eventually(() => informer.get("informed", namespace)?.status?.phase === "Running");
  await core.deleteNamespacedPod({ name: "informed", namespace });
  await eventually(() => seen.has("delete") && informer.list().length === 0);
  await informer.stop();
  assert.deepEqual([...seen].sort(), ["add", "delete", "update"]);
});

test("rolls out a deployment", async () => {
  const apps = config.makeApiClient(AppsV1Api);
  const labels = { app: "rolled" };
  await apps.createNamespacedDeployment({ namespace, body: {
    metadata: { name: "rolled" }, spec: { replicas: 2, selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "nginx" }] } } } } });
  await eventually(async () => (await apps.readNamespacedDeploymentStatus({ name: "rolled", namespace })).status.readyReplicas === 2);
  await apps.replaceNamespacedDeploymentScale({ name: "rolled", namespace, body: { metadata: { name: "rolled", namespace }, spec: { replicas: 1 } } });
  await eventually(async () => (await apps.readNamespacedDeployment({ name: "rolled", namespace })).status.replicas === 1);
});

test("runs a job", async () => {
  const batch = config.makeApiClient(BatchV1Api);
  await batch.createNamespacedJob({ namespace, body: { metadata: { name: "once" }, spec: { template: {
    metadata: { labels: { "lab/lifecycle": "completed" } },
    spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox" }] } } } } });
  await eventually(async () => (await batch.readNamespacedJobStatus({ name: "once", namespace })).status.succeeded === 1);
});

test("reads a log", async () => {
  await core.createNamespacedPod({ namespace, body: pod("logged") });
  await eventually(async () => (await core.readNamespacedPod({ name: "logged", namespace })).status.phase === "Running");
  const { PassThrough } = await import("node:stream");
  const stream = new PassThrough();
  await new Log(config).log(namespace, "logged", "main", stream, {});
  assert.ok(stream);
});

test("writes an event of events.k8s.io", async () => {
  const body = { metadata: { name: "told" }, eventTime: new V1MicroTime(), type: "Normal", reason: "Tested", action: "Test",
    reportingController: "example.com/suite", reportingInstance: "one", regarding: { kind: "Pod", name: "p1", namespace } };
  const made = await config.makeApiClient(EventsV1Api).createNamespacedEvent({ namespace, body });
  assert.equal(made.reason, "Tested");
});

test("handles objects of any kind", async () => {
  const objects = KubernetesObjectApi.makeApiClient(config);
  const made = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "any", namespace }, data: { a: "1" } };
  await objects.create(made);
  assert.equal((await objects.read({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "any", namespace } })).data.a, "1");
  await objects.delete(made);
});

test("applies on the server's side", async () => {
  const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "applied" }, data: { a: "1" } };
  await core.patchNamespacedConfigMap({ name: "applied", namespace, body, fieldManager: "suite", force: true },
    setHeaderOptions("Content-Type", PatchStrategy.ServerSideApply));
});

test("serves custom resources", async () => {
  await config.makeApiClient(CustomObjectsApi).listClusterCustomObject({ group: "apiextensions.k8s.io", version: "v1", plural: "customresourcedefinitions" });
});
