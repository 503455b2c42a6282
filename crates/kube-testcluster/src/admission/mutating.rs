//! The mutating part of admission: calls the embedding program's plugins and the mutating webhooks one after another,
//! and applies their changes to the object.
//!
//! A webhook may change what an earlier one has checked or filled in. So there are up to two rounds: in the second one,
//! the plugins run again, and those webhooks with `reinvocationPolicy: IfNeeded` after whose call the object has
//! changed. Upstream: `admission/plugin/webhook/mutating/dispatcher.go`, `reinvocationcontext.go`, and `reinvoker` in
//! `admission/reinvocation.go`.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::refusal::NotAdmitted;
use super::review::{Phase, ask};
use super::{Attributes, RequestContext, in_process, matching};
use crate::http::json_patch::operate;
use crate::http::status::ApiError;
use crate::plugins::admit::Operation;
use kube_machinery::codec::schema;
use kube_machinery::kinds::Resource;
use kube_machinery::kinds::admission::{Reinvocation, Webhook};
use kube_machinery::value::Value;

/// The need for a second round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reinvoke {
    No,
    /// A webhook has changed the object: the server's plugins run again, then the webhooks that ask for reinvocation.
    Yes,
}

/// The rounds (at most two) in which plugins and webhooks may change an object.
pub(crate) struct Mutation<'a> {
    request: Option<&'a RequestContext<'a>>,
    operation: Operation,
    old: Option<&'a Value>,
    is_second: bool,
    /// The object after the webhooks of the first round.
    output: Option<Value>,
    /// The webhooks (by uid) that ask for reinvocation and were called, with no change of the object since.
    invoked: BTreeSet<String>,
    /// The webhooks that the second round calls again, because the object was changed after their call.
    again: BTreeSet<String>,
}

impl<'a> Mutation<'a> {
    pub(super) fn new(request: Option<&'a RequestContext<'a>>, operation: Operation, old: Option<&'a Value>) -> Self {
        let (invoked, again) = (BTreeSet::new(), BTreeSet::new());
        Self { request, operation, old, is_second: false, output: None, invoked, again }
    }

    /// Runs both rounds, for a write that no built-in plugin of the server changes.
    pub(super) async fn run(&mut self, object: Option<Value>) -> Result<Option<Value>, ApiError> {
        let (object, reinvoke) = self.round(object).await?;
        match reinvoke {
            Reinvoke::No => Ok(object),
            Reinvoke::Yes => Ok(self.round(object).await?.0),
        }
    }

    /// Runs one round. Returns the object, and whether a second round is needed. The caller runs the server's own
    /// plugins before the second round.
    pub(crate) async fn round(&mut self, object: Option<Value>) -> Result<(Option<Value>, Reinvoke), ApiError> {
        let Some(request) = self.request else { return Ok((object, Reinvoke::No)) };
        let object = object.map(|object| Cow::Owned(with_defaults(request, object)));
        let mut attributes = Attributes { request, operation: self.operation, object, old: self.old };
        in_process::admit(&mut attributes)?;
        if self.is_second && attributes.object.as_deref() != self.output.as_ref() {
            self.reinvoke_all(); // a plugin has changed the object after all webhooks of the first round
        }
        let mut reinvoke = Reinvoke::No;
        for hook in request.configuration.iter().flat_map(|configuration| &configuration.mutating) {
            if self.call(hook, &mut attributes).await? {
                reinvoke = Reinvoke::Yes;
            }
        }
        let object = attributes.object.map(Cow::into_owned);
        let is_last = std::mem::replace(&mut self.is_second, true);
        if is_last || reinvoke == Reinvoke::No {
            return Ok((object, Reinvoke::No));
        }
        self.output.clone_from(&object);
        Ok((object, reinvoke))
    }

    /// Calls a webhook if it matches. Returns true if it has changed the object.
    async fn call(&mut self, hook: &Webhook, attributes: &mut Attributes<'_>) -> Result<bool, ApiError> {
        let Some(row) = matching::invocation(hook, attributes)? else { return Ok(false) };
        if self.is_second && !self.again.contains(&hook.uid) {
            return Ok(false);
        }
        let changed = changed_by(hook, attributes, &row).await;
        // Before this webhook counts as invoked, because its own change is no reason to call it again.
        if matches!(changed, Ok(true)) {
            self.reinvoke_all();
        }
        if hook.reinvocation == Reinvocation::IfNeeded {
            self.invoked.insert(hook.uid.clone());
        }
        changed.or_else(|why| why.ignored_by(hook).map(|()| false))
    }

    /// Marks the webhooks in `invoked` for the second round, because the object has changed. Upstream:
    /// `RequireReinvokingPreviouslyInvokedPlugins`.
    fn reinvoke_all(&mut self) {
        self.again.append(&mut self.invoked);
    }
}

/// Calls a webhook, and applies its patch. Returns true if the object has changed.
async fn changed_by(hook: &Webhook, attributes: &mut Attributes<'_>, row: &Resource) -> Result<bool, NotAdmitted> {
    let patch = ask(hook, attributes, row, Phase::Mutating).await?;
    if patch.is_empty() {
        return Ok(false);
    }
    let patch: ::json_patch::Patch = serde_json::from_slice(&patch)
        .map_err(|why| NotAdmitted::Unanswered(format!("received undecodable patch in webhook response: {why}")))?;
    if patch.is_empty() {
        return Ok(false);
    }
    let request = attributes.request;
    let Some(object) = attributes.object.as_deref() else {
        let what = "attempted to modify the object, which is not supported for this operation";
        return Err(ApiError::internal_error(&format!("admission webhook {:?} {what}", hook.name)).into());
    };
    let before = request.versioned(row, object);
    let mut after = before.clone();
    operate(&mut after, &patch).await.map_err(|why| ApiError::internal_error(why.message()))?;
    if after == before {
        return Ok(false);
    }
    let converted = converted_back(request, row, after)?;
    let changed = converted != *object;
    attributes.object = Some(Cow::Owned(converted));
    Ok(changed)
}

/// Converts an object that a plugin or webhook has changed in the version of `row` back to the form that admission
/// uses.
pub(super) fn converted_back(request: &RequestContext<'_>, row: &Resource, object: Value) -> Result<Value, ApiError> {
    let failed = |why: String| ApiError::internal_error(&why);
    if request.has_whole_objects() {
        let shaped = row.decode_value(object).map_err(failed)?;
        let is_other = row.is_unstructured() && *row != request.served;
        let value = if is_other { request.served.coerce(shaped.value) } else { row.stored_form_of(shaped.value) };
        return Ok(with_defaults(request, value));
    }
    let kind = super::attributes::Kind::of(request, row);
    Ok(schema::conform(schema::type_of(kind.kind, &kind.api_version()), object, &Value::Null).map_err(failed)?.value)
}

/// Sets the kind's defaults, because all plugins and webhooks see an object with its defaults.
fn with_defaults(request: &RequestContext<'_>, mut object: Value) -> Value {
    if request.has_whole_objects() {
        (request.served.stored().defaults)(&mut object);
    }
    object
}
