//! The ConfigMap and Secret kinds. Upstream: `ValidateConfigMap` and `ValidateSecret` in
//! `pkg/apis/core/validation/validation.go`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::conventions::edit::{empty, object, set_default};
use crate::conventions::pem;
use crate::kinds::columns;
use crate::kinds::embedded;
use crate::kinds::metadata::UpdatedMetadata;
use crate::kinds::resource::ResourceRow;
use crate::value::{SmolStr, Value, json};

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const CONFIG_MAP: ResourceRow = ResourceRow {
    plural: "configmaps",
    singular: "configmap",
    kind: "ConfigMap",
    storage_hash: "qFsyl6wFWjQ=",
    short_names: &["cm"],
    validate: validate_config_map,
    columns: columns::simple::CONFIG_MAPS,
    updated_metadata: UpdatedMetadata::ChangeAndWhole,
    ..ResourceRow::USUAL
};

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const SECRET: ResourceRow = ResourceRow {
    plural: "secrets",
    singular: "secret",
    kind: "Secret",
    storage_hash: "S6u1pOWzb84=",
    fields: &[("type", "type", "")],
    defaults: set_secret_defaults,
    validate: validate_secret,
    warnings: secret_warnings,
    columns: columns::simple::SECRETS,
    updated_metadata: UpdatedMetadata::ChangeAndWhole,
    ..ResourceRow::USUAL
};

const KEY: &str = "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or \
    'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
const IMMUTABLE: &str = "field is immutable when `immutable` is set";

/// The largest size of all values together, in bytes.
const MAX_SIZE: usize = 1024 * 1024;

/// The keys that each type of Secret requires: one key of the first list, and all keys of the second.
const REQUIRED: [(&str, &[&str], &[&str]); 5] = [
    ("kubernetes.io/basic-auth", &["username", "password"], &[]),
    ("kubernetes.io/ssh-auth", &[], &["ssh-privatekey"]),
    ("kubernetes.io/tls", &[], &["tls.crt", "tls.key"]),
    ("kubernetes.io/dockercfg", &[], &[".dockercfg"]),
    ("kubernetes.io/dockerconfigjson", &[], &[".dockerconfigjson"]),
];

pub(in crate::kinds) fn validate_config_map(new: &Value, old: Option<&Value>) -> Causes {
    let mut causes = Causes::new();
    causes.extend(keys(new, "data"));
    for (key, _) in fields(new, "data").filter(|(key, _)| new["binaryData"].get(key).is_some()) {
        causes.push(Cause::invalid(format_args!("data[{key}]"), key, "duplicate of key present in binaryData"));
    }
    causes.extend(keys(new, "binaryData"));
    let texts: usize = fields(new, "data").map(|(_, value)| value.as_str().map_or(0, str::len)).sum();
    if texts + decoded_size(new, "binaryData") > MAX_SIZE {
        causes.push(Cause::too_long("[]", MAX_SIZE)); // upstream's path for the whole object
    }
    causes.extend(old.into_iter().flat_map(|old| validate_immutable(new, old, &["data", "binaryData"])));
    causes
}

/// Sets the default type, and moves `stringData` into `data` as base64.
pub(in crate::kinds) fn set_secret_defaults(secret: &mut Value) {
    set_default(secret, "type", json!("Opaque"));
    let Some(Value::Object(texts)) = object(secret).remove("stringData") else { return };
    let data = object(object(secret).entry("data").or_insert_with(empty));
    for (key, text) in texts {
        data.insert(key, STANDARD.encode(text.as_str().unwrap_or_default()).into());
    }
}

