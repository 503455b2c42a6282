//! Validation of the containers in a pod or a pod template: main containers, init containers, which run before them,
//! and ephemeral containers, which are added for debugging. Upstream: `validateContainers`, `validateInitContainers`,
//! `validateEphemeralContainers` and `validateContainerCommon` in `pkg/apis/core/validation/validation.go`.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::environment::{environment, environment_from};
use super::mounts::{devices, mounts};
use super::ports::{HostPorts, ports};
use super::probe_validation::{hooks, no_probes_or_hooks, probes};
use super::resource_validation::resources;
use super::volume_sources::PULL_POLICIES;
use super::{restarts, security};
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::kinds::fields::{ItemPath, each, items, required, required_one_of, text};
use crate::kinds::names;
use crate::value::Value;

const MESSAGE_POLICIES: [&str; 2] = ["File", "FallbackToLogsOnError"];

/// The fields that an ephemeral container must not set, in upstream's order.
const NOT_IN_EPHEMERAL: [&str; 9] = [
    "ports",
    "resources",
    "resizePolicy",
    "restartPolicy",
    "restartPolicyRules",
    "livenessProbe",
    "readinessProbe",
    "startupProbe",
    "lifecycle",
];

/// The parts of a pod that the validation of each container needs.
pub(super) struct Shared<'a> {
    pub(super) spec: &'a Value,
    /// The valid volumes, by name. Only these can be mounted.
    pub(super) volumes: HashMap<&'a str, &'a Value>,
    /// The names in the pod's `resourceClaims`.
    pub(super) claims: BTreeSet<&'a str>,
}

/// Iterates over all containers with their paths, in upstream's order. Upstream: `VisitContainersWithPath`.
pub(super) fn visit<'v, 'p>(spec: &'v Value, at: At<'p>) -> impl Iterator<Item = (ItemPath<'p>, &'v Value)> {
    let all = ["initContainers", "containers", "ephemeralContainers"].map(|field| each(spec, field, at));
    all.into_iter().flatten()
}

/// `at` is the path of the spec.
pub(super) fn containers(shared: &Shared<'_>, at: At<'_>) -> Causes {
    let spec = shared.spec;
    if items(spec, "containers").is_empty() {
        let mut causes = Causes::from([Cause::required(format_args!("{at}.containers"), "")]);
        causes.extend(init_containers(shared, HashSet::new(), at));
        return causes;
    }
    let (mut causes, mut names, mut host_ports) = (Causes::new(), HashSet::new(), HostPorts::default());
    for (path, container) in each(spec, "containers", at) {
        let name = text(container, "name");
        causes.extend(container_common(shared, container, &path));
        if !names.insert(name) {
            causes.push(Cause::duplicate(format_args!("{path}.name"), name));
        }
        causes.extend(hooks(container, spec, &path));
        causes.extend(probes(container, &path));
        causes.extend(restarts::policy(container, &path));
    }
    causes.extend(each(spec, "containers", at).flat_map(|(path, container)| host_ports.take(container, &path)));
    causes.extend(init_containers(shared, names, at));
    causes
}

/// Validates the init containers. `names` has the names of the main containers.
fn init_containers<'a>(shared: &Shared<'a>, mut names: HashSet<&'a str>, at: At<'_>) -> Causes {
    let mut causes = Causes::new();
    for (path, container) in each(shared.spec, "initContainers", at) {
        let name = text(container, "name");
        causes.extend(container_common(shared, container, &path));
        causes.extend(restarts::policy_of_init(container, &path));
        if names.contains(name) {
            causes.push(Cause::duplicate(format_args!("{path}.name"), name));
        } else if !name.is_empty() {
            names.insert(name);
        }
        // Init containers run one after another, so they can share host ports. Upstream's path always has index 0.
        causes.extend(HostPorts::default().take(container, &format_args!("{at}.initContainers[0]")));
        if text(container, "restartPolicy") == "Always" {
            causes.extend(hooks(container, shared.spec, &path));
            causes.extend(probes(container, &path));
        } else {
            causes.extend(no_probes_or_hooks(container, &path));
            causes.extend(restarts::on_resize_of_init(container, &path));
        }
    }
    causes
}

