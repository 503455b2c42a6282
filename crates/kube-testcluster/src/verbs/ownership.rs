//! Connects writes with [`managed_fields`](kube_machinery::managed_fields), which records in each object which manager
//! has set which field (`metadata.managedFields`). This file finds the manager of a write, and returns the entries to
//! store with the new object; creates, updates, patches and applies call it. Upstream: `managerOrUserAgent` and
//! `getResetFields` in `k8s.io/apiserver`'s handlers, and the strategies of the kinds.

use std::borrow::Cow;
use std::sync::Arc;

use axum::extract::Request;
use http::{HeaderMap, header};

use crate::auth::Caller;
use crate::http::query::Query;
use crate::http::write_options::LONGEST_MANAGER;
use crate::settings::ManagedFields;
use crate::store::Store;
use crate::store::object::Opened;
use kube_machinery::codec::schema;
use kube_machinery::conventions::edit::object;
use kube_machinery::conventions::quote::is_printable;
use kube_machinery::kinds::{Catalog, Resource, Subresource};
use kube_machinery::managed_fields::{
    Converter, Duplicates, FieldManager, MOST_UPDATE_MANAGERS, NotConverted, SCALE_VERSION, Tracked, TypedValue,
    same_but_times, type_named,
};
use kube_machinery::value::{Value, json};

/// The author of a write: its field manager, and the authenticated caller.
#[derive(Clone, Debug)]
pub(crate) struct Writer {
    manager: Manager,
    /// The caller, if requests are authorized. `None` for writes of the cluster itself.
    pub(super) caller: Option<Caller>,
}

#[derive(Clone, Debug)]
enum Manager {
    /// A manager with this name. It owns the fields that it changes.
    Named(String),
    /// A server-side apply, or another write whose new state already has the right `managedFields`.
    EntriesComputed,
}

impl Writer {
    /// Returns the writer of a request. Its manager is the one that the request names, or else the component of the
    /// cluster that sends it, or else the beginning of its user agent.
    pub(crate) fn of(query: &Query, request: &Request) -> Self {
        let name = match (query.get("fieldManager").unwrap_or_default(), request.extensions().get::<Component>()) {
            ("", None) => prefix_of_user_agent(request.headers()),
            ("", Some(component)) => component.0.to_owned(),
            (name, _) => name.to_owned(),
        };
        Self { manager: Manager::Named(name), caller: Caller::of(request.extensions()) }
    }

    /// Returns the manager's name; `None` if the new state already has the right `managedFields`.
    pub(super) fn manager(&self) -> Option<&str> {
        match &self.manager {
            Manager::Named(name) => Some(name),
            Manager::EntriesComputed => None,
        }
    }

    /// Returns the same writer for a new state that already has the right `managedFields`.
    pub(super) fn with_entries(&self) -> Self {
        Self { manager: Manager::EntriesComputed, ..self.clone() }
    }

    /// Returns the writer of a server-side apply.
    pub(crate) fn applied(request: &Request) -> Self {
        Self { manager: Manager::EntriesComputed, caller: Caller::of(request.extensions()) }
    }

    /// Returns the writer for a component of the cluster.
    pub(crate) fn named(name: impl Into<String>) -> Self {
        Self { manager: Manager::Named(name.into()), caller: None }
    }
}

/// A component of the cluster that sends requests. It has the name with which its user agent begins in a real cluster.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Component(pub(crate) &'static str);

impl Component {
    pub(crate) const CONTROLLERS: Self = Self("kube-controller-manager");
    /// The part of kube-apiserver that makes priority levels and flow schemas.
    pub(crate) const FLOW_CONTROL: Self = Self("api-priority-and-fairness-config-producer-v1");
    pub(crate) const KUBELET: Self = Self("kubelet");
    pub(crate) const SCHEDULER: Self = Self("kube-scheduler");
    pub(crate) const SERVER: Self = Self("kube-apiserver");
}

/// Returns the manager of a request that names none: the user agent up to the first slash. Upstream:
/// `prefixFromUserAgent`.
fn prefix_of_user_agent(headers: &HeaderMap) -> String {
    let agent = headers.get(header::USER_AGENT).map(|agent| String::from_utf8_lossy(agent.as_bytes()));
    let agent = agent.unwrap_or_default();
    let mut prefix = String::new();
    for c in agent.split('/').next().unwrap_or_default().chars().filter(|c| is_printable(*c)) {
        if prefix.len() + c.len_utf8() > LONGEST_MANAGER {
            break;
        }
        prefix.push(c);
    }
    prefix
}