pub(in crate::kinds) fn validate_secret(new: &Value, old: Option<&Value>) -> Causes {
    let mut causes = Causes::new();
    causes.extend(keys(new, "data"));
    if decoded_size(new, "data") > MAX_SIZE {
        causes.push(Cause::too_long("data", MAX_SIZE));
    }
    let kind = new["type"].as_str().unwrap_or_default();
    // An empty SSH key counts as a missing one; for the other types an empty value is enough.
    let empty_is_none = kind == "kubernetes.io/ssh-auth";
    let has = |key: &&&str| new["data"].get(**key).is_some_and(|value| !empty_is_none || *value != "");
    for (_, any, each) in REQUIRED.iter().filter(|(name, ..)| *name == kind) {
        let missing = if any.iter().any(|key| has(&key)) { &[][..] } else { any };
        let missing = missing.iter().chain(each.iter().filter(|key| !has(key)));
        causes.extend(missing.map(|key| Cause::required(format_args!("data[{key}]"), "")));
    }
    causes.extend(docker_config(new, kind));
    let owner = "kubernetes.io/service-account.name";
    if kind == "kubernetes.io/service-account-token"
        && new["metadata"]["annotations"][owner].as_str().is_none_or(str::is_empty)
    {
        causes.push(Cause::required(format_args!("metadata.annotations[{owner}]"), ""));
    }
    if let Some(old) = old {
        if old["type"] != new["type"] {
            causes.push(Cause::invalid("type", kind, "field is immutable"));
        }
        causes.extend(validate_immutable(new, old, &["data"]));
    }
    causes
}

/// Warns of a certificate or a key that is no PEM. The certificate itself is not read, and not compared with the key.
/// Upstream: `warningsForSecret`; Go: `tls.X509KeyPair`.
fn secret_warnings(new: &Value, _old: Option<&Value>) -> Vec<String> {
    if new["type"] != "kubernetes.io/tls" {
        return Vec::new();
    }
    let read = |key: &str| STANDARD.decode(new["data"][key].as_str().unwrap_or_default()).unwrap_or_default();
    let blocks = |bytes: &[u8]| pem_kinds(&String::from_utf8_lossy(bytes));
    let (of_certificate, of_key) = (blocks(&read("tls.crt")), blocks(&read("tls.key")));
    let warning = if !of_certificate.iter().any(|kind| kind == "CERTIFICATE") {
        match &of_certificate[..] {
            [] => "tls: failed to find any PEM data in certificate input".to_owned(),
            [kind] if kind.ends_with("PRIVATE KEY") => {
                "tls: failed to find certificate PEM data in certificate input, \
                but did find a private key; PEM inputs may have been switched"
                    .to_owned()
            }
            kinds => format!(
                "tls: failed to find \"CERTIFICATE\" PEM block in certificate input after skipping PEM blocks of the \
                following types: [{}]",
                kinds.join(" ")
            ),
        }
    } else if !of_key.iter().any(|kind| kind == "PRIVATE KEY" || kind.ends_with(" PRIVATE KEY")) {
        match &of_key[..] {
            [] => "tls: failed to find any PEM data in key input".to_owned(),
            [kind] if kind == "CERTIFICATE" => {
                "tls: found a certificate rather than a key in the PEM for the private key".to_owned()
            }
            kinds => format!(
                "tls: failed to find PEM block with type ending in \"PRIVATE KEY\" in key input after skipping PEM \
                blocks of the following types: [{}]",
                kinds.join(" ")
            ),
        }
    } else {
        return Vec::new();
    };
    vec![warning]
}

fn pem_kinds(text: &str) -> Vec<String> {
    let (mut kinds, mut rest) = (Vec::new(), text);
    while let Some((block, after)) = pem::next(rest) {
        kinds.push(block.kind.to_owned());
        rest = after;
    }
    kinds
}

/// Checks that a registry credentials file is a JSON object. The cause does not show the file, because it is secret.
fn docker_config(secret: &Value, kind: &str) -> Option<Cause> {
    let key = match kind {
        "kubernetes.io/dockercfg" => ".dockercfg",
        "kubernetes.io/dockerconfigjson" => ".dockerconfigjson",
        _ => return None,
    };
    let bytes = STANDARD.decode(secret["data"][key].as_str()?).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let why = embedded::read(&text, "map[string]interface {}", Value::is_object).err()?;
    Some(Cause::invalid(format_args!("data[{key}]"), "<secret contents redacted>", &why))
}

fn fields<'a>(object: &'a Value, field: &str) -> impl Iterator<Item = (&'a SmolStr, &'a Value)> {
    object[field].as_object().into_iter().flatten()
}

