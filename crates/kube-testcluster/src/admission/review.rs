//! Calls one admission webhook, mutating or validating: sends it an `AdmissionReview` with the request, and checks the
//! `AdmissionReview` in its response. Upstream: `admission/plugin/webhook/request/admissionreview.go`, and `callHook`
//! of the dispatchers.

use std::sync::PoisonError;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::refusal::{NotAdmitted, of_webhook};
use super::{Attributes, RequestContext};
use crate::http::status::ApiError;
use crate::webhook::{self, TimeoutParameter};
use kube_machinery::kinds::Resource;
use kube_machinery::kinds::admission::{SideEffects, Webhook};
use kube_machinery::value::{Value, json};

/// The versions of `AdmissionReview` that this server supports.
const VERSIONS: [&str; 2] = ["v1", "v1beta1"];

/// The phase of admission. Only a mutating webhook may return a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Mutating,
    Validating,
}

/// Calls a webhook. If the webhook allows the request, returns its JSON patch, still encoded; empty if there is none.
/// `row` is the version in which the webhook gets the objects.
pub(super) async fn ask(
    hook: &Webhook,
    attributes: &Attributes<'_>,
    row: &Resource,
    phase: Phase,
) -> Result<Vec<u8>, NotAdmitted> {
    let request = attributes.request;
    if request.is_dry_run() && hook.side_effects == SideEffects::Possible {
        let why = format!("admission webhook {:?} does not support dry run", hook.name);
        return Err(ApiError::bad_request(why).into());
    }
    let known = hook.review_versions.iter().find(|version| VERSIONS.contains(&version.as_str()));
    let version = known.ok_or_else(|| {
        let why = "webhook does not accept known AdmissionReview versions (v1, v1beta1)";
        NotAdmitted::Unanswered(format!("could not create admission objects: {why}"))
    })?;
    let uid = request.store.random().uid();
    let mut admission_request = attributes.admission_request(row);
    admission_request["uid"] = json!(uid);
    let api_version = format!("admission.k8s.io/{version}");
    let review = json!({"kind": "AdmissionReview", "apiVersion": api_version, "request": admission_request});
    let answer = webhook::post(request.store, &hook.client, hook.timeout, &review, TimeoutParameter::Sent)
        .await
        .map_err(|why| NotAdmitted::Unanswered(format!("failed to call webhook: {why}")))?;
    // As upstream, the uid, the kind and the patch type are checked only in v1.
    let response = if version == "v1" { verify(&uid, &answer, phase) } else { response_in(&answer) };
    let response =
        response.map_err(|why| NotAdmitted::Unanswered(format!("received invalid webhook response: {why}")))?;
    keep_warnings(request, response);
    if response["allowed"] != true {
        return Err(of_webhook(&hook.name, &response["status"]).into());
    }
    if phase == Phase::Validating {
        return Ok(Vec::new());
    }
    if let Some(kind) = response["patchType"].as_str().filter(|kind| *kind != "JSONPatch") {
        return Err(NotAdmitted::Unanswered(format!("unsupported patch type {kind:?}")));
    }
    STANDARD
        .decode(response["patch"].as_str().unwrap_or_default())
        .map_err(|why| NotAdmitted::Unanswered(format!("received undecodable patch in webhook response: {why}")))
}

fn keep_warnings(request: &RequestContext<'_>, response: &Value) {
    let warnings = response["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str);
    request.warnings.lock().unwrap_or_else(PoisonError::into_inner).extend(warnings.map(ToOwned::to_owned));
}

fn response_in(answer: &Value) -> Result<&Value, String> {
    answer.get("response").filter(|response| response.is_object()).ok_or_else(|| "webhook response was absent".into())
}

/// Checks that a v1 answer belongs to the request with this uid, and has a patch only if the phase permits one.
/// Upstream: `VerifyAdmissionResponse`.
fn verify<'a>(uid: &str, answer: &'a Value, phase: Phase) -> Result<&'a Value, String> {
    let response = response_in(answer)?;
    let text = |value: &'a Value| value.as_str().unwrap_or_default();
    if text(&response["uid"]) != uid {
        return Err(format!("expected response.uid={uid:?}, got {:?}", text(&response["uid"])));
    }
    let (api_version, kind) = (text(&answer["apiVersion"]), text(&answer["kind"]));
    if (api_version, kind) != ("admission.k8s.io/v1", "AdmissionReview") {
        let wanted = "admission.k8s.io/v1, Kind=AdmissionReview";
        return Err(format!("expected webhook response of {wanted}, got {api_version}, Kind={kind}"));
    }
    let has_patch = !text(&response["patch"]).is_empty();
    let patch_type = response["patchType"].as_str();
    match (phase, has_patch, patch_type) {
        (Phase::Mutating, true, None) => Err("webhook returned response.patch but not response.patchType".into()),
        (Phase::Mutating, false, Some(_)) => Err("webhook returned response.patchType but not response.patch".into()),
        (Phase::Mutating, _, Some("")) => Err("webhook returned invalid response.patchType of \"\"".into()),
        (Phase::Validating, true, _) => Err("validating webhook may not return response.patch".into()),
        (Phase::Validating, _, Some(_)) => Err("validating webhook may not return response.patchType".into()),
        _ => Ok(response),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verified(mut answer: Value, phase: Phase) -> Result<(), String> {
        answer["kind"] = json!("AdmissionReview");
        answer["apiVersion"] = json!("admission.k8s.io/v1");
        verify("u", &answer, phase).map(drop)
    }

    #[test]
    fn a_response_must_have_the_uid_of_its_request_and_fit_its_phase() {
        let response = |more: Value| {
            let mut response = json!({"uid": "u", "allowed": true});
            more.as_object().unwrap().iter().for_each(|(name, value)| response[name] = value.clone());
            json!({"response": response})
        };
        let fails = |answer, phase, why: &str| assert_eq!(verified(answer, phase), Err(why.to_owned()));
        fails(json!({}), Phase::Mutating, "webhook response was absent");
        fails(response(json!({"uid": "v"})), Phase::Mutating, "expected response.uid=\"u\", got \"v\"");
        let patch = || response(json!({"patch": "e30="}));
        fails(patch(), Phase::Mutating, "webhook returned response.patch but not response.patchType");
        fails(patch(), Phase::Validating, "validating webhook may not return response.patch");
        let typed = || response(json!({"patchType": "JSONPatch"}));
        fails(typed(), Phase::Mutating, "webhook returned response.patchType but not response.patch");
        fails(typed(), Phase::Validating, "validating webhook may not return response.patchType");
        assert_eq!(verified(response(json!({"patch": "e30=", "patchType": "JSONPatch"})), Phase::Mutating), Ok(()));
        assert_eq!(verified(response(json!({})), Phase::Validating), Ok(()));
    }
}
