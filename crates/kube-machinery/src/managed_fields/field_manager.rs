//! Maintains `metadata.managedFields` on every write of an object, and applies configurations (server-side apply). An
//! entry in `managedFields` says which fields a manager, a client such as `kubectl`, owns. The rules are in `merge.rs`;
//! this file adds what the API server does around them: special managers, and fields that have no owner. `cap.rs`
//! limits the entries, and `last_applied.rs` handles the annotation of client-side `kubectl apply`.
//!
//! Upstream: the managers in `managedfields/internal` of `k8s.io/apimachinery`. They wrap each other; here each is a
//! function.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::cap::capped;
use super::entries::{APPLY, Identifier, Managed, UPDATE, is_reset};
use super::fieldpath::{Filter, Path, PathElement, Set};
use super::last_applied::{LAST_APPLIED, keep_last_applied};
use super::merge::{Conflict, Converter, Force, ManagedFields, Refusal, Updater, VersionedSet};
use super::typed::{Duplicates, Type, TypedValue};
use crate::value::{Value, json};

/// The manager of the fields that an object had before the first apply.
const BEFORE_FIRST_APPLY: &str = "before-first-apply";

/// The manager of the fields that client-side `kubectl apply` has written. Upstream: `FieldManagerClientSideApply` of
/// kubectl.
const CLIENT_SIDE_APPLY: &str = "kubectl-client-side-apply";

/// The temporary manager of the fields that the current write changes.
const CURRENT: &str = "current-operation";

/// The manager of `kubectl apply --server-side`. It takes over fields that client-side `kubectl apply` has written,
/// and keeps the annotation up to date.
const KUBECTL: &str = "kubectl";

/// The fields that have no owner. Upstream: `stripMetaManager`.
static STRIPPED: LazyLock<Set> = LazyLock::new(|| {
    const METADATA: [&str; 9] = [
        "name",
        "namespace",
        "creationTimestamp",
        "selfLink",
        "uid",
        "clusterName",
        "generation",
        "managedFields",
        "resourceVersion",
    ];
    let in_metadata = METADATA.map(|field| fields(&["metadata", field]));
    Set::of([fields(&["apiVersion"]), fields(&["kind"]), fields(&["metadata"])].into_iter().chain(in_metadata))
});

/// Returns the path to a field below structs.
pub fn fields(names: &[&str]) -> Path {
    Path(names.iter().map(|name| PathElement::FieldName((*name).to_owned())).collect())
}

/// A write to an object, with all that is needed to compute the owners of its fields.
#[derive(Debug)]
pub struct FieldManager<'a> {
    /// The manager's name; empty if it is unknown.
    pub manager: &'a str,
    /// The version and the kind of the form that the objects are in.
    pub api_version: String,
    pub kind: &'a str,
    pub of: Type,
    /// The subresource that is written; empty for the object itself.
    pub subresource: &'a str,
    /// The fields that such a write never changes, even if they are sent. Upstream: `resetFields`.
    pub reset: Option<Filter>,
    pub tracked: Tracked,
    /// The most entries of the object with the operation `Update`.
    pub most_update_managers: usize,
    /// The empty object of the kind, as Go encodes it: a new object is compared with it.
    pub blank: Value,
    /// The error of a first apply to a kind whose existing fields cannot be given an owner.
    pub why_no_first_apply: Option<&'static str>,
    /// The current time in RFC 3339.
    pub now: String,
    pub converter: Box<dyn Converter>,
}

/// The moment from which the fields of an object are tracked. Upstream: the probability of
/// `NewProbabilisticSkipNonAppliedManager`, 1 or 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tracked {
    FromCreation,
    FromFirstApply,
}

#[derive(Debug)]
pub enum NotApplied {
    BadRequest(String),
    /// Other managers own fields with other values: the message, and for each conflict its text and the path of the
    /// field.
    Conflicts(String, Vec<(String, String)>),
    Other(String),
}

