//! The properties of a kind: the type of a row in the table of kinds.

use std::fmt;

use super::columns::{self, Column};
use super::custom_resource::CustomResource;
use super::field_selector::FieldRow;
use super::metadata;
use super::names::NameRule;
pub use super::stored_form::{Conversion, StoredForm};
pub use super::strategy::{
    CreateOnUpdate, DeleteResponse, Deletion, Dependents, Generation, Lifetime, StatusOnCreate, Strategy,
    UnconditionalUpdate,
};
pub use super::subresource::{Part, Subresource};
use crate::codec::json::Json;
use crate::codec::schema::{self, Decoded};
use crate::conventions::cause::{Cause, distinct};
use crate::value::{Map, Value};

/// Whether a kind is namespaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    Namespaced,
    Cluster,
}

/// What becomes of the objects of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Serving {
    /// They are stored.
    Stored,
    /// One that is sent is answered, and nothing is stored.
    Answered,
    /// They are found out when they are asked for.
    FoundOut,
}

/// The verbs of every stored kind.
const VERBS: [&str; 8] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/// A kind, with everything that the server knows about it.
#[derive(Debug)]
pub struct Resource {
    /// Empty for the core group.
    pub group: &'static str,
    pub version: &'static str,
    /// Unique in its group.
    pub plural: &'static str,
    pub singular: &'static str,
    pub kind: &'static str,
    /// The storageVersionHash in discovery; empty for a kind that is not stored.
    pub storage_hash: &'static str,
    pub serving: Serving,
    pub scope: Scope,
    pub short_names: &'static [&'static str],
    pub categories: &'static [&'static str],
    pub subresources: &'static [Subresource],
    pub deletion: Deletion,
    pub delete_response: DeleteResponse,
    pub generation: Generation,
    pub strategy: Strategy,
    /// Whether a watch cache answers lists and gets. Without one, it still serves watches.
    pub cached: bool,
    /// The fields for field selectors. Every kind also supports `metadata.name` and `metadata.namespace`.
    pub fields: &'static [FieldRow],
    /// How names are checked.
    pub(crate) name_rule: NameRule,
    /// Sets the defaults.
    pub defaults: fn(&mut Value),
    /// Sets the defaults of all but the spec, where they can be set alone.
    pub(super) defaults_but_spec: Option<fn(&mut Value)>,
    /// What else the kind changes in an object that is written. Upstream: `PrepareForCreate` and `PrepareForUpdate`.
    pub prepare: fn(&mut Value, &Change<'_>),
    /// The errors in a new object, or in a new state (first argument) of an old one (second argument), but for its
    /// metadata.
    pub validate: fn(&Value, Option<&Value>) -> Vec<Cause>,
    /// The same for a new status. An update of the status does not check the rest again.
    pub(crate) validate_status: fn(&Value, Option<&Value>) -> Vec<Cause>,
    /// The errors in another subresource that changes the object: new state, old state.
    pub(crate) validate_part: fn(Subresource, &Value, &Value) -> Vec<Cause>,
    /// What is to be warned of in a valid new object, or in a new state (first argument) of an old one (second argument). Upstream:
    /// `WarningsOnCreate` and `WarningsOnUpdate`.
    pub warnings: fn(&Value, Option<&Value>) -> Vec<String>,
    /// Makes the allocator of a kind whose objects must not have some things in common.
    pub allocator: Option<fn() -> Box<dyn Allocator>>,
    /// What is said to whoever uses the kind, as upstream would rather not have it any more. Upstream: `APILifecycleDeprecated`.
    pub(crate) deprecation: Option<&'static str>,
    /// What `kubectl get` shows.
    pub columns: &'static [Column],
    /// How the objects of this kind are stored, if they are those of another row. All functions of this row but for the
    /// validation are those of the other one, and see the stored form.
    pub stored_form: Option<&'static StoredForm>,
    /// What the kind has more if an object defines it.
    pub custom: Option<&'static CustomResource>,
}

