//! Server-side apply: a PATCH with the fields that the client wants an object to have. The server merges them into the
//! object, records which manager owns which field, and refuses to change the fields of other managers without `force`.
//! This file handles the request; `managed_fields` has the algorithm. Upstream: `applyPatcher` in
//! `endpoints/handlers/patch.go`.

use std::sync::Arc;

use axum::extract::Request;
use http::{HeaderMap, StatusCode};

use super::create::Creation;
use super::ownership::{CreatedBy, Writer, field_manager};
use super::patch::no_map;
use super::{Call, conversion, key, next_state, preconditions, update};
use crate::admission::Gate;
use crate::auth::user_of;
use crate::http::answer::Answer;
use crate::http::body;
use crate::http::field_validation::Strictness;
use crate::http::query::Query;
use crate::http::request_info::Target;
use crate::http::status::ApiError;
use crate::http::write_options::{self, WriteOptions};
use crate::settings::ManagedFields;
use crate::store::object::{Object, Opened};
use crate::store::{Next, Store};
use kube_machinery::codec::json::Json;
use kube_machinery::codec::yaml;
use kube_machinery::conventions::user::User;
use kube_machinery::kinds::{CreateOnUpdate, Subresource, note_requester};
use kube_machinery::managed_fields::{FieldManager, Force, NotApplied};
use kube_machinery::value::Value;

pub(super) const APPLY: &str = "application/apply-patch+yaml";

/// A configuration, and the options of its apply.
pub(super) struct Apply {
    config: Value,
    pub(super) manager: String,
    force: Force,
    pub(super) options: WriteOptions,
    /// The fields that occur twice in the body.
    duplicates: Vec<String>,
    pub(super) writer: Writer,
    pub(super) user: Arc<User>,
}

/// Returns true if a patch is a server-side apply. Without managed fields, the server does not support applies.
pub(super) fn is_apply(headers: &HeaderMap, managed_fields: ManagedFields) -> bool {
    managed_fields != ManagedFields::Off && body::media_type(headers) == APPLY
}

pub(crate) async fn apply(call: Call) -> Result<Answer, ApiError> {
    let Call { store, target, query, request } = call;
    let apply = Apply::read(request, &query, || absence(&store, &target)).await?;
    let mut warnings = Vec::new();
    let gate = Gate::of(&store, &target, &apply.user, apply.options.commit, || write_options::fields(&query));
    let written = apply.write(&store, &target, &gate, &mut warnings).await;
    warnings.extend(gate.warnings());
    Ok(apply.answer(written.map(|(code, object)| Answer::object(code, object)), warnings))
}

/// Returns `NotFound` if the apply is to a subresource of an object that does not exist.
pub(super) fn absence(store: &Store, target: &Target) -> Option<ApiError> {
    let key = key(target).ok().filter(|_| !creates(target))?;
    store.get(&target.resource, &key).is_none().then(|| ApiError::not_found(&target.resource, key.name()))
}

/// Returns true if an apply creates the object that does not exist.
fn creates(target: &Target) -> bool {
    let strategy = &target.resource.strategy;
    match target.subresource {
        None => true,
        Some(Subresource::Status) => {
            [strategy.create_on_update, strategy.create_on_status_apply].contains(&CreateOnUpdate::Allowed)
        }
        Some(_) => false,
    }
}

/// Returns the warning about duplicate fields, if any. Under `Strict` validation it is an error.
fn duplicates(found: &[String], strictness: Strictness) -> Result<Option<String>, ApiError> {
    if found.is_empty() || strictness == Strictness::Ignore {
        return Ok(None);
    }
    let why = format!("error converting YAML to JSON: yaml: unmarshal errors:\n  {}", found.join("\n  "));
    if strictness == Strictness::Strict {
        return Err(ApiError::bad_request(format!("error strict decoding patch: {why}")));
    }
    Ok(Some(why))
}

impl Apply {
    /// Reads a configuration. If it is invalid, the error from `missing`, if there is one, is returned instead.
    pub(super) async fn read(
        request: Request,
        query: &Query,
        missing: impl FnOnce() -> Option<ApiError>,
    ) -> Result<Self, ApiError> {
        let (writer, user) = (Writer::applied(&request), user_of(request.extensions()));
        let body = body::read(request).await?;
        let options = WriteOptions::of_apply(query)?;
        let read = match yaml::read(&body) {
            Err(why) => Err(format!("error encoding patch: error converting YAML to JSON: {why}")),
            Ok(read) if matches!(read.json, Json::Object(_) | Json::Null) => Ok(read),
            Ok(read) => {
                let why = no_map(&read.json);
                Err(format!("error decoding patch: error unmarshaling JSON: while decoding JSON: {why}"))
            }
        };
        let read = read.map_err(|why| missing().unwrap_or_else(|| ApiError::bad_request(why)))?;
        let config = Value::from(read.json);
        let force = if query.flag("force") == Some(true) { Force::Yes } else { Force::No };
        let (manager, duplicates) = (query.text("fieldManager"), read.duplicates);
        Ok(Self { config, manager, force, options, duplicates, writer, user })
    }

