//! The plugin `Priority`: gives each pod the priority of its class, and allows one class for pods that name none.

use super::{WriteAttributes, name_of};
use crate::http::status::ApiError;
use crate::store::Store;
use crate::store::filter::Filter;
use crate::store::object::Key;
use crate::verbs::list::everything;
use kube_machinery::conventions::edit::object;
use kube_machinery::kinds::{PODS, PRIORITY_CLASSES};
use kube_machinery::value::{Value, json};

const DEFAULT_PREEMPTION: &str = "PreemptLowerPriority";

/// The values that a priority class gives to its pods.
struct Class {
    name: String,
    value: i64,
    /// The preemption policy.
    policy: String,
}

impl Class {
    fn of(object: &Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let value = object["value"].as_i64().unwrap_or_default();
        Self { name: text(&object["metadata"]["name"]), value, policy: text(&object["preemptionPolicy"]) }
    }

    /// Returns the priority class with this name.
    fn named(store: &Store, name: &str) -> Result<Option<Self>, ApiError> {
        let found = store.get(PRIORITY_CLASSES, &Key::new(None, name));
        found.map(|class| Ok(Self::of(&class.open()?.value))).transpose()
    }

    /// Returns the priority class of pods that name none. If there are several default classes, the one with the least
    /// value counts. Upstream: `getDefaultPriorityClass`.
    fn by_default(store: &Store) -> Result<Self, ApiError> {
        let mut least: Option<Self> = None;
        for class in everything(store, PRIORITY_CLASSES, &Filter::default()).objects {
            let class = class.open()?;
            let value = class.value["value"].as_i64().unwrap_or_default();
            if class.value["globalDefault"] == true && least.as_ref().is_none_or(|least| value < least.value) {
                least = Some(Self::of(&class.value));
            }
        }
        Ok(least.unwrap_or_else(|| Self { name: String::new(), value: 0, policy: DEFAULT_PREEMPTION.to_owned() }))
    }
}

/// Sets the priority and the preemption policy of a new pod to those of its class. Refuses a class that does not exist,
/// and a priority that differs from the class. Upstream: `admitPod`.
pub(super) fn admit(write: &WriteAttributes<'_>, pod: &mut Value) -> Result<(), ApiError> {
    let (store, name) = (write.store, name_of(&pod["metadata"]));
    let spec = object(&mut pod["spec"]);
    let requested = spec.get("priorityClassName").and_then(Value::as_str).unwrap_or_default().to_owned();
    let class = match requested.as_str() {
        "" => Class::by_default(store)?,
        class => Class::named(store, class)?.ok_or_else(|| {
            ApiError::forbidden(PODS, &name, &format!("no PriorityClass with name {class} was found"))
        })?,
    };
    let (computed, policy) = (class.value, class.policy);
    if let Some(given) = spec.get("priority").and_then(Value::as_i64).filter(|given| *given != computed) {
        let why = format!(
            "the integer value of priority ({given}) must not be provided in pod spec; priority admission controller computed \
             {computed} from the given PriorityClass name"
        );
        return Err(ApiError::forbidden(PODS, &name, &why));
    }
    if let Some(given) = spec.get("preemptionPolicy").and_then(Value::as_str).filter(|given| *given != policy) {
        let why = format!(
            "the string value of PreemptionPolicy ({given}) must not be provided in pod spec; priority admission controller \
             computed {policy} from the given PriorityClass name"
        );
        return Err(ApiError::forbidden(PODS, &name, &why));
    }
    if !class.name.is_empty() {
        spec.insert("priorityClassName".into(), json!(class.name));
    }
    spec.insert("priority".into(), json!(computed));
    spec.insert("preemptionPolicy".into(), json!(policy));
    Ok(())
}

/// Refuses a second class for pods that name none. Upstream: `validatePriorityClass`.
pub(super) fn validate(write: &WriteAttributes<'_>, class: &Value) -> Result<(), ApiError> {
    if class["globalDefault"] != true {
        return Ok(());
    }
    let default = Class::by_default(write.store)?.name;
    let is_itself = write.old.is_some() && class["metadata"]["name"] == default;
    if default.is_empty() || is_itself {
        return Ok(());
    }
    let why = format!("PriorityClass {default} is already marked as default. Only one default can exist");
    Err(write.forbidden(class, &why))
}

/// Keeps the priority and the preemption policy of a pod in an update that leaves them out.
pub(super) fn admit_update(old: &Value, pod: &mut Value) {
    let (old, new) = (&old["spec"], object(&mut pod["spec"]));
    for field in ["priority", "preemptionPolicy"] {
        if !old[field].is_null() && new.get(field).is_none_or(Value::is_null) {
            new.insert(field.into(), old[field].clone());
        }
    }
}
