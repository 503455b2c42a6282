//! POST to a collection: creates an object. [`Creation`] has the steps in upstream's order (admission, defaults,
//! validation, storage); a PUT or an apply to a missing object runs them too. Components of the cluster create their
//! objects with [`create_own`].

use std::sync::Arc;

use http::StatusCode;

use super::owners::{self, Moment};
use super::ownership::{self, Component, CreatedBy, Writer, set_entries};
use super::{Call, charged, conversion};
use crate::admission::builtin::{WriteAttributes, name_of, namespace_lifecycle, taint_nodes_by_condition};
use crate::admission::{Gate, Reinvoke};
use crate::auth::rbac::escalation::{self, CheckedWrite};
use crate::auth::{Attributes, ResourceAttributes, user_of};
use crate::auth::{certificates, policy_parameters, resource_claims};
use crate::http::answer::Answer;
use crate::http::body::{self, Format};
use crate::http::request_info::Target;
use crate::http::status::ApiError;
use crate::http::write_options::{self, WriteOptions};
use crate::plugins::admit::Operation;
use crate::store::companion::Companion;
use crate::store::object::{Key, Object};
use crate::store::storage::Storage;
use crate::store::{Commit, Store};
use kube_machinery::codec::schema::Decoded;
use kube_machinery::conventions::causes::Causes;
use kube_machinery::conventions::edit::object;
use kube_machinery::kinds::{Change, Generation, Resource, StatusOnCreate, Subresource, note_requester};
use kube_machinery::value::{Map, Value, json};

/// The number of generated names that are tried. The last one is used even if it is taken.
const NAME_TRIES: usize = 8;

/// The longest part of `generateName` that is used, in bytes, so that a name fits into a label. Upstream:
/// `MaxGeneratedNameLength`.
const LONGEST_PREFIX: usize = 58;

pub(crate) async fn create(call: Call) -> Result<Answer, ApiError> {
    let Call { store, target, query, request } = call;
    let user = user_of(request.extensions());
    let format = Format::of(request.headers())?;
    let writer = Writer::of(&query, &request);
    let body = body::read(request).await?;
    let WriteOptions { commit, strictness } = WriteOptions::of_create(&query)?;
    let Decoded { value, mut faults } = format.object(&body, &target.served, strictness)?;
    let mut value = target.served.stored_form_of(value);
    note_requester(&target.resource, &mut value, &user);
    let gate = Gate::of(&store, &target, &user, commit, || write_options::fields(&query));
    let created_by = CreatedBy::Post;
    let creation = Creation { store: &store, target: &target, gate: &gate, commit, writer: &writer, created_by };
    let created = creation.write(value, &mut faults).await;
    faults.extend(gate.warnings());
    let answer = created.map(|object| Answer::object(StatusCode::CREATED, object));
    Ok(Answer::from(answer).with_warnings(faults))
}

/// The creation of an object: its target, its admission gate and its options.
pub(super) struct Creation<'a> {
    pub(super) store: &'a Store,
    pub(super) target: &'a Target,
    pub(super) gate: &'a Gate<'a>,
    pub(super) commit: Commit,
    pub(super) writer: &'a Writer,
    pub(super) created_by: CreatedBy,
}

impl Creation<'_> {
    /// Creates the object of a body. Adds warnings even if the creation fails.
    pub(super) async fn write(&self, mut value: Value, warnings: &mut Vec<String>) -> Result<Arc<Object>, ApiError> {
        let Self { store, target, gate, commit, writer, created_by } = *self;
        if commit == Commit::Really {
            target.resource.replace_null_bytes(&mut value);
        }
        check_namespace(store, target, &mut value)?;
        check_definition(&target.resource, &value)?;
        warnings.extend(owners::deduplicate(&mut value, Moment::BeforeAdmission));
        let entries = ownership::of_new(store, &target.served, target.subresource, &value, writer, created_by);
        let mut value = admit(store, target, gate, value, &entries).await?;
        if !gate.is_open() {
            warnings.extend(owners::deduplicate(&mut value, Moment::AfterAdmission));
        }
        check_grant(target, &value, writer)?;
        let version = value["metadata"]["resourceVersion"].take();
        let (key, mut value) = validated(store, target, value)?;
        check_parameters(store, target, &key, &value, writer)?;
        warnings.extend((target.resource.warnings)(&value, None));
        set_entries(&mut value, entries);
        if target.name.is_some() {
            check_creation_by_name(target, writer)?;
        }
        warnings.extend(creation_of(store, target).validate(&value)?);
        certificates::check_new(writer.caller.as_ref(), &target.resource, &value)?;
        gate.validate(Operation::Create, Some(&value), None).await?;
        self.check_version(&version)?;
        keep_in_dry_run(&mut value, version, commit);
        let generates = value["metadata"]["generateName"].as_str().is_some_and(|prefix| !prefix.is_empty());
        target.resource.drop_empty_lists(&mut value);
        target.resource.normalize_numbers(&mut value);
        self.store(key, value)
            .await
            .map_err(|error| if generates && error.is_already_exists() { error.with_no_unique_name() } else { error })
    }

    /// Stores the object, and charges the quotas of its namespace.
    async fn store(&self, key: Key, value: Value) -> Result<Arc<Object>, ApiError> {
        let Self { store, target, commit, .. } = *self;
        let creation = creation_of(store, target);
        let charges = creation.charges(&value)?;
        if charges.is_empty() {
            let value = conversion::to_stored(store, &target.into(), value).await?;
            return store_new(store, &target.resource, key, value, commit).await;
        }
        let stored = conversion::to_stored(store, &target.into(), value.clone()).await?;
        charged::store_new(creation, key, &stored, commit, charges, || creation.charges(&value)).await
    }

    /// Refuses a resourceVersion in a new object. Upstream's storage does that, after the validation. A dry run does
    /// not reach the storage, and a PUT or an apply may carry a version.
    fn check_version(&self, version: &Value) -> Result<(), ApiError> {
        let is_plain = self.created_by == CreatedBy::Post && self.writer.manager().is_some();
        if is_plain && self.commit == Commit::Really && version.as_str().is_some_and(names_a_version) {
            return Err(ApiError::internal("resourceVersion should not be set on objects to be created"));
        }
        Ok(())
    }
}