pub(super) fn ephemeral_containers(shared: &Shared<'_>, at: At<'_>) -> Causes {
    let (spec, mut causes) = (shared.spec, Causes::new());
    let others = || ["containers", "initContainers"].into_iter().flat_map(|field| items(spec, field));
    let others: HashSet<&str> = others().map(|container| text(container, "name")).collect();
    let mut names = others.clone();
    for (path, container) in each(spec, "ephemeralContainers", at) {
        let (name, target) = (text(container, "name"), text(container, "targetContainerName"));
        causes.extend(container_common(shared, container, &path));
        causes.extend(padded_image(container, &path));
        if !names.insert(name) {
            causes.push(Cause::duplicate(format_args!("{path}.name"), name));
        }
        if !target.is_empty() && !others.contains(target) {
            causes.push(Cause::not_found(format_args!("{path}.targetContainerName"), target));
        }
        let is_set = |field: &&str| match &container[*field] {
            Value::Null => false,
            Value::Array(items) => !items.is_empty(),
            // The defaults give every container `resources`, if only an empty object.
            Value::Object(fields) => *field != "resources" || !fields.is_empty(),
            _ => true,
        };
        let set = NOT_IN_EPHEMERAL.into_iter().filter(is_set);
        let why = "cannot be set for an Ephemeral Container";
        causes.extend(set.map(|field| Cause::forbidden(format_args!("{path}.{field}"), why)));
        for (path, mount) in each(container, "volumeMounts", &path) {
            let set = ["subPath", "subPathExpr"].into_iter().filter(|field| !text(mount, field).is_empty());
            causes.extend(set.map(|field| Cause::forbidden(format_args!("{path}.{field}"), why)));
        }
    }
    causes
}

fn container_common(shared: &Shared<'_>, container: &Value, at: At<'_>) -> Causes {
    let spec = shared.spec;
    let mut causes = Causes::new();
    match text(container, "name") {
        "" => causes.push(Cause::required(format_args!("{at}.name"), "")),
        name => {
            causes.extend(names::label(name).iter().map(|why| Cause::invalid(format_args!("{at}.name"), name, why)))
        }
    }
    causes.extend(required(container, "image", at));
    let policy = text(container, "terminationMessagePolicy");
    causes.extend(required_one_of(policy, &MESSAGE_POLICIES, &format_args!("{at}.terminationMessagePolicy")));
    causes.extend(ports(container, at));
    causes.extend(environment(items(container, "env"), at));
    causes.extend(environment_from(items(container, "envFrom"), at));
    causes.extend(mounts(container, &shared.volumes, at));
    causes.extend(devices(container, &shared.volumes, at));
    causes.extend(required_one_of(
        text(container, "imagePullPolicy"),
        &PULL_POLICIES,
        &format_args!("{at}.imagePullPolicy"),
    ));
    causes.extend(resources(&container["resources"], &shared.claims, &format_args!("{at}.resources")));
    causes.extend(restarts::on_resize(container, text(spec, "restartPolicy"), at));
    let host_users = spec["hostUsers"] != false;
    causes.extend(security::validate_container_context(
        &container["securityContext"],
        host_users,
        &format_args!("{at}.securityContext"),
    ));
    causes
}

/// Checks the rules that hold for the containers of pods, but not for those of pod templates.
pub(super) fn only_of_pods(spec: &Value, at: At<'_>) -> Causes {
    let all = ["containers", "initContainers"].into_iter().flat_map(|field| each(spec, field, at));
    all.filter_map(|(path, container)| padded_image(container, &path)).collect()
}