/// A kind in any version. Upstream: `GroupResource`. The order is that of plurals, then of groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GroupResource {
    pub plural: &'static str,
    pub group: &'static str,
}

/// Gives each object of a kind what no two may have, such as the address of a service. Upstream: `BeginCreate`,
/// `BeginUpdate` and `AfterDelete` of a kind's registry.
pub trait Allocator: fmt::Debug + Send {
    /// Fills in what a new object lacks, or the new state of an old one, and takes it. `key` is the object's key in the
    /// store. The result names what was taken, which has to be kept or given back.
    ///
    /// # Errors
    /// What the object asks for and cannot have.
    fn reserve(&mut self, key: &str, new: &mut Value, old: Option<&Value>) -> Result<u64, Vec<Cause>>;

    /// The object was written with what was taken for it.
    fn keep(&mut self, taken: u64);

    /// The object was not written.
    fn give_back(&mut self, taken: u64);

    /// An object was written with this state, or removed.
    fn record(&mut self, key: &str, state: Option<&Value>);
}

/// What a kind is told of a write.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a> {
    /// The state before; `None` for a new object.
    pub old: Option<&'a Value>,
    pub part: Option<Subresource>,
    pub now: &'a str,
}

/// The defaults of a kind that has none.
fn no_defaults(_: &mut Value) {}

