//! The type [`Resource`]: one row in the table of kinds (`served`). The server handles all kinds with the same code, and reads from the
//! row in what they differ.

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
pub use super::subresource::{Subresource, SubresourceInfo};
use crate::codec::json::Json;
use crate::codec::schema::{self, Decoded};
use crate::conventions::causes::Causes;
use crate::value::{Map, Value};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    Namespaced,
    Cluster,
}

/// The way the objects of a kind are served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Serving {
    Stored,
    /// A POST of an object is answered, and nothing is stored.
    Review,
    /// Objects are computed for each request.
    Computed,
}

const VERBS: [&str; 8] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/// A kind in one version, with everything that the server knows about it.
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
    /// True if the watch cache answers lists and gets. Watches always come from the watch cache.
    pub cached: bool,
    /// The fields that field selectors support, besides `metadata.name` and `metadata.namespace`.
    pub fields: &'static [FieldRow],
    pub(crate) name_rule: NameRule,
    pub defaults: fn(&mut Value),
    /// Sets the defaults outside of the spec, for an update that leaves the spec unchanged.
    pub(super) defaults_but_spec: Option<fn(&mut Value)>,
    /// Changes an object before it is validated and written. Upstream: `PrepareForCreate` and `PrepareForUpdate`.
    pub prepare: fn(&mut Value, &Change<'_>),
    /// Validates a new object, or an update: the new state, then the old one. Metadata is validated separately.
    pub validate: fn(&Value, Option<&Value>) -> Causes,
    /// Validates an update of the status, but not the rest of the object again.
    pub(crate) validate_status: fn(&Value, Option<&Value>) -> Causes,
    /// Validates an update through a subresource other than the status: the new state, then the old one.
    pub(crate) validate_subresource: fn(Subresource, &Value, &Value) -> Causes,
    /// Returns the warnings about a valid new object, or about a valid update: the new state, then the old one.
    /// Upstream: `WarningsOnCreate` and `WarningsOnUpdate`.
    pub warnings: fn(&Value, Option<&Value>) -> Vec<String>,
    /// Makes the allocator of a kind whose objects need values of their own, such as addresses and ports of services.
    pub allocator: Option<fn() -> Box<dyn Allocator>>,
    /// The warning for every request of a deprecated kind. Upstream: `APILifecycleDeprecated`.
    pub(crate) deprecation: Option<&'static str>,
    pub columns: &'static [Column],
    /// The stored form, for a kind whose objects are stored as those of another row. All functions of such a row except
    /// the validation belong to the other row, and get the stored form.
    pub stored_form: Option<&'static StoredForm>,
    /// `None` for a built-in kind.
    pub custom: Option<&'static CustomResource>,
}

/// A kind in any version, ordered by plural, then by group. Upstream: `GroupResource`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GroupResource {
    pub plural: &'static str,
    pub group: &'static str,
}

/// Gives each object of a kind values that no two objects may share, such as the address of a service. Upstream:
/// `BeginCreate`, `BeginUpdate` and `AfterDelete` of a kind's registry.
pub trait Allocator: fmt::Debug + Send {
    /// Reserves values for a new or updated object, and fills in the missing ones. `key` is the
    /// object's key in the store. Returns the number of the reservation, for [`commit`](Self::commit) or
    /// [`roll_back`](Self::roll_back).
    ///
    /// # Errors
    /// The causes, if the object asks for values that it cannot have.
    fn reserve(&mut self, key: &str, new: &mut Value, old: Option<&Value>) -> Result<u64, Causes>;

    /// Keeps a reservation, because the object was written.
    fn commit(&mut self, reservation: u64);

    /// Releases a reservation, because the object was not written.
    fn roll_back(&mut self, reservation: u64);

    /// Records the values in an object's current state, or releases them if the object was removed.
    fn record(&mut self, key: &str, state: Option<&Value>);
}

/// The write that a kind's `prepare` is called for.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a> {
    /// The old state; `None` for a new object.
    pub old: Option<&'a Value>,
    pub subresource: Option<Subresource>,
    /// The current time, as timestamps in objects are written.
    pub now: &'a str,
}

fn no_defaults(_: &mut Value) {}

