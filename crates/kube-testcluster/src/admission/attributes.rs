//! The request as admission sees it: the operation, the old and the new object, and the parts that plugins, webhooks
//! and policies get to see, such as the `AdmissionRequest` for a webhook.
//!
//! In this folder, a `row` is a kind in one group and version (a [`Resource`], one row of the server's table of kinds).
//! A webhook or a policy may match another version than the one that the client has used: then `request.served` is the
//! client's row, and the parameter `row` is the row that the webhook or policy gets. Upstream: `attributes.go`,
//! `VersionedAttributes` in `conversion.go`.

use std::borrow::Cow;

use super::RequestContext as Request;
use crate::plugins::admit::Operation;
use crate::store::Commit;
use kube_machinery::kinds::admission::RequestAttributes;
use kube_machinery::kinds::{NAMESPACES, Resource};
use kube_machinery::value::{Value, json};

/// A request with its objects, as admission sees it. Custom resources, and objects of a subresource with a kind of its
/// own (`Scale`, `Binding`), are in the version of the request; all other objects are in their stored form.
pub(crate) struct Attributes<'a> {
    pub(super) request: &'a Request<'a>,
    pub(super) operation: Operation,
    /// The object that will be stored, or the options of a connection; `None` for a deletion.
    pub(super) object: Option<Cow<'a, Value>>,
    /// The stored object; `None` for a new one.
    pub(super) old: Option<&'a Value>,
}

/// The kind of the objects in a request, with its group and version. For a subresource with a kind of its own
/// (`deployments/scale`), it is that kind (`autoscaling/v1 Scale`).
pub(super) struct Kind<'r> {
    pub(super) group: &'r str,
    pub(super) version: &'r str,
    pub(super) kind: &'r str,
}

impl<'r> Kind<'r> {
    /// Returns the kind of the objects in this request, if the request is made for `row`.
    pub(super) fn of(request: &Request<'_>, row: &'r Resource) -> Self {
        let info = request.subresource.map(|subresource| row.subresource_info(subresource));
        // The kind of a subresource may be in another group than the resource: `foreign` is that group and version.
        let (group, version) = info.and_then(|info| info.foreign).unwrap_or((row.group(), row.version()));
        Self { group, version, kind: info.map_or(row.kind(), |info| info.kind) }
    }

    pub(super) fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.to_owned() } else { format!("{}/{}", self.group, self.version) }
    }

    pub(super) fn json(&self) -> Value {
        json!({"group": self.group, "version": self.version, "kind": self.kind})
    }
}

impl Request<'_> {
    /// Returns true if the request has objects of the resource itself (also at `status`), and not of a subresource with
    /// a kind of its own, such as `Scale`.
    pub(super) fn has_whole_objects(&self) -> bool {
        self.subresource.is_none_or(|subresource| self.served.subresource_info(subresource).kind == self.served.kind())
    }

    /// Returns an object in the version of `row`, with `kind` and `apiVersion`.
    pub(super) fn versioned(&self, row: &Resource, value: &Value) -> Value {
        if self.has_whole_objects() {
            // A custom resource is in the version of the request. For another version, it gets that version's schema.
            let is_other = row.is_unstructured() && *row != self.served;
            return if is_other { row.served_object(&row.coerce(value.clone())) } else { row.served_object(value) };
        }
        let (mut value, kind) = (value.clone(), Kind::of(self, row));
        value["kind"] = kind.kind.into();
        value["apiVersion"] = kind.api_version().into();
        value
    }

    pub(super) fn is_dry_run(&self) -> bool {
        self.commit == Commit::Pretend
    }
}

impl<'a> Attributes<'a> {
    /// Returns the values that the rules of a webhook or policy are matched against, as if the client had used `row`.
    pub(super) fn match_values<'s>(&'s self, row: &'s Resource) -> RequestAttributes<'s> {
        RequestAttributes {
            operation: self.operation,
            group: row.group(),
            version: row.version(),
            resource: row.plural(),
            subresource: self.subresource(),
            namespace: self.namespace(),
        }
    }

    pub(super) fn subresource(&self) -> &'static str {
        self.request.subresource.map_or("", |subresource| subresource.name())
    }

    /// Returns the name in the path, or the name of a new object.
    pub(super) fn name(&self) -> &str {
        match (&self.request.name, &self.object) {
            (Some(name), _) => name,
            (None, Some(object)) => object["metadata"]["name"].as_str().unwrap_or_default(),
            (None, None) => "",
        }
    }

    /// Returns the name for a refusal. The name may not be generated yet; then the prefix stands for it. Upstream:
    /// `extractResourceName`.
    pub(super) fn name_in_refusal(&self) -> &str {
        let name = Some(self.name()).filter(|name| !name.is_empty());
        let prefix = || self.object.as_ref()?["metadata"]["generateName"].as_str().filter(|prefix| !prefix.is_empty());
        name.or_else(prefix).unwrap_or("Unknown")
    }

    /// Returns the namespace of the object; for a Namespace, its own name; empty for another cluster-scoped object.
    pub(super) fn namespace(&self) -> &str {
        if self.request.namespace.is_none() && self.request.served == NAMESPACES {
            return self.name();
        }
        self.request.namespace.as_deref().unwrap_or_default()
    }

    /// Returns the options of the request, with the kind that fits the operation: a patch has `UpdateOptions`.
    /// Upstream: `patchToUpdateOptions` and the like.
    pub(super) fn options(&self) -> Value {
        let kind = match self.operation {
            Operation::Create => "CreateOptions",
            Operation::Update => "UpdateOptions",
            Operation::Delete => "DeleteOptions",
            Operation::Connect => return Value::Null,
        };
        let mut options = json!({"kind": kind, "apiVersion": "meta.k8s.io/v1"});
        for (name, value) in &self.request.options {
            options[name] = value.clone();
        }
        options
    }

    /// Returns the `AdmissionRequest` for a webhook, with the objects in the version of `row`. The caller adds a uid
    /// for each call. Upstream: `CreateV1AdmissionReview`.
    pub(super) fn admission_request(&self, row: &Resource) -> Value {
        let mut request = self.request_about(row);
        let versioned = |value: Option<&Value>| value.map_or(Value::Null, |value| self.request.versioned(row, value));
        request["object"] = versioned(self.object.as_deref());
        request["oldObject"] = versioned(self.old);
        request
    }

    /// Returns the `AdmissionRequest` without the objects: the CEL variable `request`. `kind` and `resource` are those
    /// of `row`, `requestKind` and `requestResource` those of the client's request. Upstream: `CreateAdmissionRequest`
    /// in `plugin/cel/condition.go`.
    pub(super) fn request_about(&self, row: &Resource) -> Value {
        let resource =
            |row: &Resource| json!({"group": row.group(), "version": row.version(), "resource": row.plural()});
        let served = &self.request.served;
        let mut request = json!({
            "kind": Kind::of(self.request, row).json(), "resource": resource(row),
            "requestKind": Kind::of(self.request, served).json(), "requestResource": resource(served),
            "operation": self.operation.name(), "userInfo": self.request.user.info(),
        });
        for (field, text) in [
            ("subResource", self.subresource()),
            ("requestSubResource", self.subresource()),
            ("name", self.name()),
            ("namespace", self.namespace()),
        ] {
            if !text.is_empty() {
                request[field] = text.into();
            }
        }
        request["dryRun"] = self.request.is_dry_run().into();
        request["options"] = self.options();
        request
    }
}
