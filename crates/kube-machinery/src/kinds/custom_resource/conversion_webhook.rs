//! The webhook that converts custom resources between versions: the server calls it when a request uses another version
//! than the stored one. Upstream: `webhookClientConfigForCRD` of apiextensions-apiserver's `webhook_converter.go`.

use crate::kinds::client_config::ClientConfig;
use crate::value::Value;

#[derive(Debug)]
pub struct ConversionWebhook {
    pub client: ClientConfig,
    /// The versions of ConversionReview, the request to the webhook, that the webhook understands, in its order of
    /// preference.
    pub review_versions: Vec<String>,
}

impl ConversionWebhook {
    /// Reads the webhook of a definition; `None` if its conversion strategy is not `Webhook`.
    pub(super) fn of(crd: &Value) -> Option<Self> {
        let conversion = &crd["spec"]["conversion"];
        if conversion["strategy"] != "Webhook" {
            return None;
        }
        let webhook = &conversion["webhook"];
        let versions = webhook["conversionReviewVersions"].as_array().into_iter().flatten();
        let review_versions = versions.filter_map(|version| version.as_str().map(ToOwned::to_owned)).collect();
        Some(Self { client: ClientConfig::of(&webhook["clientConfig"]), review_versions })
    }
}
