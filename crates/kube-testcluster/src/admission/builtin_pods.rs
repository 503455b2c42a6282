//! The built-in admission plugins that complete pods before they are stored: `ServiceAccount`, `Priority` and
//! `DefaultTolerationSeconds`, upstream in `plugin/pkg/admission`. `create.rs` and `update.rs` call them for objects
//! of all kinds; they change only pods.
//!
//! Unlike upstream, `ServiceAccount` adds no volume with a token.

use std::time::Duration;

use super::builtin::name_of;
use crate::http::request_info::Target;
use crate::http::status::ApiError;
use crate::settings::Admission;
use crate::store::Store;
use crate::store::filter::Filter;
use crate::store::object::{Key, Opened};
use crate::verbs::list::everything;
use kube_machinery::conventions::edit::object;
use kube_machinery::kinds::{PODS, PRIORITY_CLASSES, SERVICE_ACCOUNTS, Subresource};
use kube_machinery::value::{Map, Value, json};

/// The service account of pods that name none. Upstream: `DefaultServiceAccountName`.
pub(crate) const DEFAULT_ACCOUNT: &str = "default";

/// The number of attempts to find the default account, and the pause between them. A controller may be about to create
/// the account. Upstream: `getServiceAccount`.
const TRIES: usize = 10;
const BETWEEN_TRIES: Duration = Duration::from_millis(100);

/// The annotation of a mirror pod, the API object of a static pod, which a kubelet has read from a file. Such a pod has
/// no service account.
const MIRROR: &str = "kubernetes.io/config.mirror";

/// The priority classes that exist in every cluster, and their values.
const SYSTEM_CLASSES: [(&str, i64); 2] =
    [("system-cluster-critical", 2_000_000_000), ("system-node-critical", 2_000_001_000)];
const DEFAULT_PREEMPTION: &str = "PreemptLowerPriority";

/// The taints of a node that pods tolerate for a while by default.
const TOLERATED: [&str; 2] = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];
const TOLERATION_SECONDS: i64 = 300;

/// Completes a new pod. Refuses a service account or a priority class that does not exist, and a priority that differs
/// from its class.
pub(crate) async fn admit_new(store: &Store, target: &Target, pod: &mut Value) -> Result<(), ApiError> {
    if target.resource != PODS || store.settings.admission == Admission::Plain {
        return Ok(());
    }
    let namespace = target.namespace.as_deref().unwrap_or_default();
    let name = name_of(&pod["metadata"]);
    // Without controllers, there are no service accounts.
    if store.settings.makes_accounts() && pod["metadata"]["annotations"][MIRROR].is_null() {
        set_account(store, namespace, &name, object(&mut pod["spec"])).await?;
    }
    let spec = object(&mut pod["spec"]);
    set_priority(store, &name, spec)?;
    set_tolerations(spec);
    Ok(())
}

/// Keeps the fields that admission has set on a pod and that an update leaves out.
pub(crate) fn admit_update(store: &Store, pod: &Opened, subresource: Option<Subresource>, new: &mut Value) {
    if pod.resource != PODS || subresource.is_some() || store.settings.admission == Admission::Plain {
        return;
    }
    let (old, new) = (&pod.value["spec"], object(&mut new["spec"]));
    for field in ["priority", "preemptionPolicy"] {
        if !old[field].is_null() && new.get(field).is_none_or(Value::is_null) {
            new.insert(field.into(), old[field].clone());
        }
    }
    let had = |key: &str| old["tolerations"].as_array().is_some_and(|all| all.contains(&toleration(key)));
    add_tolerations(new, TOLERATED.into_iter().filter(|key| had(key)));
}

