//! DeleteOptions: how an object is deleted.

use axum::extract::Request;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::codec::protobuf;
use crate::codec::schema::json_type;
use crate::http::body;
use crate::http::query::Query;
use crate::http::status::ApiError;
use crate::kinds::metadata::{FOREGROUND, ORPHAN};
use crate::machinery::cause::Cause;
use crate::store::Commit;
use crate::store::object::{Object, Opened};

/// `metav1.DeleteOptions`, from the body or, if that is empty, from the query.
#[derive(Clone, Debug)]
pub(crate) struct DeleteOptions {
    grace_period_seconds: Option<i64>,
    uid: Option<String>,
    resource_version: Option<String>,
    policy: Option<Policy>,
    pub(crate) commit: Commit,
}

/// What happens to the dependents of the deleted object: `propagationPolicy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Policy {
    Background,
    Foreground,
    Orphan,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct RawOptions {
    kind: String,
    api_version: String,
    grace_period_seconds: Option<i64>,
    preconditions: Preconditions,
    propagation_policy: Option<String>,
    orphan_dependents: Option<bool>,
    dry_run: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Preconditions {
    uid: Option<String>,
    resource_version: Option<String>,
}

impl DeleteOptions {
    pub(crate) async fn read(request: Request, query: &Query) -> Result<Self, ApiError> {
        let body = body::read(request).await?;
        Self::of_raw(if body.is_empty() { RawOptions::of_query(query)? } else { RawOptions::of_body(&body)? })
    }

    /// The options in an Eviction. A dry run can be asked for in them or in the query.
    pub(crate) fn of_eviction(options: &Value, asked: Commit) -> Result<Self, ApiError> {
        if options.is_null() {
            return Ok(Self::plain(asked));
        }
        let raw = RawOptions::deserialize(options).map_err(|error| ApiError::bad_request(error.to_string()))?;
        let mut options = Self::of_raw(raw)?;
        if asked == Commit::Pretend {
            options.commit = asked;
        }
        Ok(options)
    }

    /// The options after this request itself has changed the object: a precondition on resourceVersion now refers to
    /// the new version.
    pub(crate) fn after(mut self, object: &Object) -> Self {
        if self.resource_version.is_some() {
            self.resource_version = Some(object.revision.to_string());
        }
        self
    }

    fn of_raw(raw: RawOptions) -> Result<Self, ApiError> {
        let dry_run: Vec<&str> = raw.dry_run.iter().map(String::as_str).collect();
        Ok(Self {
            grace_period_seconds: raw.grace_period_seconds,
            policy: raw.policy()?,
            commit: body::commit(&dry_run, "DeleteOptions")?,
            uid: raw.preconditions.uid,
            resource_version: raw.preconditions.resource_version,
        })
    }

    /// The options of a controller's deletion: of the object with this uid, if one is given.
    pub(crate) fn of_controller(uid: Option<String>, policy: Policy) -> Self {
        Self { uid, policy: Some(policy), ..Self::plain(Commit::Really) }
    }

    /// The options of a forced deletion: of the object with this uid, without a grace period.
    pub(crate) fn at_once(uid: String) -> Self {
        Self { grace_period_seconds: Some(0), uid: Some(uid), ..Self::plain(Commit::Really) }
    }

    fn plain(commit: Commit) -> Self {
        Self { grace_period_seconds: None, uid: None, resource_version: None, policy: None, commit }
    }

    /// The grace period in the request; a negative one counts as one second.
    pub(crate) fn period(&self) -> Option<i64> {
        self.grace_period_seconds.map(at_least_one_if_negative)
    }

    /// The grace period of a pod's first deletion: that of the request, else the pod's own. A pod without a node or one
    /// that has ended is deleted at once.
    pub(crate) fn first_period(&self, pod: &Opened) -> i64 {
        let bound = pod.text("/spec/nodeName").is_some_and(|node| !node.is_empty());
        let ended = matches!(pod.text("/status/phase"), Some("Succeeded" | "Failed"));
        if !bound || ended {
            return 0;
        }
        let own = pod.value["spec"]["terminationGracePeriodSeconds"].as_i64().unwrap_or_default();
        at_least_one_if_negative(self.grace_period_seconds.unwrap_or(own))
    }

    /// The object's finalizers after applying the propagation policy.
    pub(crate) fn finalizers(&self, current: &Value) -> Vec<Value> {
        let mut finalizers = current.as_array().cloned().unwrap_or_default();
        let wanted = match self.policy {
            None => return finalizers,
            Some(Policy::Background) => None,
            Some(Policy::Foreground) => Some(FOREGROUND),
            Some(Policy::Orphan) => Some(ORPHAN),
        };
        finalizers
            .retain(|name| Some(name.as_str().unwrap_or_default()) == wanted || (name != ORPHAN && name != FOREGROUND));
        if let Some(wanted) = wanted.filter(|wanted| !finalizers.iter().any(|name| name == wanted)) {
            finalizers.push(wanted.into());
        }
        finalizers
    }

    /// Checks the preconditions.
    pub(crate) fn check(&self, object: &Object) -> Result<(), ApiError> {
        let (resource, name) = (object.resource, object.key.name());
        let uid = &*object.summary.uid;
        if let Some(asked) = self.uid.as_deref().filter(|asked| *asked != uid) {
            let why = format!(
                "the UID in the precondition ({asked}) does not match the UID in record ({uid}). The object might have \
                 been deleted and then recreated"
            );
            return Err(ApiError::conflict(resource, resource.kind, name, why));
        }
        let version = object.revision.to_string();
        if let Some(asked) = self.resource_version.as_deref().filter(|asked| *asked != version) {
            let why = format!(
                "the ResourceVersion in the precondition ({asked}) does not match the ResourceVersion in record \
                 ({version}). The object might have been modified"
            );
            return Err(ApiError::conflict(resource, resource.kind, name, why));
        }
        Ok(())
    }
}

fn unread(error: serde_json::Error) -> ApiError {
    let why = if error.is_eof() { "unexpected end of JSON input".to_owned() } else { error.to_string() };
    ApiError::bad_request(format!("couldn't get version/kind; json parse error: {why}"))
}

fn not_unmarshalled(value: &Value) -> ApiError {
    let found = json_type(value);
    ApiError::bad_request(format!(
        "couldn't get version/kind; json parse error: json: cannot unmarshal {found} into Go value of type struct {{ \
         APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }}"
    ))
}

fn at_least_one_if_negative(period: i64) -> i64 {
    if period < 0 { 1 } else { period }
}

impl RawOptions {
    fn of_query(query: &Query) -> Result<Self, ApiError> {
        Ok(Self {
            grace_period_seconds: query.integer("gracePeriodSeconds")?,
            propagation_policy: query.get("propagationPolicy").map(ToOwned::to_owned),
            orphan_dependents: query.flag("orphanDependents"),
            dry_run: query.all("dryRun").into_iter().map(ToOwned::to_owned).collect(),
            ..Self::default()
        })
    }

    fn of_body(body: &[u8]) -> Result<Self, ApiError> {
        let refused =
            |error: String| ApiError::bad_request(format!("the options of the deletion cannot be read: {error}"));
        let raw = if protobuf::is(body) {
            protobuf::decode(body, "DeleteOptions").map_err(refused)?
        } else {
            // Serde would read an array as a struct's fields in order.
            match serde_json::from_slice(body).map_err(unread)? {
                raw @ Value::Object(_) => raw,
                Value::Null => Value::Object(Map::new()),
                other => return Err(not_unmarshalled(&other)),
            }
        };
        let raw = Self::deserialize(raw).map_err(|error| refused(error.to_string()))?;
        if !matches!(raw.kind.as_str(), "" | "DeleteOptions") {
            return Err(ApiError::bad_request(body::no_kind(&raw.kind, &raw.api_version)));
        }
        Ok(raw)
    }

    fn policy(&self) -> Result<Option<Policy>, ApiError> {
        const FIELD: &str = "propagationPolicy";
        let invalid = |cause| Err(ApiError::invalid_options("DeleteOptions", vec![cause]));
        match (self.propagation_policy.as_deref(), self.orphan_dependents) {
            (Some(policy), Some(_)) => {
                invalid(Cause::invalid(FIELD, policy, "orphanDependents and deletionPropagation cannot be both set"))
            }
            (None, None) => Ok(None),
            (None, Some(orphan)) => Ok(Some(if orphan { Policy::Orphan } else { Policy::Background })),
            (Some("Background"), None) => Ok(Some(Policy::Background)),
            (Some("Foreground"), None) => Ok(Some(Policy::Foreground)),
            (Some("Orphan"), None) => Ok(Some(Policy::Orphan)),
            (Some(other), None) => {
                let supported = ["Foreground", "Background", "Orphan", "nil"];
                invalid(Cause::unsupported(FIELD, &format!("{other:?}"), &supported))
            }
        }
    }
}
