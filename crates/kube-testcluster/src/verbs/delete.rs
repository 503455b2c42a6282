//! DELETE of an object or of a collection. An object goes at once, or is only marked (with a `deletionTimestamp`) and
//! stays until its grace period is over and its last finalizer is removed. Evictions and controllers delete by
//! [`remove`], too.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::StatusCode;

use super::conversion::{self, Conversion};
use super::delete_options::{DeleteOptions, DeleteScope};
use super::list::{Selectors, to_delete};
use super::list_options::ListOptions;
use super::{Call, key, next_state};
use crate::admission::Gate;
use crate::admission::builtin::immortal_namespaces;
use crate::auth::user_of;
use crate::http::answer::Answer;
use crate::http::status::{self, ApiError};
use crate::store::object::{Key, Object, Opened};
use crate::store::{Commit, Next, Store};
use kube_controllers::clock;
use kube_machinery::conventions::edit::object;
use kube_machinery::kinds::custom_resource_definition::mark_terminating;
use kube_machinery::kinds::{DeleteResponse, Deletion};
use kube_machinery::value::{Value, json};

/// The result of a deletion.
pub(crate) enum Outcome {
    /// The object was removed. Holds its last state.
    Gone(Arc<Object>),
    /// The object stays for its grace period or its finalizers.
    Kept(Arc<Object>),
    /// A dry run that upstream answers with a blank object; see [`NextStep::RemovedByFinalizers`].
    Blank(Arc<Object>),
}

pub(crate) async fn delete(call: Call) -> Result<Answer, ApiError> {
    let Call { store, target, query, request } = call;
    let user = user_of(request.extensions());
    let options = DeleteOptions::read(request, &query).await?;
    let (resource, key) = (&target.resource, key(&target)?);
    immortal_namespaces(resource, &key)?;
    let gate = Gate::of(&store, &target, &user, options.commit, || options.fields());
    gate.warn(options.warnings(resource));
    let outcome = remove(&store, &target, &key, &options, &gate).await;
    let answer = outcome.map(|outcome| match outcome {
        Outcome::Gone(object) if resource.delete_response == DeleteResponse::Status => {
            status::removed(&target.served, key.name(), object.summary.uid())
        }
        Outcome::Kept(object) if options.forbids_orphans => Answer::object(StatusCode::ACCEPTED, object),
        Outcome::Gone(object) | Outcome::Kept(object) | Outcome::Blank(object) => {
            Answer::object(StatusCode::OK, object)
        }
    });
    Ok(Answer::from(answer).with_warnings(gate.warnings()))
}

/// Deletes each object that the selectors match. Responds with their states before the deletion.
pub(crate) async fn delete_collection(call: Call) -> Result<Answer, ApiError> {
    let Call { store, target, query, request } = call;
    let user = user_of(request.extensions());
    let mut list = ListOptions::parse(&query)?;
    let selectors = Selectors::parse(&list)?;
    list.set_defaults(store.settings.streams_lists());
    list.validate(store.settings.streams_lists())?;
    let filter = selectors.filter(&target.served, target.namespace.clone())?;
    let mut options = DeleteOptions::read(request, &query).await?;
    options.scope = DeleteScope::Collection;
    options.refuse_for_collections()?;
    let page = to_delete(&store, (&target).into(), filter, list).await?;
    let gate = Gate::of(&store, &target, &user, options.commit, || options.fields());
    gate.warn(options.warnings(&target.resource));
    for (n, object) in page.objects.iter().enumerate() {
        give_way(n).await;
        immortal_namespaces(&object.resource, &object.key)?;
        match remove(&store, &target, &object.key, &options, &gate).await {
            Err(error) if !error.is_not_found() => return Ok(Answer::from(error).with_warnings(gate.warnings())),
            _ => {}
        }
    }
    Ok(page.answer(&target.resource).with_warnings(gate.warnings()))
}

/// The number of objects that are deleted before the task yields to others.
const AT_A_TIME: usize = 64;

/// Yields now and then while many objects are deleted. A write may complete without a wait, so without these yields
/// other tasks would not run in between.
pub(crate) async fn give_way(nth: usize) {
    if nth % AT_A_TIME == AT_A_TIME - 1 {
        tokio::task::yield_now().await;
    }
}