/// Refuses a role or binding that grants more rights than its writer has.
fn check_grant(target: &Target, new: &Value, writer: &Writer) -> Result<(), ApiError> {
    let namespace = target.namespace.as_deref().unwrap_or_default();
    let name = target.name.as_deref().unwrap_or_default();
    let grant = CheckedWrite { resource: &target.resource, namespace, name, new, old: None };
    escalation::check(writer.caller.as_ref(), grant)
}

/// Refuses an admission policy whose parameters its writer may not read.
fn check_parameters(store: &Store, target: &Target, key: &Key, new: &Value, writer: &Writer) -> Result<(), ApiError> {
    match policy_parameters::cause(store, writer.caller.as_ref(), &target.resource, new, None) {
        Some(cause) => Err(ApiError::invalid(&target.resource, key.name(), [cause])),
        None => Ok(()),
    }
}

/// Checks that a client that creates an object by a PUT or an apply may also create it. Upstream: `withAuthorization`
/// in `endpoints/handlers/update.go`.
fn check_creation_by_name(target: &Target, writer: &Writer) -> Result<(), ApiError> {
    let Some(caller) = &writer.caller else { return Ok(()) };
    let attributes = ResourceAttributes {
        verb: "create".to_owned(),
        group: target.served.group().to_owned(),
        namespace: target.namespace.clone().unwrap_or_default(),
        resource: target.served.plural().to_owned(),
        subresource: String::new(),
        name: target.name.clone().unwrap_or_default(),
    };
    caller.authorizer.check(&caller.user, &Attributes::Resource(attributes))
}

fn creation_of<'a>(store: &'a Store, target: &'a Target) -> WriteAttributes<'a> {
    WriteAttributes {
        store,
        resource: &target.resource,
        subresource: None,
        namespace: target.namespace.as_deref(),
        old: None,
    }
}

/// Runs the built-in plugins, the program's plugins and the mutating webhooks over a new object.
async fn admit(
    store: &Store,
    target: &Target,
    gate: &Gate<'_>,
    mut value: Value,
    entries: &Value,
) -> Result<Value, ApiError> {
    if !gate.is_open() {
        set_entries(&mut value, entries.clone());
    }
    let mut mutation = gate.mutation(Operation::Create, None);
    loop {
        creation_of(store, target).admit_new(&mut value).await?;
        let (object, reinvoke) = mutation.round(Some(value)).await?;
        value = object.unwrap_or_default();
        if reinvoke == Reinvoke::No {
            return Ok(value);
        }
    }
}

/// Returns true if a resourceVersion counts as set. As upstream, a text that is not a number does not count.
fn names_a_version(text: &str) -> bool {
    text.parse::<u64>().is_ok_and(|version| version != 0)
}

/// Keeps the body's resourceVersion in the response to a dry run, because nothing is stored that would get a new one.
fn keep_in_dry_run(value: &mut Value, version: Value, commit: Commit) {
    if commit == Commit::Pretend && version.as_str().is_some_and(|version| !version.is_empty()) {
        value["metadata"]["resourceVersion"] = version;
    }
}

/// Creates an object that a component of the cluster needs.
pub(crate) async fn create_own(
    component: Component,
    store: &Store,
    resource: &Resource,
    namespace: Option<&str>,
    mut value: Value,
) -> Result<Arc<Object>, ApiError> {
    prepare_own(component, store, resource, namespace, &mut value);
    let key = Key::new(namespace, value["metadata"]["name"].as_str().unwrap_or_default());
    store_new(store, resource, key, value, Commit::Really).await
}