/// Sets the pod's service account, and takes over the account's image pull secrets.
async fn set_account(store: &Store, namespace: &str, pod: &str, spec: &mut Map) -> Result<(), ApiError> {
    let named = ["serviceAccountName", "serviceAccount"]; // the second is the deprecated name of the first
    let given = named.iter().filter_map(|field| spec.get(field)?.as_str()).find(|name| !name.is_empty());
    let account = given.unwrap_or(DEFAULT_ACCOUNT).to_owned();
    for field in named {
        spec.insert(field.into(), json!(account));
    }
    let key = Key::new(Some(namespace), &account);
    let tries = if account == DEFAULT_ACCOUNT { TRIES } else { 1 };
    for n in 0..tries {
        if n > 0 {
            tokio::time::sleep(BETWEEN_TRIES).await;
        }
        let Some(found) = store.get(SERVICE_ACCOUNTS, &key) else { continue };
        let opened = found.open()?;
        let secrets = &opened.value["imagePullSecrets"];
        let has_own = spec.get("imagePullSecrets").and_then(Value::as_array).is_some_and(|own| !own.is_empty());
        if secrets.is_array() && !has_own {
            spec.insert("imagePullSecrets".into(), secrets.clone());
        }
        return Ok(());
    }
    let why = format!("error looking up service account {namespace}/{account}: serviceaccount {account:?} not found");
    Err(ApiError::forbidden(PODS, pod, &why))
}

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

    /// Returns the priority class with this name: one of the two system classes, or one that was created.
    fn named(store: &Store, name: &str) -> Result<Option<Self>, ApiError> {
        let of_the_system = SYSTEM_CLASSES.iter().find(|(known, _)| *known == name);
        if let Some((name, value)) = of_the_system {
            return Ok(Some(Self { name: (*name).to_owned(), value: *value, policy: DEFAULT_PREEMPTION.to_owned() }));
        }
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

/// Sets the pod's priority and preemption policy to those of its class. Upstream: `admitPod` of the plugin `Priority`.
fn set_priority(store: &Store, pod: &str, spec: &mut Map) -> Result<(), ApiError> {
    let requested = spec.get("priorityClassName").and_then(Value::as_str).unwrap_or_default().to_owned();
    let class = match requested.as_str() {
        "" => Class::by_default(store)?,
        name => Class::named(store, name)?
            .ok_or_else(|| ApiError::forbidden(PODS, pod, &format!("no PriorityClass with name {name} was found")))?,
    };
    let (computed, policy) = (class.value, class.policy);
    if let Some(given) = spec.get("priority").and_then(Value::as_i64).filter(|given| *given != computed) {
        let why = format!(
            "the integer value of priority ({given}) must not be provided in pod spec; priority admission controller computed \
             {computed} from the given PriorityClass name"
        );
        return Err(ApiError::forbidden(PODS, pod, &why));
    }
    if let Some(given) = spec.get("preemptionPolicy").and_then(Value::as_str).filter(|given| *given != policy) {
        let why = format!(
            "the string value of PreemptionPolicy ({given}) must not be provided in pod spec; priority admission controller \
             computed {policy} from the given PriorityClass name"
        );
        return Err(ApiError::forbidden(PODS, pod, &why));
    }
    if !class.name.is_empty() {
        spec.insert("priorityClassName".into(), json!(class.name));
    }
    spec.insert("priority".into(), json!(computed));
    spec.insert("preemptionPolicy".into(), json!(policy));
    Ok(())
}

fn set_tolerations(spec: &mut Map) {
    add_tolerations(spec, TOLERATED.into_iter());
}

/// Adds a toleration for each taint that the pod does not tolerate already. A toleration without a key or an effect
/// tolerates any.
fn add_tolerations<'a>(spec: &mut Map, keys: impl Iterator<Item = &'a str>) {
    for key in keys {
        let Value::Array(tolerations) = spec.entry("tolerations").or_insert_with(|| json!([])) else { return };
        let tolerates = |one: &Value| {
            let is = |field: &str, wanted: &str| {
                matches!(one[field].as_str().unwrap_or_default(), "") || one[field] == wanted
            };
            is("key", key) && is("effect", "NoExecute")
        };
        if !tolerations.iter().any(tolerates) {
            tolerations.push(toleration(key));
        }
    }
}

fn toleration(key: &str) -> Value {
    json!({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": TOLERATION_SECONDS})
}