impl FieldManager<'_> {
    /// Returns the `managedFields` after a create, an update or a patch. `live` is `None` for a new object; `sent`
    /// are the entries in the request. If the objects do not fit their type, the entries stay as they are. Upstream:
    /// `UpdateNoErrors`.
    pub fn update(&self, live: Option<&Value>, new: &Value, sent: &Value) -> Value {
        let live = live.unwrap_or(&self.blank);
        self.try_update(live, new, sent).unwrap_or_else(|_| live["metadata"]["managedFields"].clone())
    }

    /// As [`update`](Self::update), but returns errors. `live` is the existing object or the blank one; only an
    /// existing object has a uid.
    ///
    /// # Errors
    /// If the objects do not fit their type.
    pub(super) fn try_update(&self, live: &Value, new: &Value, sent: &Value) -> Result<Value, Refusal> {
        let managed = self.decode_live_or_new(&live["metadata"]["managedFields"], sent);
        let exists = live["metadata"]["uid"].as_str().is_some_and(|uid| !uid.is_empty());
        if managed.fields.is_empty() && (exists || self.tracked == Tracked::FromFirstApply) {
            return Ok(Value::Null); // this object's fields are not tracked yet
        }
        Ok(self.updated(live, new, managed, self.manager)?.encode())
    }

    /// Returns the ownership before a write: that of the request if the request has valid entries, and otherwise the
    /// kept one. Upstream: `decodeLiveOrNew`.
    fn decode_live_or_new(&self, kept: &Value, sent: &Value) -> Managed {
        if self.subresource.is_empty() {
            if is_reset(sent) {
                return Managed::default();
            }
            if let Ok(managed) = Managed::decode(sent)
                && !managed.fields.is_empty()
            {
                return managed;
            }
        }
        Managed::decode(kept).unwrap_or_default()
    }

    /// Returns the ownership after an update by this manager. Upstream: `managedFieldsUpdater.Update`,
    /// `capManagersManager.Update`.
    fn updated(&self, live: &Value, new: &Value, managed: Managed, manager: &str) -> Result<Managed, Refusal> {
        let Managed { fields, mut times } = managed;
        let (live, new) = (self.typed(live, Duplicates::Allowed), self.typed(new, Duplicates::Allowed));
        let (live, new) = (live.map_err(Refusal::Other)?, new.map_err(Refusal::Other)?);
        let fields = self.with_updater(|updater| updater.update(&live, &new, &self.api_version, fields, CURRENT));
        let mut fields = stripped(fields?, CURRENT);
        if let Some(mut owned) = fields.remove(CURRENT) {
            let name = self.identifier(manager, UPDATE);
            if let Some(before) = fields.get(&name) {
                owned.set = owned.set.union(&before.set);
            }
            fields.insert(name.clone(), owned);
            times.insert(name, self.now.clone());
        }
        Ok(capped(Managed { fields, times }, self.most_update_managers))
    }

    /// Returns the object with a configuration applied, including its `managedFields`. `live` is `None` if the object
    /// does not exist yet.
    ///
    /// # Errors
    /// Conflicts, or the reason why the configuration cannot be applied.
    pub fn apply(&self, live: Option<&Value>, config: &Value, force: Force) -> Result<Value, NotApplied> {
        let kept = live.map_or(&Value::Null, |live| &live["metadata"]["managedFields"]);
        let managed = Managed::decode(kept)
            .map_err(|why| NotApplied::Other(format!("failed to decode managed fields: {why}")))?;
        self.check(config)?;
        let live = live.unwrap_or(&self.blank);
        let no_manager = |why| NotApplied::Other(format!("failed to create manager for existing fields: {why}"));
        let managed = match self.why_no_first_apply {
            _ if !managed.fields.is_empty() => managed,
            Some(why) => return Err(no_manager(why.to_owned())),
            None => self.before_first_apply(live, managed).map_err(|refusal| match refusal {
                Refusal::Other(why) => no_manager(why),
                Refusal::Conflicts(conflicts) => conflict_error(&conflicts),
            })?,
        };
        let (mut object, managed) = self.upgraded(live, config, managed, force)?;
        if self.manager == KUBECTL {
            keep_last_applied(&mut object, config);
        }
        if let Some(fields) = object.as_object_mut() {
            fields.remove("kind");
            fields.remove("apiVersion");
        }
        let entries = managed.encode();
        if !entries.is_null() {
            object["metadata"]["managedFields"] = entries;
        }
        Ok(object)
    }

    /// Gives owners to the fields of an object at its first apply. Upstream: `skipNonAppliedManager.Apply`, which has
    /// one owner for all.
    ///
    /// The fields that client-side `kubectl apply` wrote get a manager of their own, as if fields had been tracked
    /// from the creation on. `kubectl apply --server-side` takes over all fields of the manager that owns its
    /// annotation, and removes those that its configuration does not name, so that manager must not own anything
    /// else.
    fn before_first_apply(&self, live: &Value, managed: Managed) -> Result<Managed, Refusal> {
        let mut managed = self.updated(&self.blank, live, managed, BEFORE_FIRST_APPLY)?;
        if self.tracked == Tracked::FromCreation || !self.subresource.is_empty() {
            return Ok(managed);
        }
        let [before, client] = [BEFORE_FIRST_APPLY, CLIENT_SIDE_APPLY].map(|manager| self.identifier(manager, UPDATE));
        let Some(all) = managed.fields.remove(&before) else { return Ok(managed) };
        let annotation = Set::of([fields(&["metadata", "annotations", LAST_APPLIED])]);
        let written = self.last_applied(live).unwrap_or_default().union(&annotation);
        for (manager, set) in [(before, all.set.difference(&written)), (client, all.set.intersection(&written))] {
            if !set.is_empty() {
                managed.times.insert(manager.clone(), self.now.clone());
                managed.fields.insert(manager, VersionedSet { set, ..all.clone() });
            }
        }
        Ok(managed)
    }

    /// Checks kind, version and `managedFields` of a configuration. Upstream: `versionCheckManager`,
    /// `structuredMergeManager.Apply`.
    fn check(&self, config: &Value) -> Result<(), NotApplied> {
        let field = |name: &str| config[name].as_str().unwrap_or_default();
        let (api_version, kind) = (field("apiVersion"), field("kind"));
        if (api_version, kind) != (&*self.api_version, self.kind) {
            return Err(NotApplied::BadRequest(format!("invalid object type: {}", gvk(api_version, kind))));
        }
        // Any other value of the field is reported later, like other fields of a wrong type. Upstream:
        // `Unstructured.GetManagedFields`.
        match &config["metadata"]["managedFields"] {
            Value::Array(entries) if entries.iter().all(Value::is_object) => {
                Err(NotApplied::BadRequest("metadata.managedFields must be nil".to_owned()))
            }
            _ => Ok(()),
        }
    }

    /// Applies a configuration. kubectl may override conflicts about fields that client-side `kubectl apply` wrote, so
    /// a user can upgrade to `kubectl apply --server-side`. Upstream: `lastAppliedManager.Apply`.
    fn upgraded(
        &self,
        live: &Value,
        config: &Value,
        managed: Managed,
        force: Force,
    ) -> Result<(Value, Managed), NotApplied> {
        let conflicts = match self.merged(live, config, managed.clone(), force) {
            Err(Refusal::Conflicts(conflicts)) => conflicts,
            Err(Refusal::Other(why)) => return Err(NotApplied::Other(why)),
            Ok(applied) => return Ok(applied),
        };
        let allowed = if self.manager == KUBECTL { self.last_applied(live) } else { None };
        let Some(allowed) = allowed else { return Err(conflict_error(&conflicts)) };
        let conflicts: Vec<_> = conflicts.into_iter().filter(|conflict| !allowed.has(&conflict.path.0)).collect();
        if !conflicts.is_empty() {
            return Err(conflict_error(&conflicts));
        }
        self.merged(live, config, managed, Force::Yes).map_err(|refusal| match refusal {
            Refusal::Conflicts(conflicts) => conflict_error(&conflicts),
            Refusal::Other(why) => NotApplied::Other(why),
        })
    }

    /// Upstream: `managedFieldsUpdater.Apply` around `structuredMergeManager.Apply`.
    fn merged(
        &self,
        live: &Value,
        config: &Value,
        managed: Managed,
        force: Force,
    ) -> Result<(Value, Managed), Refusal> {
        let Managed { fields, mut times } = managed;
        let refused = |what: &str, object: &Value, why: String| {
            Refusal::Other(format!("failed to create typed {what} object ({}): {why}", self.id(object)))
        };
        let patch = self.typed(config, Duplicates::Refused).map_err(|why| refused("patch", config, why))?;
        let live = self.typed(live, Duplicates::Allowed).map_err(|why| refused("live", live, why))?;
        let name = self.identifier(self.manager, APPLY);
        let (object, fields) =
            self.with_updater(|updater| updater.apply(&live, &patch, &self.api_version, fields, &name, force))?;
        let fields = stripped(fields, &name);
        if object.is_some() {
            times.insert(name, self.now.clone());
        }
        let object = object.unwrap_or(live);
        Ok((object.value, Managed { fields, times }))
    }

    /// Returns an object of the kind as a typed value, without its entries.
    pub(super) fn typed(&self, object: &Value, duplicates: Duplicates) -> Result<TypedValue, String> {
        let mut object = object.clone();
        if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut)
            && metadata.get("managedFields").is_some_and(Value::is_array)
        {
            metadata.remove("managedFields"); // any other value is reported like other fields of a wrong type
        }
        if let Some(fields) = object.as_object_mut() {
            fields.insert("apiVersion".into(), json!(self.api_version));
            fields.insert("kind".into(), json!(self.kind));
        }
        TypedValue::new(object, self.of.clone(), duplicates).map_err(|faults| faults.to_string())
    }

    /// Calls `act` with an [`Updater`], which has the rules of ownership, for a write of this kind.
    fn with_updater<T>(&self, act: impl FnOnce(&Updater<'_>) -> T) -> T {
        let reset = self.reset.clone().map(|filter| (self.api_version.clone(), filter));
        act(&Updater { converter: &*self.converter, ignore: BTreeMap::from_iter(reset) })
    }

    /// Returns the identity of a manager, which is its key in the ownership.
    fn identifier(&self, manager: &str, operation: &str) -> String {
        let manager = if manager.is_empty() { "unknown" } else { manager };
        let api_version = if operation == APPLY { "" } else { &*self.api_version };
        let identifier = Identifier {
            manager: manager.to_owned(),
            operation: operation.to_owned(),
            api_version: api_version.to_owned(),
            subresource: self.subresource.to_owned(),
            ..Identifier::default()
        };
        identifier.text()
    }

    /// Returns the message about an object that does not fit its type after an apply of this configuration.
    pub fn not_converted(&self, config: &Value, why: &str) -> String {
        let (object, kind) = (self.id(config), gvk(&self.api_version, self.kind));
        format!(
            "failed to convert new object ({object}) to proper version: unable to convert unstructured object to {kind}: {why}"
        )
    }

    /// Returns the name of an object in upstream's messages. Upstream: `objectGVKNN`.
    fn id(&self, object: &Value) -> String {
        let field = |name: &str| object["metadata"][name].as_str().unwrap_or_default();
        format!("{}/{}; {}", field("namespace"), field("name"), gvk(&self.api_version, self.kind))
    }
}