/// Checks that the image name has no leading or trailing whitespace. Upstream: `validateContainerOnlyForPod`.
pub(super) fn padded_image(container: &Value, at: At<'_>) -> Option<Cause> {
    let image = text(container, "image");
    let why = "must not have leading or trailing whitespace";
    (image.trim() != image).then(|| Cause::invalid(format_args!("{at}.image"), image, why))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    fn sentences(spec: &Value) -> Vec<String> {
        let data = json!({"emptyDir": {}});
        let shared = Shared { spec, volumes: HashMap::from([("data", &data)]), claims: BTreeSet::new() };
        containers(&shared, &"spec").iter().map(Cause::sentence).collect()
    }

    #[test]
    fn each_container_is_checked_and_no_two_share_a_name() {
        let policies =
            |name: &str| json!({"name": name, "imagePullPolicy": "Always", "terminationMessagePolicy": "File"});
        let container = |name: &str| {
            let mut container = policies(name);
            container["image"] = json!("nginx");
            container
        };
        let good = json!({"containers": [container("a")], "initContainers": [container("b")]});
        assert_eq!(sentences(&good), Vec::<String>::new());
        let twice = json!({"containers": [container("a")], "initContainers": [container("a")]});
        assert_eq!(sentences(&twice), ["spec.initContainers[0].name: Duplicate value: \"a\""]);
        let bad = json!({"containers": [{
            "name": "a", "imagePullPolicy": "Sometimes", "terminationMessagePolicy": "Log", "env": [{"value": "1"}],
            "ports": [{"containerPort": 70_000, "protocol": "TCP"}, {"protocol": "ICMP"}],
            "volumeMounts": [{"name": "none", "mountPath": "/data"}],
        }]});
        assert_eq!(
            sentences(&bad),
            [
                "spec.containers[0].image: Required value",
                "spec.containers[0].terminationMessagePolicy: Unsupported value: \"Log\": supported values: \
                 \"File\", \"FallbackToLogsOnError\"",
                "spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive",
                "spec.containers[0].ports[1].containerPort: Required value",
                "spec.containers[0].ports[1].protocol: Unsupported value: \"ICMP\": supported values: \"SCTP\", \"TCP\", \"UDP\"",
                "spec.containers[0].env[0].name: Required value",
                "spec.containers[0].volumeMounts[0].name: Not found: \"none\"",
                "spec.containers[0].imagePullPolicy: Unsupported value: \"Sometimes\": supported values: \"Always\", \
             \"IfNotPresent\", \"Never\"",
            ]
        );
    }

    /// From the cases of upstream's `TestValidateContainerPorts`, `TestValidateEnv`, `TestValidateVolumeMounts` and
    /// `TestValidateContainers` (`pkg/apis/core/validation/validation_test.go`).
    #[test]
    fn ports_variables_and_mounts_each_have_their_rules() {
        let sentences = |field: &str, value: Value| {
            let mut container =
                json!({"name": "a", "image": "i", "imagePullPolicy": "Never", "terminationMessagePolicy": "File"});
            container[field] = value;
            sentences(&json!({"containers": [container]}))
        };
        let at = |rest: &str| format!("spec.containers[0].{rest}");
        let port =
            |name: &str, host: i64| json!({"name": name, "containerPort": 80, "hostPort": host, "protocol": "TCP"});
        for (field, value, expected) in [
            ("ports", json!([port("web", 8080), port("web-2", 8081)]), vec![]),
            ("ports", json!([port("web", 0), port("web", 0)]), vec![at("ports[1].name: Duplicate value: \"web\"")]),
            (
                "ports",
                json!([port("80", 0)]),
                vec![at("ports[0].name: Invalid value: \"80\": must contain at least one letter (a-z)")],
            ),
            (
                "ports",
                json!([port("a", 80), port("b", 80)]),
                vec![at("ports[1].hostPort: Duplicate value: \"TCP//80\"")],
            ),
            (
                "ports",
                json!([port("a", 65_536)]),
                vec![at("ports[0].hostPort: Invalid value: 65536: must be between 1 and 65535, inclusive")],
            ),
            (
                "env",
                json!([{"name": "a=b"}]),
                vec![at(
                    "env[0].name: Invalid value: \"a=b\": a valid environment variable name must consist only of printable ASCII characters other than '='",
                )],
            ),
            (
                "env",
                json!([{"name": "a", "value": "x", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}}}]),
                vec![at("env[0].valueFrom: Invalid value: \"\": may not be specified when `value` is not empty")],
            ),
            (
                "volumeMounts",
                json!([{"name": "data", "mountPath": "/a"}, {"name": "data", "mountPath": "/a", "subPath": "b/../c"}]),
                vec![
                    at("volumeMounts[1].mountPath: Invalid value: \"/a\": must be unique"),
                    at("volumeMounts.subPath: Invalid value: \"b/../c\": must not contain '..'"),
                ],
            ),
        ] {
            assert_eq!(sentences(field, value.clone()), expected, "{field} {value}");
        }
        let init = json!({"name": "b", "image": "i", "imagePullPolicy": "Never", "terminationMessagePolicy": "File",
            "livenessProbe": {"exec": {"command": ["x"]}}});
        let main = json!({"name": "a", "image": "i", "imagePullPolicy": "Never", "terminationMessagePolicy": "File"});
        assert_eq!(
            super::tests::sentences(&json!({"containers": [main], "initContainers": [init]})),
            [
                "spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always"
            ]
        );
    }
}
