//! Reads the kind and apiVersion that a request body names, before the body is decoded as that kind. Upstream:
//! `SimpleMetaFactory.Interpret`.

use kube_machinery::codec::json::Json;
use kube_machinery::value::Value;

/// `apiVersion` and `kind` of a body; empty if the body does not have them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TypeMeta {
    pub(crate) api_version: String,
    pub(crate) kind: String,
}

impl TypeMeta {
    /// Reads the two fields of a body. As in Go, their names match in any case of letters, and the last one counts. The
    /// error is Go's message.
    pub(crate) fn of(body: &Json) -> Result<Self, String> {
        let fields = match body {
            Json::Object(fields) => fields.as_slice(),
            Json::Null => &[],
            other => return Err(no_object(other.type_name())),
        };
        let mut found = Self::default();
        let mut misfit = None;
        for (name, value) in fields {
            let (field, target) = match field(name) {
                Some("apiVersion") => ("apiVersion", &mut found.api_version),
                Some(kind) => (kind, &mut found.kind),
                None => continue,
            };
            match value {
                Json::String(text) => *target = text.to_string(),
                Json::Null => {}
                other => {
                    misfit.get_or_insert_with(|| {
                        let found = other.type_name();
                        format!("json: cannot unmarshal {found} into Go struct field .{field} of type string")
                    });
                }
            }
        }
        if let Some(misfit) = misfit {
            return Err(parse_error(&misfit));
        }
        // As upstream's `ParseGroupVersion`, a slash alone counts as empty.
        if found.api_version == "/" {
            found.api_version.clear();
        }
        if found.api_version.matches('/').count() > 1 {
            return Err(format!("unexpected GroupVersion string: {}", found.api_version));
        }
        Ok(found)
    }

    /// Reads the two fields of an object in memory, without converting its other fields.
    pub(crate) fn of_value(value: &Value) -> Result<Self, String> {
        let Value::Object(fields) = value else { return Self::of(&value.clone().into()) };
        let written = fields.iter().filter(|(name, _)| field(name).is_some());
        Self::of(&Json::Object(written.map(|(name, value)| (name.clone(), value.clone().into())).collect()))
    }
}

/// Returns the one of the two fields that has this name in any case of letters.
fn field(name: &str) -> Option<&'static str> {
    ["apiVersion", "kind"].into_iter().find(|field| name.eq_ignore_ascii_case(field))
}

pub(crate) fn parse_error(why: &str) -> String {
    format!("couldn't get version/kind; json parse error: {why}")
}

fn no_object(found: &str) -> String {
    parse_error(&format!(
        "json: cannot unmarshal {found} into Go value of type struct {{ APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; \
         Kind string \"json:\\\"kind,omitempty\\\"\" }}"
    ))
}
