//! Who converts the versions of a custom resource. Upstream: `webhookClientConfigForCRD` of apiextensions-apiserver's
//! `webhook_converter.go`.

use serde_json::Value;

use crate::kinds::client_config::ClientConfig;

/// A webhook that converts.
#[derive(Debug)]
pub(crate) struct ConversionWebhook {
    pub(crate) client: ClientConfig,
    pub(crate) review_versions: Vec<String>,
}

impl ConversionWebhook {
    /// Whether a definition's strategy is to ask one.
    pub(super) fn is_asked(crd: &Value) -> bool {
        crd["spec"]["conversion"]["strategy"] == "Webhook"
    }

    /// That of a definition, if its strategy is to ask one.
    pub(super) fn of(crd: &Value) -> Option<Self> {
        if !Self::is_asked(crd) {
            return None;
        }
        let webhook = &crd["spec"]["conversion"]["webhook"];
        let versions = webhook["conversionReviewVersions"].as_array().into_iter().flatten();
        let review_versions = versions.filter_map(|version| version.as_str().map(ToOwned::to_owned)).collect();
        Some(Self { client: ClientConfig::of(&webhook["clientConfig"]), review_versions })
    }
}
