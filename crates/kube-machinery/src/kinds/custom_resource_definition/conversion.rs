//! Validation of `spec.conversion`: custom resources are converted between versions either by changing only the
//! `apiVersion` (strategy `None`) or by a webhook. Upstream: `validateCustomResourceConversion`.

use std::collections::HashSet;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::definition_causes::DefinitionCauses;
use super::validation_options::ValidationOptions;
use crate::codec::go_json::go_json;
use crate::conventions::cause::Cause;
use crate::conventions::field::Path;
use crate::kinds::fields::{items, text};
use crate::kinds::names::dns1035;
use crate::kinds::webhook_address;
use crate::value::Value;

/// The versions of ConversionReview, the request to a conversion webhook, that the API server can send.
pub(super) const REVIEWS: [&str; 2] = ["v1", "v1beta1"];

pub(super) fn validate(conversion: &Value, options: &ValidationOptions, at: &Path<'_>, causes: &mut DefinitionCauses) {
    if conversion.is_null() {
        return;
    }
    let strategy = text(conversion, "strategy");
    match strategy {
        "" => causes.add(&at.child("strategy"), |at| Cause::required(at, "")),
        "None" | "Webhook" => {}
        other => {
            causes.add(&at.child("strategy"), |at| Cause::unsupported_text(at, other, &["None", "Webhook"]));
        }
    }
    let webhook = &conversion["webhook"];
    // The paths have the field names of upstream's internal version (see `internal`).
    let (config, at_config) = (&webhook["clientConfig"], at.child("webhookClientConfig"));
    let (reviews, at_reviews) = (items(webhook, "conversionReviewVersions"), at.child("conversionReviewVersions"));
    if strategy == "Webhook" {
        if config.is_null() {
            causes.add(&at_config, |at| Cause::required(at, "required when strategy is set to Webhook"));
        } else {
            validate_config(config, options, &at_config, causes);
        }
        validate_reviews(reviews, options, &at_reviews, causes);
    } else {
        let why = "should not be set when strategy is not set to Webhook";
        if !config.is_null() {
            causes.add(&at_config, |at| Cause::forbidden(at, why));
        }
        if !reviews.is_empty() {
            causes.add(&at_reviews, |at| Cause::forbidden(at, why));
        }
    }
}

fn validate_config(config: &Value, options: &ValidationOptions, at: &Path<'_>, causes: &mut DefinitionCauses) {
    causes.extend(webhook_address::validate(config, &at));
    if options.valid_ca_bundle
        && let Some(why) = bundle_fault(text(config, "caBundle"))
    {
        causes.add(&at.child("caBundle"), |at| Cause::invalid_as(at, &config["caBundle"].to_string(), &why));
    }
}

/// Returns true if the CA bundle of a definition's webhook cannot be parsed. Such a definition does not become
/// established.
pub fn has_invalid_bundle(crd: &Value) -> bool {
    bundle_fault(text(&crd["spec"]["conversion"]["webhook"]["clientConfig"], "caBundle")).is_some()
}

/// Returns the reason why a CA bundle is invalid, if it is. An empty bundle is valid.
pub(super) fn bundle_fault(base64: &str) -> Option<String> {
    let bytes = STANDARD.decode(base64).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let has_block = text.contains("-----BEGIN ") && text.contains("-----END ");
    (!bytes.is_empty() && !has_block)
        .then(|| "unable to load root certificates: unable to parse bytes as PEM block".to_owned())
}

/// Upstream: `validateConversionReviewVersions`.
fn validate_reviews(reviews: &[Value], options: &ValidationOptions, at: &Path<'_>, causes: &mut DefinitionCauses) {
    if reviews.is_empty() {
        return causes.add(at, |at| Cause::required(at, ""));
    }
    let mut seen = HashSet::new();
    for (i, version) in reviews.iter().filter_map(Value::as_str).enumerate() {
        let at = at.index(i);
        if !seen.insert(version) {
            causes.add(&at, |at| Cause::invalid(at, version, "duplicate version"));
            continue;
        }
        dns1035(version).iter().for_each(|why| causes.add(&at, |at| Cause::invalid(at, version, why)));
    }
    if options.known_review && !reviews.iter().any(is_known_review) {
        let why = format!("must include at least one of {}", REVIEWS.join(", "));
        causes.add(at, |at| Cause::invalid_as(at, &go_json(&reviews.to_vec().into()), &why));
    }
}

pub(super) fn is_known_review(version: &Value) -> bool {
    REVIEWS.iter().any(|known| version == known)
}
