//! PUT of an object or of its status.

use std::sync::Arc;

use http::StatusCode;

use super::create::Creation;
use super::next_state::admitted;
use super::owners::{self, Moment};
use super::ownership::{CreatedBy, Writer};
use super::preconditions::{self, check_creation, check_uid};
use super::{Call, conversion, key};
use crate::admission::Gate;
use crate::auth::user_of;
use crate::http::answer::Answer;
use crate::http::body::{self, Format, WrongType};
use crate::http::request_info::Target;
use crate::http::status::ApiError;
use crate::http::write_options::{self, WriteOptions};
use crate::store::object::{Object, Opened};
use crate::store::{Commit, Store};
use kube_machinery::codec::schema::Decoded;
use kube_machinery::kinds::{CreateOnUpdate, Subresource};
use kube_machinery::value::Value;

pub(crate) async fn update(call: Call) -> Result<Answer, ApiError> {
    let Call { store, target, query, request } = call;
    let format = Format::of(request.headers());
    let writer = Writer::of(&query, &request);
    let user = user_of(request.extensions());
    let body = body::read(request).await?;
    let WriteOptions { commit, strictness } = WriteOptions::of_update(&query)?;
    let (decoded, wrong) = format?.object_of_any_kind(&body, &target.served, strictness)?;
    let Decoded { value, mut faults } = decoded;
    let sent = Sent { value: target.served.stored_form_of(value), wrong };
    let gate = Gate::of(&store, &target, &user, commit, || write_options::fields(&query));
    let written = write(&store, &target, &gate, sent, commit, &writer, &mut faults).await;
    faults.extend(gate.warnings());
    let answer = written.map(|(code, object)| Answer::object(code, object));
    Ok(Answer::from(answer).with_warnings(faults))
}

/// The object of a body, with its error if a custom resource has a wrong kind or version.
struct Sent {
    value: Value,
    wrong: Option<WrongType>,
}

/// Updates the object of a body, or creates it if the kind allows that. Adds warnings even if the write fails.
async fn write(
    store: &Store,
    target: &Target,
    gate: &Gate<'_>,
    Sent { mut value, wrong }: Sent,
    commit: Commit,
    writer: &Writer,
    warnings: &mut Vec<String>,
) -> Result<(StatusCode, Arc<Object>), ApiError> {
    if commit == Commit::Really {
        target.resource.replace_null_bytes(&mut value);
    }
    check_name(target, &value)?;
    warnings.extend(owners::deduplicate(&mut value, Moment::BeforeAdmission));
    let key = key(target)?;
    let creates = matches!(target.subresource, None | Some(Subresource::Status))
        && target.resource.strategy.create_on_update == CreateOnUpdate::Allowed;
    loop {
        let (new, wrong) = (&value, &wrong);
        let next = |current: Arc<Opened>| async move {
            check_uid(&current, new)?;
            check_type(wrong.as_ref(), target.subresource, &current, new)?;
            admitted(store, gate, &current, &target.served, new.clone(), target.subresource, writer).await
        };
        let change = |current| conversion::changed(store, target.into(), current, next);
        match store.guaranteed_update(&target.resource, &key, commit, change).await {
            // The object does not exist, so it is created below. A NotFound about an existing object is an error of the
            // change, and is returned.
            Err(error) if creates && error.is_not_found() && store.get(&target.resource, &key).is_none() => {}
            updated => return updated.map(|object| (StatusCode::OK, object.object().clone())),
        }
        check_creation(&target.resource, &key, &value)?;
        let creation = Creation { store, target, gate, commit, writer, created_by: CreatedBy::Put };
        match creation.write(value.clone(), warnings).await {
            Err(error) if error.is_already_exists() => {} // another request has created it: update that object
            created => return created.map(|object| (StatusCode::CREATED, object)),
        }
    }
}

/// Refuses a custom resource of a wrong kind or version. For a status update, upstream takes the type from the stored
/// object, unless the body has no version.
pub(super) fn check_type(
    wrong: Option<&WrongType>,
    subresource: Option<Subresource>,
    current: &Opened,
    new: &Value,
) -> Result<(), ApiError> {
    match wrong {
        None => Ok(()),
        Some(WrongType::Other(_)) if subresource == Some(Subresource::Status) => Ok(()),
        Some(wrong) => preconditions::check(current, new).and_then(|()| Err(wrong.error())),
    }
}

/// Checks that the name and the namespace in the body are those of the path. Upstream: `checkName`.
pub(crate) fn check_name(target: &Target, value: &Value) -> Result<(), ApiError> {
    let field = |name: &str| value["metadata"][name].as_str().unwrap_or_default();
    let name = target.name.as_deref().unwrap_or_default();
    match field("name") {
        "" => Err(ApiError::bad_request(format!(
            "the name of the object ({name} based on URL) was undeterminable: name must be provided"
        ))),
        found if found != name => Err(ApiError::bad_request(format!(
            "the name of the object ({found}) does not match the name on the URL ({name})"
        ))),
        _ => body::check_namespace(value, target.namespace.as_deref()),
    }
}
