//! The type [`Resource`]: a kind in one version, built-in or custom. A built-in kind has all its properties, such as
//! its names, its defaults and its validation, in its row of the table of kinds (`served`). A custom resource has some
//! of them in its definition. The server handles all kinds with the same code, and reads their differences from a
//! `Resource`.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use super::custom_resource::{CustomResource, ScalePaths};
use super::field_selector::FieldRow;
pub use super::group_resource::GroupResource;
use super::names::NameRule;
pub use super::registry::{Dispatcher, ObjectType, TableConvertor};
pub use super::row::{ResourceRow, Scope, Serving};
use super::served::CUSTOM_RESOURCE_DEFINITIONS;
pub use super::stored_form::StoredForm;
pub use super::strategy::{
    CreateOnUpdate, DeleteResponse, Deletion, Dependents, Generation, Lifetime, StatusOnCreate, Strategy,
    UnconditionalUpdate,
};
pub use super::subresource::{Subresource, SubresourceInfo};
use crate::codec::schema;
use crate::conventions::causes::Causes;
use crate::conventions::edit::empty;
use crate::managed_fields::{Type, type_named, type_of_custom};
use crate::value::{Map, Value};

/// The verbs of every stored kind.
const VERBS: [&str; 8] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/// A kind in one version. A clone of a built-in kind copies only pointers. A clone of a custom resource also keeps the
/// schema of its definition in memory.
#[derive(Clone)]
pub struct Resource {
    pub(super) row: &'static ResourceRow,
    /// `None` for a built-in kind.
    pub custom: Option<Arc<CustomResource>>,
}

/// Gives each object of a kind values that no two objects may share, such as the address of a service. Upstream:
/// `BeginCreate`, `BeginUpdate` and `AfterDelete` of a kind's registry.
pub trait Allocator: fmt::Debug + Send {
    /// Reserves values for a new or updated object, and fills in the missing ones. `key` is the object's key in the
    /// store. Returns the number of the reservation, for [`commit`](Self::commit) or [`roll_back`](Self::roll_back).
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
    /// The subresource that is written, if it is not the whole object.
    pub subresource: Option<Subresource>,
    /// True if controllers run, which remove the finalizers that the server sets.
    pub has_controllers: bool,
    /// The current time, as timestamps in objects are written.
    pub now: &'a str,
}

impl Deref for Resource {
    type Target = ResourceRow;

    fn deref(&self) -> &ResourceRow {
        self.row
    }
}

impl fmt::Debug for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.api_version(), self.plural())
    }
}

impl PartialEq for Resource {
    fn eq(&self, other: &Self) -> bool {
        // Fast paths: nearly every comparison is of a built-in kind with itself, or of two different plurals.
        (self.custom.is_none() && other.custom.is_none() && std::ptr::eq(self.row, other.row))
            || (self.plural(), self.group(), self.version()) == (other.plural(), other.group(), other.version())
    }
}

impl Eq for Resource {}

impl PartialEq<&Self> for Resource {
    fn eq(&self, other: &&Self) -> bool {
        self == *other
    }
}

impl Resource {
    /// Returns the built-in kind of a row.
    pub(super) const fn of(row: &'static ResourceRow) -> Self {
        Self { row, custom: None }
    }

    /// Returns the group, which is empty for the core group.
    pub fn group(&self) -> &str {
        self.custom.as_ref().map_or(self.row.group, |custom| custom.group_resource.group())
    }

    pub fn version(&self) -> &str {
        self.custom.as_ref().map_or(self.row.version, |custom| &custom.version)
    }

    /// Returns the plural, which is unique in its group.
    pub fn plural(&self) -> &str {
        self.custom.as_ref().map_or(self.row.plural, |custom| custom.group_resource.plural())
    }

    pub fn singular(&self) -> &str {
        self.custom.as_ref().map_or(self.row.singular, |custom| &custom.singular)
    }

    pub fn kind(&self) -> &str {
        self.custom.as_ref().map_or(self.row.kind, |custom| &custom.kind)
    }

    /// Returns the storageVersionHash in discovery; empty for a kind that is not stored.
    pub fn storage_hash(&self) -> &str {
        self.custom.as_ref().map_or(self.row.storage_hash, |custom| &custom.storage_hash)
    }