fn no_preparation(_: &mut Value, _: &Change<'_>) {}

fn no_warnings(_: &Value, _: Option<&Value>) -> Vec<String> {
    Vec::new()
}

/// The validation of a kind that only validates metadata.
fn no_causes(_: &Value, _: Option<&Value>) -> Causes {
    Causes::new()
}

fn no_subresource(_: Subresource, _: &Value, _: &Value) -> Causes {
    Causes::new()
}

impl PartialEq for Resource {
    fn eq(&self, other: &Self) -> bool {
        // Fast paths: nearly every comparison is of a row with itself, or of two different plurals.
        std::ptr::eq(self, other)
            || (self.plural, self.group, self.version) == (other.plural, other.group, other.version)
    }
}

impl Eq for Resource {}

impl Resource {
    /// The properties that most kinds share. The row of a kind overrides some of them.
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
        prepare: no_preparation,
        validate: no_causes,
        validate_status: no_causes,
        validate_subresource: no_subresource,
        warnings: no_warnings,
        allocator: None,
        deprecation: None,
        columns: columns::simple::OTHERS,
        stored_form: None,
        custom: None,
    };

    pub fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.to_owned() } else { format!("{}/{}", self.group, self.version) }
    }

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

    /// Sets the defaults of a new state. If the spec is shared with the old state, it already has its defaults.
    pub fn default_change(&self, new: &mut Value, before: &Value) {
        match self.defaults_but_spec {
            Some(defaults) if new["spec"].is_same(&before["spec"]) => defaults(new),
            _ => (self.defaults)(new),
        }
    }

    /// Decodes an object as its type, drops unknown fields, and removes kind and apiVersion.
    pub fn decode_value(&self, value: Value) -> Result<Decoded, String> {
        self.decode_change(value, &Value::Null)
    }

    /// Decodes a new state of an object as its type. Parts that it shares with the old state are skipped: they were
    /// decoded when that state was written.
    pub fn decode_change(&self, value: Value, before: &Value) -> Result<Decoded, String> {
        match self.custom {
            Some(custom) => custom.decode_value(value),
            None => schema::conform(self.go_type(), value, before),
        }
    }

    pub fn decode_applied(&self, value: Value) -> Result<Decoded, String> {
        match self.custom {
            Some(custom) => custom.decode_applied(value),
            None => schema::conform(self.go_type(), value, &Value::Null),
        }
    }

    pub fn decode(&self, json: Json) -> Result<Decoded, String> {
        match self.custom {
            Some(custom) => custom.decode(json),
            None => schema::decode(self.go_type(), json),
        }
    }

    /// A custom resource has no type in the table.
    pub fn go_type(&self) -> &'static str {
        schema::type_of(self.kind, &self.api_version())
    }

    /// Normalizes base64 fields as upstream stores them.
    pub fn replace_null_bytes(&self, value: &mut Value) {
        if self.custom.is_none() {
            schema::replace_null_bytes(self.go_type(), value);
        }
    }

    /// Custom resources have no protobuf, as upstream.
    pub fn has_protobuf(&self) -> bool {
        self.custom.is_none()
    }

    pub fn list_kind(&self) -> String {
        self.custom.map_or_else(|| format!("{}List", self.kind), |custom| custom.list_kind.to_owned())
    }

    /// Upstream: `ValidateCreate`.
    pub fn causes_of_new(&self, new: &Value) -> Causes {
        let mut causes = metadata::validate_new_by_kind(self, new);
        match self.custom {
            Some(custom) => custom.validate(&mut causes, &self.served_object(new), None),
            None => causes.extend((self.validate)(new, None).distinct()),
        }
        if causes.is_empty() { metadata::validate_new(new) } else { causes }
    }

    /// Upstream: `ValidateUpdate`.
    pub fn causes_of_update(&self, new: &Value, old: &Value) -> Causes {
        let mut causes = metadata::validate_update(self, new, old);
        match self.custom {
            Some(custom) => custom.validate(&mut causes, &self.served_object(new), Some(&self.served_object(old))),
            None => causes.extend((self.validate)(new, Some(old)).distinct()),
        }
        causes
    }

    /// Upstream: `ValidateUpdate` of a kind's status strategy.
    pub fn causes_of_status_update(&self, new: &Value, old: &Value) -> Causes {
        let mut causes = metadata::validate_update(self, new, old);
        match self.custom {
            Some(custom) => custom.validate_status(&mut causes, &self.served_object(new), &self.served_object(old)),
            None => causes.extend((self.validate_status)(new, Some(old)).distinct()),
        }
        causes
    }

    /// Upstream: `ValidateUpdate` of the subresource's strategy.
    pub fn causes_of_subresource_update(&self, subresource: Subresource, new: &Value, old: &Value) -> Causes {
        let mut causes = metadata::validate_update(self, new, old);
        causes.extend((self.validate_subresource)(subresource, new, old).distinct());
        causes
    }

    /// Returns an empty object for a bookmark. It has the zero values of the fields that Go's encoder never omits.
    pub fn blank(&self) -> Map {
        if self.custom.is_some() {
            return Map::from_iter([("metadata".to_owned(), Value::Object(Map::new()))]);
        }
        match schema::zero(&schema::FieldType::Struct(self.go_type())) {
            Value::Object(fields) => fields,
            _ => Map::new(),
        }
    }

    /// Returns true if the kind configures admission. Admission never checks such objects, since otherwise a wrong
    /// configuration could block its own repair. Upstream: `IsExemptAdmissionConfigurationResource`.
    pub fn configures_admission(&self) -> bool {
        self.group == "admissionregistration.k8s.io"
    }

    pub fn is_stored(&self) -> bool {
        self.serving == Serving::Stored
    }

    pub fn warning(&self) -> Option<&'static str> {
        self.custom.map_or(self.deprecation, |custom| custom.warning)
    }

    /// No object can be created while the definition of its kind is being deleted.
    pub fn verbs(&self) -> Vec<&'static str> {
        match self.serving {
            Serving::Stored => {}
            Serving::Review => return vec!["create"],
            Serving::Computed => return vec!["get", "list"],
        }
        if let Some(custom) = self.custom {
            let writes = if custom.is_terminating { &[][..] } else { &["patch", "create", "update"] };
            return [&["delete", "deletecollection", "get", "list"], writes, &["watch"]].concat();
        }
        // As upstream, namespaces cannot be deleted as a collection.
        let all = self.plural != "namespaces";
        VERBS.into_iter().filter(|verb| all || *verb != "deletecollection").collect()
    }

    pub fn is_namespaced(&self) -> bool {
        self.scope == Scope::Namespaced
    }

    pub fn subresource(&self, name: &str) -> Option<Subresource> {
        self.subresources.iter().copied().find(|subresource| subresource.name() == name)
    }

    pub fn subresource_info(&self, subresource: Subresource) -> SubresourceInfo {
        const CHANGED: &[&str] = &["get", "patch", "update"];
        const CONNECTED: &[&str] = &["create", "get"];
        match subresource {
            Subresource::Approval | Subresource::EphemeralContainers | Subresource::Resize | Subresource::Status => {
                SubresourceInfo { foreign: None, kind: self.kind, verbs: CHANGED }
            }
            Subresource::Binding => SubresourceInfo { foreign: None, kind: "Binding", verbs: &["create"] },
            Subresource::Log => SubresourceInfo { foreign: None, kind: self.kind, verbs: &["get"] },
            Subresource::Attach => SubresourceInfo { foreign: None, kind: "PodAttachOptions", verbs: CONNECTED },
            Subresource::Exec => SubresourceInfo { foreign: None, kind: "PodExecOptions", verbs: CONNECTED },
            Subresource::PortForward => {
                SubresourceInfo { foreign: None, kind: "PodPortForwardOptions", verbs: CONNECTED }
            }
            Subresource::Eviction => {
                SubresourceInfo { foreign: Some(("policy", "v1")), kind: "Eviction", verbs: &["create"] }
            }
            Subresource::Finalize => SubresourceInfo { foreign: None, kind: self.kind, verbs: &["update"] },
            Subresource::Token => SubresourceInfo {
                foreign: Some(("authentication.k8s.io", "v1")),
                kind: "TokenRequest",
                verbs: &["create"],
            },
            Subresource::Scale => {
                SubresourceInfo { foreign: Some(("autoscaling", "v1")), kind: "Scale", verbs: CHANGED }
            }
        }
    }

    /// Returns the name in error messages: `pods`, `replicasets.apps`.
    pub fn qualified(&self) -> String {
        if self.group.is_empty() { self.plural.to_owned() } else { format!("{}.{}", self.plural, self.group) }
    }
}