/// Deletes an object. Every deletion by a request or a controller goes through this function. A graceful deletion is
/// first recorded in the object, and its removal is a separate write. The admission gate is asked about each of the two
/// writes.
pub(crate) async fn remove(
    store: &Store,
    versions: impl Into<Conversion>,
    key: &Key,
    options: &DeleteOptions,
    gate: &Gate<'_>,
) -> Result<Outcome, ApiError> {
    let versions = versions.into();
    let resource = &versions.stored;
    let step = Mutex::new(NextStep::Wait);
    let first = |current: Arc<Opened>| async {
        let current = current; // moves it into the future, which otherwise borrows
        let (next, then) = first_write(store, &current, options)?;
        *step.lock().unwrap_or_else(PoisonError::into_inner) = then;
        if !matches!(next, Next::Keep) {
            gate.delete(&current.value).await?;
        }
        Ok(next)
    };
    let change = |current| conversion::changed(store, versions.clone(), current, first);
    let marked = store.guaranteed_update(resource, key, options.commit, change).await?.object().clone();
    match step.into_inner().unwrap_or_else(PoisonError::into_inner) {
        NextStep::Wait => Ok(Outcome::Kept(marked)),
        NextStep::RemovedByFinalizers if options.commit == Commit::Pretend => {
            let blank = Value::Object(resource.blank());
            Ok(Outcome::Blank(Arc::new(Object::unwritten(resource, key.clone(), &blank))))
        }
        NextStep::Done | NextStep::RemovedByFinalizers => Ok(Outcome::Gone(marked)),
        NextStep::Remove if options.commit == Commit::Pretend => Ok(Outcome::Gone(marked)),
        NextStep::Remove => {
            let uid = marked.summary.uid();
            let second = |current: Arc<Opened>| async {
                let current = current; // as above
                // A concurrent deletion may have removed the object, and another object may have its name now. The
                // other object stays.
                if current.summary.uid() != uid {
                    return Ok(Next::Keep);
                }
                gate.delete(&current.value).await?;
                Ok(Next::Remove)
            };
            let change = |current| conversion::changed(store, versions.clone(), current, second);
            match store.guaranteed_update(resource, key, Commit::Really, change).await {
                Ok(last) if last.summary.uid() == uid => Ok(Outcome::Gone(last.object().clone())),
                Err(error) if !error.is_not_found() => Err(error),
                _ => Ok(Outcome::Gone(marked)), // another deletion has removed it
            }
        }
    }
}

/// Checks the options against the object. Returns the first write of the deletion, and the step after it.
fn first_write(store: &Store, current: &Opened, options: &DeleteOptions) -> Result<(Next, NextStep), ApiError> {
    options.check(current)?;
    options.refuse_readable(current)?;
    let (next, then) = plan(store, current, options);
    if then == NextStep::RemovedByFinalizers {
        options.refuse_version_precondition(current)?;
    }
    Ok((next, then))
}

/// The step after the first write of a deletion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NextStep {
    /// Nothing: the object stays for now.
    Wait,
    /// Remove the object with a second write.
    Remove,
    /// Nothing: the first write has removed the object.
    Done,
    /// As `Done`, but this deletion has removed the object's last finalizers. Upstream then continues with a blank
    /// object (`errDeleteNow` in `updateForGracefulDeletionAndFinalizers`): it answers a dry run with the blank object,
    /// and compares a precondition with its empty resourceVersion.
    RemovedByFinalizers,
}

/// Returns the first write of a deletion, and the step after it.
fn plan(store: &Store, current: &Opened, options: &DeleteOptions) -> (Next, NextStep) {
    let mut value = current.value.clone();
    if options.keeps_definition(&current.resource) && !current.summary.is_deleting {
        mark_terminating(&mut value, &store.clock.now());
        return (Next::Put(value), NextStep::Wait);
    }
    let finalizers = options.finalizers(&current.resource, &value["metadata"]["finalizers"]);
    // A finalizer keeps the object until its controller has removed it.
    let held = !finalizers.is_empty() || next_state::has_namespace_finalizer(&value);
    if finalizers.is_empty() {
        object(&mut value["metadata"]).remove("finalizers");
    } else {
        value["metadata"]["finalizers"] = Value::Array(finalizers.into());
    }
    let deleting = current.text("/metadata/deletionTimestamp").map(ToOwned::to_owned);
    let grace = current.value["metadata"]["deletionGracePeriodSeconds"].as_i64();
    // The grace period of the object after this write; the arms that need no such write return early.
    let period = match (current.resource.deletion, &deleting, grace) {
        (Deletion::Graceful, None, _) => options.first_period(current),
        // With 0, an earlier deletion was interrupted between its two writes.
        (Deletion::Graceful, Some(_), None | Some(0)) if !held => return (Next::Remove, NextStep::Done),
        // A deletion in progress can only be shortened.
        (Deletion::Graceful, Some(_), grace) => match options.period() {
            Some(period) if grace.is_some_and(|grace| period < grace) => period,
            // Upstream: `BeforeDelete` reports that the deletion is pending.
            _ if grace.is_some_and(|grace| grace > 0) => return (Next::Keep, NextStep::Wait),
            _ => return (Next::Put(value), NextStep::Wait), // its finalizers may have changed
        },
        _ if !held && next_state::is_held(&current.value) => return (Next::Remove, NextStep::RemovedByFinalizers),
        _ if !held => return (Next::Remove, NextStep::Done),
        (_, Some(_), _) => {
            // Upstream: `markAsDeleting`. It changes only CustomResourceDefinitions, because their first deletion sets
            // no grace period.
            value["metadata"]["deletionGracePeriodSeconds"] = json!(0);
            return (Next::Put(value), NextStep::Wait);
        }
        (_, None, _) => 0,
    };
    // The deletionTimestamp is the end of the grace period, so it moves when the period changes.
    let at = match &deleting {
        Some(at) => clock::shifted(at, period - grace.unwrap_or_default()),
        None => store.clock.after(Duration::from_secs(u64::try_from(period).unwrap_or_default())),
    };
    value["metadata"]["deletionTimestamp"] = json!(at);
    if current.resource.deletion == Deletion::Emptied {
        value["status"]["phase"] = json!("Terminating");
    } else {
        value["metadata"]["deletionGracePeriodSeconds"] = json!(period);
    }
    if deleting.is_none() && value["metadata"]["generation"].as_i64().is_some_and(|generation| generation > 0) {
        next_state::increment_generation(&mut value);
    }
    (Next::Put(value), if held || period > 0 { NextStep::Wait } else { NextStep::Remove })
}
