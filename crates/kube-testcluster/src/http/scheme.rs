//! The error messages for a body of another kind than its path, as Go's decoders word them. They depend on the kinds
//! that upstream has registered in its scheme: it decodes a registered kind as that kind, and then fails to convert it;
//! for a kind that is not registered, the message says so. So this file lists the registered kinds of the served
//! groups, even those that this server does not serve.

use kube_machinery::codec::json::Json;
use kube_machinery::codec::schema;

/// The kinds of one version. Upstream: the `register.go` of each group in `k8s.io/api`.
struct Version {
    name: &'static str,
    /// The kinds that have lists. Their lists are kinds, too.
    listed: &'static [&'static str],
    others: &'static [&'static str],
}

const VERSIONS: [Version; 23] = [
    Version {
        name: "v1",
        listed: &[
            "ComponentStatus",
            "ConfigMap",
            "Endpoints",
            "Event",
            "LimitRange",
            "Namespace",
            "Node",
            "PersistentVolume",
            "PersistentVolumeClaim",
            "Pod",
            "PodTemplate",
            "ReplicationController",
            "ResourceQuota",
            "Secret",
            "Service",
            "ServiceAccount",
        ],
        others: &[
            "Binding",
            "List",
            "NodeProxyOptions",
            "PodAttachOptions",
            "PodExecOptions",
            "PodLogOptions",
            "PodPortForwardOptions",
            "PodProxyOptions",
            "RangeAllocation",
            "SerializedReference",
            "ServiceProxyOptions",
        ],
    },
    Version {
        name: "admissionregistration.k8s.io/v1",
        listed: &[
            "MutatingAdmissionPolicy",
            "MutatingAdmissionPolicyBinding",
            "MutatingWebhookConfiguration",
            "ValidatingAdmissionPolicy",
            "ValidatingAdmissionPolicyBinding",
            "ValidatingWebhookConfiguration",
        ],
        others: &[],
    },
    Version { name: "apiextensions.k8s.io/v1", listed: &["CustomResourceDefinition"], others: &["ConversionReview"] },
    Version { name: "apiregistration.k8s.io/v1", listed: &["APIService"], others: &[] },
    Version {
        name: "apps/v1",
        listed: &["ControllerRevision", "DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"],
        others: &[],
    },
    Version {
        name: "authentication.k8s.io/v1",
        listed: &[],
        others: &["SelfSubjectReview", "TokenRequest", "TokenReview"],
    },
    Version {
        name: "authorization.k8s.io/v1",
        listed: &[],
        others: &[
            "LocalSubjectAccessReview",
            "SelfSubjectAccessReview",
            "SelfSubjectRulesReview",
            "SubjectAccessReview",
        ],
    },
    Version { name: "autoscaling/v1", listed: &["HorizontalPodAutoscaler"], others: &["Scale"] },
    Version { name: "autoscaling/v2", listed: &["HorizontalPodAutoscaler"], others: &[] },
    Version { name: "batch/v1", listed: &["CronJob", "Job"], others: &[] },
    Version {
        name: "certificates.k8s.io/v1",
        listed: &["CertificateSigningRequest", "ClusterTrustBundle", "PodCertificateRequest"],
        others: &[],
    },
    Version { name: "coordination.k8s.io/v1", listed: &["Lease"], others: &[] },
    Version { name: "discovery.k8s.io/v1", listed: &["EndpointSlice"], others: &[] },
    Version { name: "events.k8s.io/v1", listed: &["Event"], others: &[] },
    Version {
        name: "flowcontrol.apiserver.k8s.io/v1",
        listed: &["FlowSchema", "PriorityLevelConfiguration"],
        others: &[],
    },
    Version {
        name: "networking.k8s.io/v1",
        listed: &["IPAddress", "Ingress", "IngressClass", "NetworkPolicy", "ServiceCIDR"],
        others: &[],
    },
    Version { name: "node.k8s.io/v1", listed: &["RuntimeClass"], others: &[] },
    Version { name: "policy/v1", listed: &["PodDisruptionBudget"], others: &["Eviction"] },
    Version {
        name: "rbac.authorization.k8s.io/v1",
        listed: &["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"],
        others: &[],
    },
    Version {
        name: "resource.k8s.io/v1",
        listed: &["DeviceClass", "DeviceTaintRule", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice"],
        others: &[],
    },
    Version { name: "scheduling.k8s.io/v1", listed: &["PriorityClass"], others: &[] },
    Version {
        name: "storage.k8s.io/v1",
        listed: &[
            "CSIDriver",
            "CSINode",
            "CSIStorageCapacity",
            "StorageClass",
            "VolumeAttachment",
            "VolumeAttributesClass",
        ],
        others: &[],
    },
    Version { name: "storagemigration.k8s.io/v1", listed: &["StorageVersionMigration"], others: &[] },
];

/// The kinds that are registered in each version. Upstream: `AddToGroupVersion`.
const OF_EACH_VERSION: [&str; 7] =
    ["CreateOptions", "DeleteOptions", "GetOptions", "ListOptions", "PatchOptions", "UpdateOptions", "WatchEvent"];

/// The kinds that are known in any version, even an unregistered one. Upstream: `AddUnversionedTypes`.
const UNVERSIONED: [&str; 5] = ["APIGroup", "APIGroupList", "APIResourceList", "APIVersions", "Status"];

/// Returns true if upstream's main scheme has the kind.
fn knows(api_version: &str, kind: &str) -> bool {
    let of_version = |version: &Version| {
        let list_of = kind.strip_suffix("List");
        OF_EACH_VERSION.contains(&kind)
            || version.others.contains(&kind)
            || version.listed.iter().any(|listed| *listed == kind || list_of == Some(*listed))
    };
    UNVERSIONED.contains(&kind) || VERSIONS.iter().any(|version| version.name == api_version && of_version(version))
}

/// Returns true if the apiextensions server knows the kind. CustomResourceDefinitions are served by a server of their
/// own. Its scheme has the kinds of its group, and in `v1` the kinds that each version has. Upstream:
/// `k8s.io/apiextensions-apiserver/pkg/apiserver/apiserver.go`.
fn knows_beside_definitions(api_version: &str, kind: &str) -> bool {
    let known: &[&str] = match api_version {
        "apiextensions.k8s.io/v1" | "apiextensions.k8s.io/v1beta1" => {
            &["ConversionReview", "CustomResourceDefinition", "CustomResourceDefinitionList"]
        }
        "v1" => &[],
        _ => return UNVERSIONED.contains(&kind) || kind == "WatchEvent",
    };
    known.contains(&kind) || OF_EACH_VERSION.contains(&kind) || UNVERSIONED.contains(&kind)
}

/// Returns true if `api_version` is another version of the kind. Upstream converts such a body first, and then refuses
/// it with another message.
pub(super) fn is_another_version(kind: &str, api_version: &str) -> bool {
    matches!(
        (kind, api_version),
        ("CustomResourceDefinition", "apiextensions.k8s.io/v1beta1")
            | ("HorizontalPodAutoscaler", "autoscaling/v1" | "autoscaling/v2")
            | ("Event", "v1" | "events.k8s.io/v1")
    )
}

/// Returns Go's message for a body of another kind than its path: why it cannot be converted.
pub(super) fn refusal(api_version: &str, kind: &str, object: Json, wanted_kind: &str, wanted_version: &str) -> String {
    let (is_known, scheme): (fn(&str, &str) -> bool, _) = match wanted_version {
        "apiextensions.k8s.io/v1" => (knows_beside_definitions, "pkg/apiserver/apiserver.go:56"),
        _ => (knows, SCHEME),
    };
    if !is_known(api_version, kind) {
        return no_kind(kind, api_version, scheme);
    }
    let wanted = hub_type(wanted_kind, wanted_version);
    misfit(api_version, kind, object).unwrap_or_else(|| {
        let is_of_meta = UNVERSIONED.contains(&kind) || OF_EACH_VERSION.contains(&kind);
        let package = if is_of_meta { "v1" } else { api_version.rsplit('/').next().unwrap_or_default() };
        format!("converting ({package}.{kind}) to ({wanted}): unknown conversion")
    })
}

/// Returns Go's message if the object cannot even be decoded as the kind that it names. Returns `None` if the type of
/// that kind is not known here.
fn misfit(api_version: &str, kind: &str, object: Json) -> Option<String> {
    let of_go = schema::type_of(kind, api_version);
    schema::has(of_go).then(|| schema::decode(of_go, object).err()).flatten()
}

/// Returns Go's message for a body that should be `DeleteOptions` and is of another kind. Upstream reads these options
/// with a scheme of their own: it has the kinds of `meta.k8s.io`, and in any version the options of writes. Upstream:
/// `addToGroupVersion` of `internalversion`.
pub(crate) fn refusal_as_options(api_version: &str, kind: &str, object: Json) -> String {
    const WRITES: [&str; 2] = ["CreateOptions", "UpdateOptions"];
    const OF_META: [&str; 4] = ["PartialObjectMetadata", "PartialObjectMetadataList", "Table", "TableOptions"];
    let of_meta = OF_META.contains(&kind) && matches!(api_version, "meta.k8s.io/v1" | "meta.k8s.io/v1beta1")
        || OF_EACH_VERSION.contains(&kind) && api_version == "meta.k8s.io/v1";
    if WRITES.contains(&kind) || UNVERSIONED.contains(&kind) || of_meta {
        if let Some(misfit) = misfit(api_version, kind, object) {
            return misfit;
        }
        let package = if api_version.ends_with("v1beta1") && OF_META.contains(&kind) { "v1beta1" } else { "v1" };
        return format!("converting ({package}.{kind}) to (v1.DeleteOptions): unknown conversion");
    }
    no_kind(kind, api_version, SCHEME)
}

/// The name of kube-apiserver's main scheme in error messages.
const SCHEME: &str = "pkg/api/legacyscheme/scheme.go:30";

fn no_kind(kind: &str, version: &str, scheme: &str) -> String {
    format!("no kind {kind:?} is registered for version {version:?} in scheme {scheme:?}")
}

/// Returns the name of the internal Go type that all versions of a kind are converted to.
pub(super) fn hub_type(kind: &str, api_version: &str) -> String {
    let group = match api_version.rsplit_once('/') {
        Some(("events.k8s.io", _)) | None => "core", // Events of both groups have one type inside kube-apiserver
        Some((group, _)) => group,
    };
    format!("{}.{kind}", group.split('.').next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube_machinery::kinds::{Catalog, Serving};

    #[test]
    fn every_served_kind_and_its_list_are_known() {
        for row in Catalog::default().served() {
            assert!(knows(&row.api_version(), row.kind()), "{}", row.kind());
            let list = format!("{}List", row.kind());
            assert_eq!(knows(&row.api_version(), &list), row.serving != Serving::Review, "{list}");
        }
    }

    #[test]
    fn kinds_that_all_versions_share_are_known_in_each_or_in_any() {
        assert!(knows("apps/v1", "ListOptions") && !knows("v9", "ListOptions"));
        assert!(knows("v9", "Status") && knows("v9", "APIGroup"));
        assert!(!knows("v1", "Nosuch") && !knows("v1", "BindingList") && !knows("apps/v1", "Pod"));
    }

    #[test]
    fn options_of_a_deletion_are_read_with_a_scheme_of_their_own() {
        let unknown = |kind: &str| format!("converting (v1.{kind}) to (v1.DeleteOptions): unknown conversion");
        let refusal_as_options =
            |version: &str, kind: &str| refusal_as_options(version, kind, Json::Object(Vec::new()));
        assert_eq!(refusal_as_options("v9", "CreateOptions"), unknown("CreateOptions"));
        assert_eq!(refusal_as_options("v9", "APIGroup"), unknown("APIGroup"));
        assert_eq!(refusal_as_options("meta.k8s.io/v1", "WatchEvent"), unknown("WatchEvent"));
        for (version, kind) in [("v1", "Pod"), ("v1", "WatchEvent"), ("v1", "Table")] {
            assert!(refusal_as_options(version, kind).starts_with("no kind "), "{kind}");
        }
    }
}