/// Converts objects between the served versions of their kind, for [`managed_fields`](kube_machinery::managed_fields).
/// An object's `apiVersion` names its version.
#[derive(Debug)]
struct Versions(Arc<Catalog>);

impl Converter for Versions {
    fn convert<'v>(&self, object: &'v TypedValue, version: &str) -> Result<Cow<'v, TypedValue>, NotConverted> {
        let field = |name: &str| object.value[name].as_str().unwrap_or_default();
        let (own, kind) = (field("apiVersion"), field("kind"));
        if version == own {
            return Ok(Cow::Borrowed(object));
        }
        let (from, to) = (self.0.in_version(kind, own), self.0.in_version(kind, version));
        let defined = from.and_then(Resource::defined_versions);
        if defined.is_some_and(|versions| !versions.iter().any(|defined| defined == version)) {
            let why = format!("request to convert CR to an invalid group/version: {version}");
            return Err(NotConverted::Failed(why));
        }
        let has_webhook = |row: &Resource| row.conversion_webhook().is_some();
        let both = from.zip(to).filter(|(from, to)| from.stored() == to.stored());
        // A conversion that needs a webhook is not made; the manager's entry is dropped instead.
        let both = both.filter(|(from, to)| !has_webhook(from) && !has_webhook(to));
        let Some((from, to)) = both else {
            return Err(NotConverted::MissingVersion(format!(
                "no kind {kind:?} is registered for version {version:?}"
            )));
        };
        // The conversion strategy `None` only changes `apiVersion`. It prunes nothing, so a field that the other version
        // does not declare fails the check of the type below.
        let mut value = to.served_form_of(from.stored_form_of(object.value.clone()));
        value["apiVersion"] = json!(version);
        value["kind"] = json!(kind);
        TypedValue::new(value, to.managed_type(), Duplicates::Allowed)
            .map(Cow::Owned)
            .map_err(|faults| NotConverted::Failed(faults.to_string()))
    }
}

/// The request by which an object is created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CreatedBy {
    /// A POST. Metadata that only the server sets does not count as sent, because upstream's handler removes it before
    /// it computes the owners. Applies and the cluster's own components use this too.
    Post,
    /// A PUT of an object that does not exist. Upstream's handler for updates removes nothing before it computes the
    /// owners. Unlike a POST, the object may have a resourceVersion.
    Put,
}

/// Returns the `managedFields` of a new object; null if there are none. `new` is the object as it was sent.
pub(super) fn of_new(
    store: &Store,
    served: &Resource,
    subresource: Option<Subresource>,
    new: &Value,
    writer: &Writer,
    created_by: CreatedBy,
) -> Value {
    let sent = &new["metadata"]["managedFields"];
    match &writer.manager {
        Manager::EntriesComputed => sent.clone(),
        Manager::Named(_) if !is_managed(store, &Value::Null, sent) => Value::Null,
        Manager::Named(manager) => {
            let mut new = served.served_form_of(with_defaults(served.stored(), new));
            if created_by == CreatedBy::Post {
                wipe_system_fields(&mut new);
            }
            field_manager(store, served, subresource, manager).update(None, &new, sent)
        }
    }
}

/// Returns true if a write must update `managedFields`. In mode `Applied`, objects without entries are spared that
/// work, because most objects are never applied.
pub(super) fn is_managed(store: &Store, kept: &Value, sent: &Value) -> bool {
    let has_entries = |entries: &Value| entries.as_array().is_some_and(|entries| !entries.is_empty());
    match store.settings.managed_fields {
        ManagedFields::Off => false,
        ManagedFields::Applied => has_entries(kept) || has_entries(sent),
        ManagedFields::Kept => true,
    }
}

/// Removes the metadata that a client cannot set in a new object. Upstream: `WipeObjectMetaSystemFields`.
fn wipe_system_fields(new: &mut Value) {
    const SYSTEM: [&str; 5] =
        ["creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "selfLink", "uid"];
    if let Some(metadata) = new.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.retain(|field, _| !SYSTEM.contains(&field.as_str()));
    }
}

