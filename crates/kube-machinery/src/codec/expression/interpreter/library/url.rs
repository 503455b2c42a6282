//! The CEL library for URLs: `url('https://example.com/a').getHost()`. Upstream: `pkg/cel/library/urls.go`.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::{Error, Meter};
use super::{Outcome, Value};
use crate::codec::expression::Object;
use crate::conventions::go_url::{self, Url};
use crate::conventions::quote::quote;

pub(super) fn call(name: &str, args: &[Value]) -> Option<Outcome> {
    match (name, args) {
        ("url", [Value::String(text)]) => Some(
            parse(text)
                .map(Value::object)
                .map_err(|why| Error::failed(format!("URL parse error during conversion from string: {why}"))),
        ),
        ("isURL", [Value::String(text)]) => Some(Ok(Value::Bool(go_url::parse_request(text).is_ok()))),
        _ => None,
    }
}

/// Parses an absolute URL. As upstream, a second parse recognizes a fragment.
fn parse(text: &str) -> Result<Url, String> {
    let in_words = |why: String| wrong(text, &why);
    go_url::parse_request(text).map_err(in_words)?;
    go_url::parse(text)
}

/// Returns Go's error for a text that is no URL.
pub(super) fn wrong(text: &str, why: &str) -> String {
    format!("parse {}: {why}", quote(text))
}

impl Object for Url {
    #[cfg(test)]
    fn shown(&self) -> String {
        format!("url({self})")
    }

    fn type_name(&self) -> &'static str {
        "kubernetes.URL"
    }

    fn equals(&self, other: &dyn Object) -> Option<bool> {
        (other as &dyn std::any::Any).downcast_ref::<Self>().map(|other| self.to_string() == other.to_string())
    }

    fn call(&self, _: &Meter, name: &str, args: &[Value]) -> Option<Outcome> {
        if !args.is_empty() {
            return None;
        }
        let (host, port) = self.host_and_port();
        Some(Ok(match name {
            "getScheme" => Value::text(self.scheme.as_str()),
            "getHost" => Value::text(self.host.as_str()),
            "getHostname" => Value::text(host),
            "getPort" => Value::text(port),
            "getEscapedPath" => Value::text(self.escaped_path()),
            "getQuery" => {
                let mut lists: BTreeMap<Arc<str>, Vec<Value>> = BTreeMap::new();
                for (name, value) in self.parameters() {
                    lists.entry(name.into()).or_default().push(Value::text(value));
                }
                lists.into_iter().map(|(name, values)| (name, Value::list(values))).collect()
            }
            _ => return None,
        }))
    }
}
