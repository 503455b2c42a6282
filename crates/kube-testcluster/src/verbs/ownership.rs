//! Who owns the fields of what a request writes: what [`managed_fields`](crate::managed_fields) needs to know of it. Upstream:
//! `managerOrUserAgent` and `getResetFields` in `k8s.io/apiserver`'s handlers, and the strategies of the kinds.

use std::borrow::Cow;
use std::sync::Arc;

use axum::extract::Request;
use http::{HeaderMap, header};
use serde_json::{Value, json};

use crate::auth::Caller;
use crate::http::query::Query;
use crate::http::write_options::LONGEST_MANAGER;
use crate::kinds::{Catalog, Resource, Subresource};
use crate::machinery::quote::is_printable;
use crate::managed_fields::{
    Converter, Duplicates, FieldManager, Filter, NotConverted, PathElement, Set, SetMatcher, Type, TypedValue,
    field_path, same_but_times, type_named, type_of_custom,
};
use crate::settings::ManagedFields;
use crate::store::Store;
use crate::store::object::Opened;

/// Who writes.
#[derive(Clone, Debug)]
pub(crate) struct Writer {
    manager: Manager,
    /// Who asks for it, where that is asked; none of the cluster's own writes has one.
    pub(super) caller: Option<Caller>,
}

/// Who owns what is written.
#[derive(Clone, Debug)]
enum Manager {
    /// A manager by this name: it owns what it changes.
    Named(String),
    /// An apply, whose result says already who owns what.
    Applied,
}

impl Writer {
    /// The manager that the request names, or the first word of its user agent.
    pub(crate) fn of(query: &Query, request: &Request) -> Self {
        let name = match query.get("fieldManager").unwrap_or_default() {
            "" => prefix_of_user_agent(request.headers()),
            name => name.to_owned(),
        };
        Self { manager: Manager::Named(name), caller: Caller::of(request.extensions()) }
    }

    /// An apply.
    pub(crate) fn applied(request: &Request) -> Self {
        Self { manager: Manager::Applied, caller: Caller::of(request.extensions()) }
    }

    /// A part of the cluster.
    pub(crate) fn named(name: impl Into<String>) -> Self {
        Self { manager: Manager::Named(name.into()), caller: None }
    }
}

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

/// The versions in which kinds are served. An object says in its `apiVersion` in which it is.
#[derive(Debug)]
struct Versions(Arc<Catalog>);

impl Converter for Versions {
    fn convert<'v>(&self, object: &'v TypedValue, version: &str) -> Result<Cow<'v, TypedValue>, NotConverted> {
        let field = |name: &str| object.value[name].as_str().unwrap_or_default();
        let (own, kind) = (field("apiVersion"), field("kind"));
        if version == own {
            return Ok(Cow::Borrowed(object));
        }
        let row = |version: &str| self.0.served().find(|row| row.kind == kind && row.api_version() == version);
        let is_asked = |row: &Resource| row.conversion_webhook().is_some();
        let both = row(own).zip(row(version)).filter(|(from, to)| from.stored() == to.stored());
        // What a webhook would have to convert is forgotten.
        let both = both.filter(|(from, to)| !is_asked(from) && !is_asked(to));
        let Some((from, to)) = both else {
            return Err(NotConverted::MissingVersion(format!(
                "no kind {kind:?} is registered for version {version:?}"
            )));
        };
        let mut value = to.served_form_of(from.stored_form_of(object.value.clone()));
        value["apiVersion"] = json!(version);
        value["kind"] = json!(kind);
        TypedValue::new(value, type_of(to), Duplicates::Allowed)
            .map(Cow::Owned)
            .map_err(|faults| NotConverted::Failed(faults.to_string()))
    }
}

/// The entries of a new object; null if there are none. `new` is the object as it was sent.
pub(super) fn of_new(store: &Store, served: &'static Resource, new: &Value, writer: &Writer) -> Value {
    let sent = &new["metadata"]["managedFields"];
    match &writer.manager {
        _ if store.settings.managed_fields == ManagedFields::Off => Value::Null,
        Manager::Applied => sent.clone(),
        Manager::Named(manager) => {
            let mut new = served.served_form_of(with_defaults(served.stored(), new));
            wipe_system_fields(&mut new);
            field_manager(store, served, None, manager).update(None, &new, sent)
        }
    }
}