/// Returns the `managedFields` of an object after an update; null if there are none. `new` is the object as it was sent
/// or patched.
pub(super) fn after_update(
    store: &Store,
    current: &Opened,
    served: &Resource,
    new: &Value,
    subresource: Option<Subresource>,
    writer: &Writer,
) -> Value {
    let sent = &new["metadata"]["managedFields"];
    match &writer.manager {
        Manager::EntriesComputed => sent.clone(),
        Manager::Named(_) if !is_managed(store, &current.value["metadata"]["managedFields"], sent) => Value::Null,
        Manager::Named(manager) => {
            let live = served.served_form_of(current.value.clone());
            let new = served.served_form_of(with_defaults(&current.resource, new));
            field_manager(store, served, subresource, manager).update(Some(&live), &new, sent)
        }
    }
}

/// Returns the field manager for a write of an object.
pub(super) fn field_manager<'a>(
    store: &Store,
    served: &'a Resource,
    subresource: Option<Subresource>,
    manager: &'a str,
) -> FieldManager<'a> {
    FieldManager {
        manager,
        api_version: served.api_version(),
        kind: served.kind(),
        of: served.managed_type(),
        subresource: subresource.map_or("", Subresource::name),
        reset: (served.reset_fields)(served, subresource),
        tracked: tracked(store),
        most_update_managers: MOST_UPDATE_MANAGERS,
        blank: Value::Object(served.blank()),
        why_no_first_apply: None,
        now: store.clock.now(),
        converter: Box::new(Versions(store.catalog())),
    }
}

/// Returns the field manager for a write of an object's scale.
pub(super) fn scale_manager<'a>(store: &Store, scaled: &Resource, manager: &'a str) -> FieldManager<'a> {
    /// Upstream asks the converter of the custom resource to convert an empty Scale, and the converter cannot.
    const NO_SCALE: &str = "failed to convert live object (/; autoscaling/v1, Kind=Scale) to proper version: request to convert \
        CR to an invalid group/version: autoscaling/v1";
    let tracked = tracked(store);
    FieldManager {
        manager,
        api_version: SCALE_VERSION.to_owned(),
        kind: "Scale",
        of: type_named("Scale"),
        subresource: Subresource::Scale.name(),
        reset: None,
        tracked,
        most_update_managers: MOST_UPDATE_MANAGERS,
        blank: schema::zero(&schema::FieldType::Struct("Scale")),
        // Only in mode `Kept`: in the others an object has no entries before its first apply, so nothing has to be
        // converted. Upstream, which always has entries, fails.
        why_no_first_apply: (scaled.scale_paths().is_some() && tracked == Tracked::FromCreation).then_some(NO_SCALE),
        now: store.clock.now(),
        converter: Box::new(Versions(store.catalog())),
    }
}

/// Returns the time from which objects have entries.
fn tracked(store: &Store) -> Tracked {
    match store.settings.managed_fields {
        ManagedFields::Kept => Tracked::FromCreation,
        _ => Tracked::FromFirstApply,
    }
}

/// Returns the new state that a component of the server writes, with its `managedFields`.
pub(crate) fn written_by(
    component: Component,
    store: &Store,
    current: &Opened,
    subresource: Option<Subresource>,
    mut new: Value,
) -> Value {
    let writer = Writer::named(component.0);
    let entries = after_update(store, current, &current.resource, &new, subresource, &writer);
    let entries = with_old_times(current, &new, entries);
    set_entries(&mut new, entries);
    new
}

fn with_defaults(resource: &Resource, object: &Value) -> Value {
    let mut object = object.clone();
    (resource.defaults)(&mut object);
    object
}

/// Returns the `managedFields` to store: `entries`, or the old ones if the request changes nothing but the times in
/// `entries`, so that such a write changes nothing. `new` is the requested state, before the fields that the write
/// cannot change get their old values back, so a difference in such a field counts as a change. Upstream:
/// `IgnoreManagedFieldsTimestampsTransformer`.
pub(super) fn with_old_times(current: &Opened, new: &Value, entries: Value) -> Value {
    let old = &current.value["metadata"]["managedFields"];
    if entries.is_null() || !same_but_times(old, &entries) {
        return entries;
    }
    let mut new = new.clone();
    set_entries(&mut new, old.clone());
    if new == current.value { old.clone() } else { entries }
}

/// Sets the `managedFields` of the new state, if there are any.
pub(super) fn set_entries(new: &mut Value, entries: Value) {
    if !entries.is_null() {
        object(&mut new["metadata"]).insert("managedFields".into(), entries);
    }
}
