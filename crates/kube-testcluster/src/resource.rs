//! The kinds that are served: one row each.

use kube_core::ApiResource;
use serde_json::{Map, Value};

use super::cause::Cause;
use super::schema::{self, Decoded};

/// Whether objects of a kind live in namespaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    Namespaced,
    Cluster,
}

/// What a DELETE does to an object without finalizers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deletion {
    /// The object gets a deletionTimestamp and stays until its grace period was cut to 0.
    Graceful,
    /// The object is gone at once.
    AtOnce,
}

/// What a DELETE answers once the object is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Farewell {
    /// That it is.
    Status,
    /// The object as it was last.
    Object,
}

/// Whether `metadata.generation` counts the changes of an object's spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Generation {
    Counted,
    Absent,
}

/// A path below an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subresource {
    Status,
    Binding,
    /// What its containers say.
    Log,
    /// What runs already, seen from within.
    Attach,
    /// A command beside what runs.
    Exec,
    PortForward,
    /// A deletion that a budget could refuse.
    Eviction,
    /// The finalizers of a namespace's spec.
    Finalize,
    /// How many replicas there are to be.
    Scale,
}

/// What a subresource speaks of, and what can be done with it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    /// Group and version of the kind, if they are not those of the object.
    pub(crate) foreign: Option<(&'static str, &'static str)>,
    pub(crate) kind: &'static str,
    pub(crate) verbs: &'static [&'static str],
}

/// What can be done with the objects of every stored kind.
const VERBS: [&str; 8] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

impl Subresource {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Status => "status",
            Self::Binding => "binding",
            Self::Log => "log",
            Self::Attach => "attach",
            Self::Exec => "exec",
            Self::PortForward => "portforward",
            Self::Eviction => "eviction",
            Self::Finalize => "finalize",
            Self::Scale => "scale",
        }
    }
}

/// A kind: everything that the server knows about it.
#[derive(Debug)]
pub(crate) struct Resource {
    /// Empty for the core group.
    pub(crate) group: &'static str,
    pub(crate) version: &'static str,
    /// No two rows have the same plural.
    pub(crate) plural: &'static str,
    pub(crate) singular: &'static str,
    pub(crate) kind: &'static str,
    /// How discovery tells that the stored form of the kind has changed; empty for a kind that is not stored.
    pub(crate) storage_hash: &'static str,
    pub(crate) scope: Scope,
    pub(crate) short_names: &'static [&'static str],
    pub(crate) categories: &'static [&'static str],
    pub(crate) subresources: &'static [Subresource],
    pub(crate) deletion: Deletion,
    pub(crate) farewell: Farewell,
    pub(crate) generation: Generation,
    /// Whether a watch cache stands before storage. (One that does not only serves the watches.)
    pub(crate) cached: bool,
    /// What a field selector may ask for, and where it is found; what is missing counts as the text given last.
    /// `metadata.name` and `metadata.namespace` are understood for every kind.
    pub(crate) fields: &'static [(&'static str, &'static str, &'static str)],
    /// Fills in what the client left out.
    pub(crate) defaults: fn(&mut Value),
    /// What is wrong with a new object, or with a new state (first) of an old one (second).
    pub(crate) validate: fn(&Value, Option<&Value>) -> Vec<Cause>,
}

impl Resource {
    /// `v1` or `group/version`.
    pub(crate) fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.to_owned() } else { format!("{}/{}", self.group, self.version) }
    }

    /// The kind as a client names it that works with objects of no fixed type. (A client typed by a wide struct such as
    /// Pod costs seconds of compile time for each form in which it reads and writes it.)
    pub(crate) fn dynamic(&self) -> ApiResource {
        ApiResource {
            group: self.group.to_owned(),
            version: self.version.to_owned(),
            api_version: self.api_version(),
            kind: self.kind.to_owned(),
            plural: self.plural.to_owned(),
        }
    }

    /// Gives the object the shape of its type, without kind and apiVersion: drops what the type does not have.
    ///
    /// # Errors
    /// If something has a wrong type.
    pub(crate) fn shape(&self, value: Value) -> Result<Decoded, String> {
        schema::decode(self.kind, value)
    }

    /// What an object has that says nothing: a bookmark does, whose type cannot leave it out.
    pub(crate) fn blank(&self) -> Map<String, Value> {
        match schema::zero(&schema::Kind::Struct(self.kind)) {
            Value::Object(fields) => fields,
            _ => Map::new(),
        }
    }

    /// Whether there are objects of this kind; of another there are only answers.
    pub(crate) fn is_stored(&self) -> bool {
        !self.storage_hash.is_empty()
    }

    pub(crate) fn verbs(&self) -> Vec<&'static str> {
        if !self.is_stored() {
            return vec!["create"];
        }
        // Nobody can delete all namespaces at once.
        let all = self.plural != "namespaces";
        VERBS.into_iter().filter(|verb| all || *verb != "deletecollection").collect()
    }

    pub(crate) fn is_namespaced(&self) -> bool {
        self.scope == Scope::Namespaced
    }

    pub(crate) fn subresource(&self, name: &str) -> Option<Subresource> {
        self.subresources.iter().copied().find(|subresource| subresource.name() == name)
    }

    /// What discovery says of a subresource.
    pub(crate) fn part(&self, subresource: Subresource) -> Part {
        const CHANGED: &[&str] = &["get", "patch", "update"];
        const CONNECTED: &[&str] = &["create", "get"];
        match subresource {
            Subresource::Status => Part { foreign: None, kind: self.kind, verbs: CHANGED },
            Subresource::Binding => Part { foreign: None, kind: "Binding", verbs: &["create"] },
            Subresource::Log => Part { foreign: None, kind: self.kind, verbs: &["get"] },
            Subresource::Attach => Part { foreign: None, kind: "PodAttachOptions", verbs: CONNECTED },
            Subresource::Exec => Part { foreign: None, kind: "PodExecOptions", verbs: CONNECTED },
            Subresource::PortForward => Part { foreign: None, kind: "PodPortForwardOptions", verbs: CONNECTED },
            Subresource::Eviction => Part { foreign: Some(("policy", "v1")), kind: "Eviction", verbs: &["create"] },
            Subresource::Finalize => Part { foreign: None, kind: self.kind, verbs: &["update"] },
            Subresource::Scale => Part { foreign: Some(("autoscaling", "v1")), kind: "Scale", verbs: CHANGED },
        }
    }

    /// As error messages name it: `pods`, `replicasets.apps`.
    pub(crate) fn qualified(&self) -> String {
        if self.group.is_empty() { self.plural.to_owned() } else { format!("{}.{}", self.plural, self.group) }
    }
}