/// Returns the message about a key, if the key is invalid. Upstream: `IsConfigMapKey`.
pub(in crate::kinds) fn messages_of_key(key: &str) -> Option<String> {
    match key {
        "." => Some("must not be '.'".to_owned()),
        ".." => Some("must not be '..'".to_owned()),
        key if key.starts_with("..") => Some("must not start with '..'".to_owned()),
        key if key.len() > 253 => Some("must be no more than 253 characters".to_owned()),
        key => {
            let fits = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
            (key.is_empty() || !key.chars().all(fits)).then(|| KEY.to_owned())
        }
    }
}

fn keys(object: &Value, field: &str) -> Causes {
    let wrong = fields(object, field).filter_map(|(key, _)| Some((key, messages_of_key(key)?)));
    wrong.map(|(key, why)| Cause::invalid(format_args!("{field}[{key}]"), key, &why)).collect()
}

/// Returns the decoded size of a map of base64 values, in bytes.
fn decoded_size(object: &Value, field: &str) -> usize {
    let length = |value: &Value| value.as_str().map_or(0, |text| text.trim_end_matches('=').len() * 3 / 4);
    fields(object, field).map(|(_, value)| length(value)).sum()
}

/// Checks that an immutable object keeps its data, and stays immutable.
fn validate_immutable(new: &Value, old: &Value, data: &[&str]) -> Causes {
    if old["immutable"] != true {
        return Causes::new();
    }
    let unset = (new["immutable"] != true).then_some("immutable");
    let changed = data.iter().copied().filter(|field| new[*field] != old[*field]);
    unset.into_iter().chain(changed).map(|field| Cause::forbidden(field, IMMUTABLE)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    fn sentences(causes: Causes) -> Vec<String> {
        causes.iter().map(Cause::sentence).collect()
    }

    fn sentences_of(validate: fn(&Value, Option<&Value>) -> Causes, mut new: Value, old: Option<Value>) -> Vec<String> {
        new["metadata"]["name"] = json!("a");
        sentences(validate(&new, old.as_ref()))
    }

    #[test]
    fn keys_are_valid_file_names_and_unique() {
        let map = json!({"data": {"a b": "", "..": "", "x": ""}, "binaryData": {"x": ""}});
        assert_eq!(
            sentences_of(validate_config_map, map, None),
            [
                "data[..]: Invalid value: \"..\": must not be '..'".to_owned(),
                format!("data[a b]: Invalid value: \"a b\": {KEY}"),
                "data[x]: Invalid value: \"x\": duplicate of key present in binaryData".to_owned(),
            ]
        );
    }

    #[test]
    fn a_secret_has_the_keys_that_its_type_requires() {
        let secret_of =
            |kind: &str, data: Value| sentences_of(validate_secret, json!({"type": kind, "data": data}), None);
        assert_eq!(secret_of("kubernetes.io/tls", json!({"tls.crt": ""})), ["data[tls.key]: Required value"]);
        assert_eq!(secret_of("kubernetes.io/basic-auth", json!({"password": ""})), Vec::<String>::new());
        let neither = ["data[username]: Required value", "data[password]: Required value"];
        assert_eq!(secret_of("kubernetes.io/basic-auth", json!({})), neither);
        let changed = sentences_of(validate_secret, json!({"type": "mine"}), Some(json!({"type": "Opaque"})));
        assert_eq!(changed, ["type: Invalid value: \"mine\": field is immutable"]);
    }

    #[test]
    fn an_immutable_object_keeps_its_data() {
        let old = json!({"immutable": true, "data": {"a": "1"}});
        assert_eq!(
            sentences_of(validate_config_map, json!({"data": {"a": "2"}}), Some(old.clone())),
            [format!("immutable: Forbidden: {IMMUTABLE}"), format!("data: Forbidden: {IMMUTABLE}"),]
        );
        assert_eq!(sentences_of(validate_config_map, old.clone(), Some(old)), Vec::<String>::new());
    }

    #[test]
    fn the_size_is_limited() {
        let map = |length: usize| json!({"data": {"a": "x".repeat(length)}});
        assert_eq!(sentences_of(validate_config_map, map(MAX_SIZE), None), Vec::<String>::new());
        assert_eq!(
            sentences_of(validate_config_map, map(MAX_SIZE + 1), None),
            ["[]: Too long: may not be more than 1048576 bytes"]
        );
    }
}