    /// Returns the answer with its warnings, and with the warning about duplicate fields. Under `Strict` validation,
    /// that warning is an error instead.
    pub(super) fn answer(&self, written: Result<Answer, ApiError>, mut warnings: Vec<String>) -> Answer {
        let written = match duplicates(&self.duplicates, self.options.strictness) {
            Err(why) if written.is_ok() => Err(why),
            Ok(found) => {
                warnings.extend(found);
                written
            }
            Err(_) => written,
        };
        Answer::from(written).with_warnings(warnings)
    }

    /// Applies the configuration to an object. Returns the new object.
    pub(super) fn applied_to(&self, live: Option<&Value>, manager: &FieldManager<'_>) -> Result<Value, ApiError> {
        manager.apply(live, &self.config, self.force).map_err(|error| match error {
            NotApplied::BadRequest(why) => ApiError::bad_request(why),
            NotApplied::Conflicts(message, causes) => ApiError::apply_conflict(message, &causes),
            NotApplied::Other(why) => ApiError::internal(why),
        })
    }

    /// Returns the message for the result of an apply that does not fit the type of its kind.
    pub(super) fn not_converted(&self, manager: &FieldManager<'_>, why: &str) -> String {
        manager.not_converted(&self.config, why)
    }

    /// Applies the configuration to the object, or creates it.
    async fn write(
        &self,
        store: &Store,
        target: &Target,
        gate: &Gate<'_>,
        warnings: &mut Vec<String>,
    ) -> Result<(StatusCode, Arc<Object>), ApiError> {
        let (key, creates) = (key(target)?, creates(target));
        loop {
            let next = |current: Arc<Opened>| async move { self.next(store, gate, &current, target).await };
            let change = |current| conversion::changed(store, target.into(), current, next);
            match store.guaranteed_update(&target.resource, &key, self.options.commit, change).await {
                // The object does not exist, so it is created below. A NotFound about an existing object is an error of
                // the change, and is returned.
                Err(error) if creates && error.is_not_found() && store.get(&target.resource, &key).is_none() => {}
                updated => return updated.map(|object| (StatusCode::OK, object.object().clone())),
            }
            let mut new = self.object(store, None, target)?;
            note_requester(&target.resource, &mut new, &self.user);
            if let Some(uid) = new["metadata"]["uid"].as_str().filter(|uid| !uid.is_empty()) {
                let why =
                    format!("uid mismatch: the provided object specified uid {uid}, and no existing object was found");
                return Err(ApiError::conflict(&target.resource, target.resource.plural(), key.name(), why));
            }
            preconditions::check_version(&new)?; // its value has no meaning for a new object, but it must be a number
            let (commit, writer) = (self.options.commit, &self.writer);
            let creation = Creation { store, target, gate, commit, writer, created_by: CreatedBy::Post };
            match creation.write(new, warnings).await {
                Err(error) if error.is_already_exists() => {} // another request has created it: apply to that object
                created => return created.map(|object| (StatusCode::CREATED, object)),
            }
        }
    }

    /// Computes the state of an existing object after the apply.
    async fn next(&self, store: &Store, gate: &Gate<'_>, current: &Opened, target: &Target) -> Result<Next, ApiError> {
        let live = target.served.served_form_of(current.value.clone());
        let new = self.object(store, Some(&live), target)?;
        next_state::admitted(store, gate, current, &target.served, new, target.subresource, &self.writer).await
    }

    /// Returns the object with the configuration applied, in its stored form.
    fn object(&self, store: &Store, live: Option<&Value>, target: &Target) -> Result<Value, ApiError> {
        let served = &target.served;
        let manager = field_manager(store, served, target.subresource, &self.manager);
        let shaped = served.decode_applied(self.applied_to(live, &manager)?);
        let shaped = shaped.map_err(|why| ApiError::internal(self.not_converted(&manager, &why)))?;
        update::check_name(target, &shaped.value)?;
        Ok(served.stored_form_of(shaped.value))
    }
}