/// A client cannot give these to a new object. Upstream: `WipeObjectMetaSystemFields`.
fn wipe_system_fields(new: &mut Value) {
    const SYSTEM: [&str; 5] =
        ["creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "selfLink", "uid"];
    if let Some(metadata) = new.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.retain(|field, _| !SYSTEM.contains(&field.as_str()));
    }
}

/// The entries of an object after an update; null if there are none. `new` is the object as it was sent or patched.
pub(super) fn after_update(
    store: &Store,
    current: &Opened,
    served: &Resource,
    new: &Value,
    part: Option<Subresource>,
    writer: &Writer,
) -> Value {
    let sent = &new["metadata"]["managedFields"];
    match &writer.manager {
        _ if store.settings.managed_fields == ManagedFields::Off => Value::Null,
        Manager::Applied => sent.clone(),
        Manager::Named(manager) => {
            let live = served.served_form_of(current.value.clone());
            let new = served.served_form_of(with_defaults(current.resource, new));
            field_manager(store, served, part, manager).update(Some(&live), &new, sent)
        }
    }
}

fn type_of(resource: &Resource) -> Type {
    match resource.custom {
        Some(custom) => type_of_custom(&custom.schema),
        None => type_named(resource.go_type()),
    }
}

/// A field manager for a write to an object of this kind.
pub(super) fn field_manager<'a>(
    store: &Store,
    served: &Resource,
    part: Option<Subresource>,
    manager: &'a str,
) -> FieldManager<'a> {
    FieldManager {
        manager,
        api_version: served.api_version(),
        kind: served.kind,
        of: type_of(served),
        subresource: part.map_or("", Subresource::name),
        reset: reset_fields(served, part),
        blank: Value::Object(served.blank()),
        now: store.clock.now(),
        converter: Box::new(Versions(store.catalog())),
    }
}

fn with_defaults(resource: &Resource, object: &Value) -> Value {
    let mut object = object.clone();
    (resource.defaults)(&mut object);
    object
}

/// What a write to this part of the object does not change, whatever is sent.
fn reset_fields(resource: &Resource, part: Option<Subresource>) -> Option<Filter> {
    let field = |name: &str| PathElement::FieldName(name.to_owned());
    let excluded = |names: &[&[&str]]| Some(Filter::Exclude(Set::of(names.iter().map(|names| field_path(names)))));
    match part {
        None | Some(Subresource::Scale | Subresource::Finalize) => {
            let has_status = resource.subresources.contains(&Subresource::Status);
            has_status.then(|| excluded(&[&["status"]])).flatten()
        }
        Some(Subresource::Status) if resource.plural == "pods" => {
            excluded(&[&["spec"], &["metadata", "deletionTimestamp"], &["metadata", "ownerReferences"]])
        }
        // Of a custom resource, the status alone is written: all else is reset. Upstream: `statusStrategy.GetResetFields`.
        Some(Subresource::Status) if resource.custom.is_some() => excluded(&[&["metadata"], &["spec"]]),
        Some(Subresource::Status | Subresource::Approval) => excluded(&[&["spec"]]),
        Some(Subresource::EphemeralContainers) => {
            Some(Filter::Include(SetMatcher::prefix(&[Some(field("spec")), Some(field("ephemeralContainers"))])))
        }
        Some(Subresource::Resize) => {
            let of = |list: &str, name: &str| [Some(field("spec")), Some(field(list)), None, Some(field(name))];
            let [first, rest @ ..] = [
                of("containers", "resources"),
                of("containers", "resizePolicy"),
                of("initContainers", "resources"),
                of("initContainers", "resizePolicy"),
            ];
            let first = SetMatcher::prefix(&first);
            Some(Filter::Include(rest.iter().fold(first, |all, path| all.or(SetMatcher::prefix(path)))))
        }
        _ => None,
    }
}

/// Gives the new state its entries. If it differs from the old one in nothing but their times, it keeps those: a write that
/// changes nothing is none. Upstream: `IgnoreManagedFieldsTimestampsTransformer`.
pub(super) fn set_entries(current: &Opened, new: &mut Value, entries: Value) {
    if entries.is_null() {
        return;
    }
    let old = &current.value["metadata"];
    if same_but_times(&old["managedFields"], &entries) {
        new["metadata"]["managedFields"] = old["managedFields"].clone();
        let version = std::mem::replace(&mut new["metadata"]["resourceVersion"], old["resourceVersion"].clone());
        let same = *new == current.value;
        new["metadata"]["resourceVersion"] = version;
        if same {
            return;
        }
    }
    new["metadata"]["managedFields"] = json!(entries);
}
