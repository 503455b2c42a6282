//! Who converts the versions of a custom resource. Upstream: `webhookClientConfigForCRD` of apiextensions-apiserver's
//! `webhook_converter.go`.

use crate::kinds::client_config::ClientConfig;
use crate::value::Value;

/// A webhook that converts.
#[derive(Debug)]
pub struct ConversionWebhook {
    pub client: ClientConfig,
    pub review_versions: Vec<String>,
}

impl ConversionWebhook {
    /// That of a definition, if its strategy is to ask one.
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