    pub fn short_names(&self) -> Vec<&str> {
        let defined = self.custom.iter().flat_map(|custom| &custom.short_names);
        self.row.short_names.iter().copied().chain(defined.map(String::as_str)).collect()
    }

    pub fn categories(&self) -> Vec<&str> {
        let defined = self.custom.iter().flat_map(|custom| &custom.categories);
        self.row.categories.iter().copied().chain(defined.map(String::as_str)).collect()
    }

    pub fn subresources(&self) -> &'static [Subresource] {
        self.custom.as_ref().map_or(self.row.subresources, |custom| custom.subresources)
    }

    /// Returns the fields that field selectors support, besides `metadata.name` and `metadata.namespace`.
    pub fn fields(&self) -> impl Iterator<Item = FieldRow<'_>> {
        let defined = self.custom.iter().flat_map(|custom| &custom.fields);
        self.row.fields.iter().copied().chain(defined.map(|path| (path.as_str(), path.as_str(), "")))
    }

    pub fn api_version(&self) -> String {
        match self.group() {
            "" => self.version().to_owned(),
            group => format!("{group}/{}", self.version()),
        }
    }

    /// Returns the prefix of the kind's keys in etcd. Upstream has other prefixes for a few kinds, such as Service and
    /// Node.
    pub fn storage_path(&self) -> String {
        // Upstream, these two groups have API servers of their own, which put the group into their keys.
        let has_own_server = matches!(self.group(), "apiextensions.k8s.io" | "apiregistration.k8s.io");
        match has_own_server || self.is_unstructured() {
            true => format!("/registry/{}/{}", self.group(), self.plural()),
            false => format!("/registry/{}", self.plural()),
        }
    }

    pub fn group_resource(&self) -> GroupResource {
        match &self.custom {
            Some(custom) => custom.group_resource.clone(),
            None => GroupResource::of(self.row),
        }
    }

    /// Returns true if a new object with a `generateName` gets a name with a random suffix. Upstream: `GenerateName` of
    /// a kind's strategy.
    pub fn generates_names(&self) -> bool {
        self.row.name_rule != NameRule::Address
    }

    /// Returns true if objects can be encoded in protobuf. Custom resources cannot, as upstream.
    pub fn has_protobuf(&self) -> bool {
        !self.is_unstructured()
    }

    pub fn list_kind(&self) -> String {
        self.custom.as_ref().map_or_else(|| format!("{}List", self.row.kind), |custom| custom.list_kind.clone())
    }

    /// Returns an empty object for a bookmark. It has the zero values of the fields that Go's encoder never omits.
    pub fn blank(&self) -> Map {
        if self.is_unstructured() {
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
        self.group() == "admissionregistration.k8s.io"
    }

    pub fn is_stored(&self) -> bool {
        self.serving == Serving::Stored
    }

    pub fn warning(&self) -> Option<&str> {
        self.custom.as_ref().map_or(self.row.deprecation, |custom| custom.warning.as_deref())
    }

    /// Returns the verbs in discovery. No object can be created while the definition of its kind is being deleted.
    pub fn verbs(&self) -> Vec<&'static str> {
        match self.serving {
            Serving::Stored => {}
            Serving::Review => return vec!["create"],
            Serving::Computed => return vec!["get", "list"],
        }
        if self.dispatcher == Dispatcher::CrdHandler {
            let writes = if self.is_terminating() { &[][..] } else { &["patch", "create", "update"] };
            return [&["delete", "deletecollection", "get", "list"], writes, &["watch"]].concat();
        }
        // As upstream, namespaces cannot be deleted as a collection.
        let all = self.deletion != Deletion::Emptied;
        VERBS.into_iter().filter(|verb| all || *verb != "deletecollection").collect()
    }

    pub fn scope(&self) -> Scope {
        self.custom.as_ref().map_or(self.row.scope, |custom| custom.scope)
    }

    pub fn is_namespaced(&self) -> bool {
        self.scope() == Scope::Namespaced
    }

    pub fn subresource(&self, name: &str) -> Option<Subresource> {
        self.subresources().iter().copied().find(|subresource| subresource.name() == name)
    }

    pub fn subresource_info(&self, subresource: Subresource) -> SubresourceInfo<'_> {
        const CHANGED: &[&str] = &["get", "patch", "update"];
        const CONNECTED: &[&str] = &["create", "get"];
        match subresource {
            Subresource::Approval | Subresource::EphemeralContainers | Subresource::Resize | Subresource::Status => {
                SubresourceInfo { foreign: None, kind: self.kind(), verbs: CHANGED }
            }
            Subresource::Binding => SubresourceInfo { foreign: None, kind: "Binding", verbs: &["create"] },
            Subresource::Log => SubresourceInfo { foreign: None, kind: self.kind(), verbs: &["get"] },
            Subresource::Attach => SubresourceInfo { foreign: None, kind: "PodAttachOptions", verbs: CONNECTED },
            Subresource::Exec => SubresourceInfo { foreign: None, kind: "PodExecOptions", verbs: CONNECTED },
            Subresource::PortForward => {
                SubresourceInfo { foreign: None, kind: "PodPortForwardOptions", verbs: CONNECTED }
            }
            Subresource::Eviction => {
                SubresourceInfo { foreign: Some(("policy", "v1")), kind: "Eviction", verbs: &["create"] }
            }
            Subresource::Finalize => SubresourceInfo { foreign: None, kind: self.kind(), verbs: &["update"] },
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

    /// Returns true if upstream holds the objects without a Go struct: custom resources.
    pub fn is_unstructured(&self) -> bool {
        self.object_type == ObjectType::Unstructured
    }

    /// Returns true if upstream takes an object of this kind for a list, because its field `items` is an array.
    /// Upstream: `Unstructured.IsList`.
    pub fn has_items_list(&self, object: &Value) -> bool {
        self.is_unstructured() && object["items"].is_array()
    }

    /// Returns true if objects of this kind define other kinds: CustomResourceDefinitions.
    pub fn defines_kinds(&self) -> bool {
        self == CUSTOM_RESOURCE_DEFINITIONS
    }

    /// Returns true if the kind's definition is being deleted, so that nothing can be created.
    pub fn is_terminating(&self) -> bool {
        self.custom.as_ref().is_some_and(|custom| custom.is_terminating)
    }

    /// Returns all versions of the definition of a custom resource, served or not, as `group/version`.
    pub fn defined_versions(&self) -> Option<&[String]> {
        self.custom.as_ref().map(|custom| custom.versions.as_slice())
    }

    /// Returns true if objects may be stored in another version than this one. The request handlers then convert them.
    /// For a built-in kind, [`served_form_of`](Self::served_form_of) is enough.
    pub fn has_other_versions(&self) -> bool {
        self.stored().custom.as_ref().is_some_and(|stored| self != self.stored() || stored.has_several_stored_versions)
    }

    /// Returns the paths of the replicas that the definition of a custom resource names; `None` for other kinds.
    pub fn scale_paths(&self) -> Option<&ScalePaths> {
        self.custom.as_ref()?.scale.as_ref()
    }

    /// Returns the path of the desired number of replicas, if the kind can be scaled.
    pub fn replicas_path(&self) -> Option<Vec<&str>> {
        match &self.custom {
            Some(custom) => custom.scale.as_ref().map(ScalePaths::spec_replicas_path),
            None => self.subresource("scale").map(|_| vec!["spec", "replicas"]),
        }
    }

    /// Returns the type by which `managedFields` name the fields of an object.
    pub fn managed_type(&self) -> Type {
        match &self.custom {
            Some(custom) => type_of_custom(&custom.schema),
            None => type_named(self.go_type()),
        }
    }

    /// Sets the status of a new object to that of an object without one. Upstream: `PrepareForCreate`.
    pub fn reset_status(&self, new: &mut Map) {
        if self.is_unstructured() {
            new.remove("status");
        } else {
            new.insert("status".into(), self.blank().remove("status").unwrap_or_else(empty));
        }
    }

    /// Returns the name in error messages: `pods`, `replicasets.apps`.
    pub fn qualified(&self) -> String {
        match self.group() {
            "" => self.plural().to_owned(),
            group => format!("{}.{group}", self.plural()),
        }
    }
}