/// Prepares an object that belongs to a component of the cluster, like [`prepare`], and sets its managed fields.
pub(crate) fn prepare_own(
    component: Component,
    store: &Store,
    resource: &Resource,
    namespace: Option<&str>,
    value: &mut Value,
) {
    let entries = ownership::of_new(store, resource, None, value, &Writer::named(component.0), CreatedBy::Post);
    prepare(store, resource, namespace, value);
    set_entries(value, entries);
}

/// Stores a new object, if its namespace still accepts new ones.
async fn store_new(
    store: &Store,
    resource: &Resource,
    key: Key,
    value: Value,
    commit: Commit,
) -> Result<Arc<Object>, ApiError> {
    let admit = |storage: &Storage, _: &[Companion]| namespace_lifecycle(storage, resource, &key);
    store.create(resource, key.clone(), value, commit, admit, Vec::new()).await
}

/// Sets the fields that the server decides, and validates the new object. Returns its key and the object. Upstream:
/// `BeforeCreate`.
fn validated(store: &Store, target: &Target, mut value: Value) -> Result<(Key, Value), ApiError> {
    let resource = &target.resource;
    taint_nodes_by_condition(resource, &mut value);
    if resource.subresources().contains(&Subresource::Status)
        && resource.strategy.status_on_create == StatusOnCreate::Reset
    {
        resource.reset_status(object(&mut value));
    }
    prepare(store, resource, target.namespace.as_deref(), &mut value);
    let name = value["metadata"]["name"].as_str().unwrap_or_default().to_owned();
    let mut causes: Causes =
        resource_claims::cause_of_new(store, resource, target.namespace.as_deref(), &value).into_iter().collect();
    causes.extend(target.served.causes_of_new(&value));
    if !causes.is_empty() {
        return Err(ApiError::invalid(resource, &name, causes));
    }
    (resource.canonicalize)(&mut value);
    Ok((Key::new(target.namespace.as_deref(), &name), value))
}

/// Refuses a custom resource whose definition is being deleted. Upstream: `forbidCreateAdmission`.
fn check_definition(resource: &Resource, value: &Value) -> Result<(), ApiError> {
    if !resource.is_terminating() {
        return Ok(());
    }
    let why = "create not allowed while custom resource definition is terminating";
    Err(ApiError::forbidden(resource, value["metadata"]["name"].as_str().unwrap_or_default(), why))
}

/// Checks that the body's namespace is the one in the path, and that the namespace accepts new objects. The second
/// check comes here before the rest of admission, and again when the object is stored.
fn check_namespace(store: &Store, target: &Target, value: &mut Value) -> Result<(), ApiError> {
    if target.namespace.is_some() {
        body::check_namespace(value, target.namespace.as_deref())?;
    }
    let metadata = object(&mut value["metadata"]);
    let Some(namespace) = &target.namespace else {
        metadata.remove("namespace");
        return Ok(());
    };
    metadata.insert("namespace".into(), json!(namespace));
    let key = Key::new(Some(namespace), &name_of(&value["metadata"]));
    namespace_lifecycle(&store.lock().storage, &target.resource, &key)
}

/// Sets the fields of a new object that the server decides: generated name, uid, timestamps, generation, defaults.
pub(crate) fn prepare(store: &Store, resource: &Resource, namespace: Option<&str>, value: &mut Value) {
    const DECIDED_HERE: [&str; 5] =
        ["resourceVersion", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "managedFields"];
    let metadata = object(&mut value["metadata"]);
    for field in DECIDED_HERE {
        metadata.remove(field);
    }
    (resource.defaults)(value);
    let metadata = object(&mut value["metadata"]);
    generate_name(store, resource, namespace, metadata);
    metadata.insert("uid".into(), json!(store.random().uid()));
    let now = store.clock.now();
    metadata.insert("creationTimestamp".into(), json!(now));
    if !matches!(resource.generation, Generation::Absent | Generation::CountedFromUpdate) {
        metadata.insert("generation".into(), json!(1));
    }
    (resource.prepare)(
        value,
        &Change { old: None, subresource: None, has_controllers: store.settings.holds_namespaces(), now: &now },
    );
}

/// Sets the name from `generateName`, with a random suffix. Tries not to hit an existing name.
fn generate_name(store: &Store, resource: &Resource, namespace: Option<&str>, metadata: &mut Map) {
    let text = |field: &str| metadata.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
    let prefix = text("generateName");
    if !text("name").is_empty() || prefix.is_empty() {
        return;
    }
    if !resource.generates_names() {
        metadata.insert("name".into(), json!(prefix));
        return;
    }
    let cut = (0..=LONGEST_PREFIX.min(prefix.len())).rev().find(|end| prefix.is_char_boundary(*end));
    let prefix = &prefix[..cut.unwrap_or_default()];
    for _ in 0..NAME_TRIES {
        let name = format!("{prefix}{}", store.random().suffix());
        let taken = store.get(resource, &Key::new(namespace, &name)).is_some();
        metadata.insert("name".into(), json!(name));
        if !taken {
            return;
        }
    }
}