/// Returns Go's text of a `GroupVersionKind`.
fn gvk(api_version: &str, kind: &str) -> String {
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    format!("{group}/{version}, Kind={kind}")
}

/// Removes the fields that can have no owner from the fields of a manager.
fn stripped(mut managers: ManagedFields, manager: &str) -> ManagedFields {
    if let Some(mut owned) = managers.remove(manager) {
        owned.set = owned.set.difference(&STRIPPED);
        if !owned.set.is_empty() {
            managers.insert(manager.to_owned(), owned);
        }
    }
    managers
}

/// Upstream: `NewConflictError`.
pub(super) fn conflict_error(conflicts: &[Conflict]) -> NotApplied {
    let causes = conflicts
        .iter()
        .map(|conflict| (format!("conflict with {}", print_manager(&conflict.manager)), conflict.path.to_string()));
    let message = match conflicts {
        [only] => {
            format!("Apply failed with 1 conflict: conflict with {}: {}", print_manager(&only.manager), only.path)
        }
        _ => {
            let mut by_manager: BTreeMap<&str, Vec<String>> = BTreeMap::new();
            for conflict in conflicts {
                by_manager.entry(&conflict.manager).or_default().push(format!("- {}", conflict.path));
            }
            let of_manager = |(manager, paths): (&str, Vec<String>)| {
                format!("conflicts with {}:\n{}", print_manager(manager), paths.join("\n"))
            };
            let parts: Vec<String> = by_manager.into_iter().map(of_manager).collect();
            format!("Apply failed with {} conflicts: {}", conflicts.len(), parts.join("\n"))
        }
    };
    NotApplied::Conflicts(message, causes.collect())
}

/// Upstream: `printManager`.
fn print_manager(manager: &str) -> String {
    let Identifier { manager, operation, api_version, subresource, time } = Identifier::read(manager);
    let mut text = crate::conventions::quote::quote(&manager);
    if !subresource.is_empty() {
        text.push_str(&format!(" with subresource {}", crate::conventions::quote::quote(&subresource)));
    }
    if operation == UPDATE {
        text.push_str(&format!(" using {api_version}"));
    }
    if !time.is_empty() {
        text.push_str(&format!(" at {time}"));
    }
    text
}