/// The preparation of a kind that has none.
fn as_it_is(_: &mut Value, _: &Change<'_>) {}

/// The warnings of a kind that has none.
fn no_warnings(_: &Value, _: Option<&Value>) -> Vec<String> {
    Vec::new()
}

/// The validation of a kind that has none but that of metadata.
fn nothing_more(_: &Value, _: Option<&Value>) -> Vec<Cause> {
    Vec::new()
}

/// The validation of parts of a kind that has none.
fn no_part(_: Subresource, _: &Value, _: &Value) -> Vec<Cause> {
    Vec::new()
}

impl PartialEq for Resource {
    fn eq(&self, other: &Self) -> bool {
        // Nearly always it is the same row, or has another plural.
        std::ptr::eq(self, other)
            || (self.plural, self.group, self.version) == (other.plural, other.group, other.version)
    }
}

impl Eq for Resource {}

impl Resource {
    /// What most kinds have in common. The row of a kind names it, and what is its own.
    pub(super) const USUAL: Self = Self {
        group: "",
        version: "v1",
        plural: "",
        singular: "",
        kind: "",
        storage_hash: "",
        serving: Serving::Stored,
        scope: Scope::Namespaced,
        short_names: &[],
        categories: &[],
        subresources: &[],
        deletion: Deletion::AtOnce,
        delete_response: DeleteResponse::Status,
        generation: Generation::Absent,
        strategy: Strategy::USUAL,
        cached: true,
        fields: &[],
        name_rule: NameRule::Subdomain,
        defaults: no_defaults,
        defaults_but_spec: None,
        prepare: as_it_is,
        validate: nothing_more,
        validate_status: nothing_more,
        validate_part: no_part,
        warnings: no_warnings,
        allocator: None,
        deprecation: None,
        columns: columns::simple::OTHERS,
        stored_form: None,
        custom: None,
    };

    /// `v1` or `group/version`.
    pub fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.to_owned() } else { format!("{}/{}", self.group, self.version) }
    }

    /// Where upstream's storage keeps the kind.
    pub fn storage_path(&self) -> String {
        let has_own_server = matches!(self.group, "apiextensions.k8s.io" | "apiregistration.k8s.io");
        match has_own_server || self.custom.is_some() {
            true => format!("/registry/{}/{}", self.group, self.plural),
            false => format!("/registry/{}", self.plural),
        }
    }

    pub fn group_resource(&self) -> GroupResource {
        GroupResource { plural: self.plural, group: self.group }
    }

    /// Sets the defaults of a new state. A spec that it shares with the state before has them already.
    pub fn default_change(&self, new: &mut Value, before: &Value) {
        match self.defaults_but_spec {
            Some(defaults) if new["spec"].is_same(&before["spec"]) => defaults(new),
            _ => (self.defaults)(new),
        }
    }

    /// Decodes an object as its type, without kind and apiVersion; drops unknown fields.
    ///
    /// # Errors
    /// If a value has the wrong type.
    pub fn shape(&self, value: Value) -> Result<Decoded, String> {
        self.shape_change(value, &Value::Null)
    }

    /// The same of a new state of an object. What it shares with the state before is not looked at: what is stored has the form of its
    /// type already, as it came in by a function of this row.
    ///
    /// # Errors
    /// As [`shape`](Self::shape).
    pub fn shape_change(&self, value: Value, before: &Value) -> Result<Decoded, String> {
        match self.custom {
            Some(custom) => custom.conform(value),
            None => schema::conform(self.go_type(), value, before),
        }
    }

    /// The same of an object that a configuration was applied to.
    ///
    /// # Errors
    /// As [`shape`](Self::shape).
    pub fn shape_applied(&self, value: Value) -> Result<Decoded, String> {
        match self.custom {
            Some(custom) => custom.conform_applied(value),
            None => schema::conform(self.go_type(), value, &Value::Null),
        }
    }

    /// The same of a text.
    ///
    /// # Errors
    /// As [`shape`](Self::shape).
    pub fn decode(&self, json: Json) -> Result<Decoded, String> {
        match self.custom {
            Some(custom) => custom.decode(json),
            None => schema::decode(self.go_type(), json),
        }
    }

    /// What the type of the kind is called in the table of types. A custom resource has none there.
    pub fn go_type(&self) -> &'static str {
        schema::type_of(self.kind, &self.api_version())
    }

    /// Brings bytes into the form in which they are stored.
    pub fn as_stored(&self, value: &mut Value) {
        if self.custom.is_none() {
            schema::as_stored(self.go_type(), value);
        }
    }

    /// Whether its objects have a form in protobuf. Those of a custom resource do not, as upstream.
    pub fn has_protobuf(&self) -> bool {
        self.custom.is_none()
    }

    /// The kind of a list.
    pub fn list_kind(&self) -> String {
        self.custom.map_or_else(|| format!("{}List", self.kind), |custom| custom.list_kind.to_owned())
    }

    /// What is wrong with a new object. Upstream: `ValidateCreate`.
    pub fn causes_of_new(&self, new: &Value) -> Vec<Cause> {
        let mut causes = metadata::of_new(self, new);
        match self.custom {
            Some(custom) => custom.validate(&mut causes, &self.whole(new), None),
            None => causes.extend(distinct((self.validate)(new, None))),
        }
        if causes.is_empty() { metadata::of_any_new(new) } else { causes }
    }

    /// What is wrong with a new state of an object. Upstream: `ValidateUpdate`.
    pub fn causes_of_update(&self, new: &Value, old: &Value) -> Vec<Cause> {
        let mut causes = metadata::of_update(self, new, old);
        match self.custom {
            Some(custom) => custom.validate(&mut causes, &self.whole(new), Some(&self.whole(old))),
            None => causes.extend(distinct((self.validate)(new, Some(old)))),
        }
        causes
    }

    /// What is wrong with a new status. Upstream: `ValidateUpdate` of a kind's status strategy.
    pub fn causes_of_status_update(&self, new: &Value, old: &Value) -> Vec<Cause> {
        let mut causes = metadata::of_update(self, new, old);
        match self.custom {
            Some(custom) => custom.validate_status(&mut causes, &self.whole(new), &self.whole(old)),
            None => causes.extend(distinct((self.validate_status)(new, Some(old)))),
        }
        causes
    }

    /// What is wrong with a new state of another part. Upstream: `ValidateUpdate` of the strategy of the subresource.
    pub fn causes_of_part_update(&self, part: Subresource, new: &Value, old: &Value) -> Vec<Cause> {
        let mut causes = metadata::of_update(self, new, old);
        causes.extend(distinct((self.validate_part)(part, new, old)));
        causes
    }

    /// An object without values, for a bookmark, in which Go cannot omit the required fields.
    pub fn blank(&self) -> Map {
        if self.custom.is_some() {
            return Map::from_iter([("metadata".to_owned(), Value::Object(Map::new()))]);
        }
        match schema::zero(&schema::Kind::Struct(self.go_type())) {
            Value::Object(fields) => fields,
            _ => Map::new(),
        }
    }

    /// Whether its objects say how writes are admitted. Admission is not asked about them, so that nobody can lock everybody out.
    /// Upstream: `IsExemptAdmissionConfigurationResource`.
    pub fn configures_admission(&self) -> bool {
        self.group == "admissionregistration.k8s.io"
    }

    pub fn is_stored(&self) -> bool {
        self.serving == Serving::Stored
    }

    /// What whoever uses this version is to be warned of.
    pub fn warning(&self) -> Option<&'static str> {
        self.custom.map_or(self.deprecation, |custom| custom.warning)
    }

    pub fn verbs(&self) -> Vec<&'static str> {
        match self.serving {
            Serving::Stored => {}
            Serving::Answered => return vec!["create"],
            Serving::FoundOut => return vec!["get", "list"],
        }
        if let Some(custom) = self.custom {
            let creates = if custom.is_terminating { &[][..] } else { &["patch", "create", "update"] };
            return [&["delete", "deletecollection", "get", "list"], creates, &["watch"]].concat();
        }
        // As upstream, all namespaces cannot be deleted at once.
        let all = self.plural != "namespaces";
        VERBS.into_iter().filter(|verb| all || *verb != "deletecollection").collect()
    }

    pub fn is_namespaced(&self) -> bool {
        self.scope == Scope::Namespaced
    }

    pub fn subresource(&self, name: &str) -> Option<Subresource> {
        self.subresources.iter().copied().find(|subresource| subresource.name() == name)
    }

    /// The discovery data of a subresource.
    pub fn part(&self, subresource: Subresource) -> Part {
        const CHANGED: &[&str] = &["get", "patch", "update"];
        const CONNECTED: &[&str] = &["create", "get"];
        match subresource {
            Subresource::Approval | Subresource::EphemeralContainers | Subresource::Resize | Subresource::Status => {
                Part { foreign: None, kind: self.kind, verbs: CHANGED }
            }
            Subresource::Binding => Part { foreign: None, kind: "Binding", verbs: &["create"] },
            Subresource::Log => Part { foreign: None, kind: self.kind, verbs: &["get"] },
            Subresource::Attach => Part { foreign: None, kind: "PodAttachOptions", verbs: CONNECTED },
            Subresource::Exec => Part { foreign: None, kind: "PodExecOptions", verbs: CONNECTED },
            Subresource::PortForward => Part { foreign: None, kind: "PodPortForwardOptions", verbs: CONNECTED },
            Subresource::Eviction => Part { foreign: Some(("policy", "v1")), kind: "Eviction", verbs: &["create"] },
            Subresource::Finalize => Part { foreign: None, kind: self.kind, verbs: &["update"] },
            Subresource::Token => {
                Part { foreign: Some(("authentication.k8s.io", "v1")), kind: "TokenRequest", verbs: &["create"] }
            }
            Subresource::Scale => Part { foreign: Some(("autoscaling", "v1")), kind: "Scale", verbs: CHANGED },
        }
    }

    /// The name in error messages: `pods`, `replicasets.apps`.
    pub fn qualified(&self) -> String {
        if self.group.is_empty() { self.plural.to_owned() } else { format!("{}.{}", self.plural, self.group) }
    }
}
