//! Decodes an object, such as the body of a request, into the form of its Go type, as a Go server does when it decodes
//! an object and encodes it again: unknown fields are dropped, and fields that Go never omits are added. Objects here
//! are JSON values, so the form comes from the table of Go types (`schema/mod.rs`), not from Rust structs.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::codec::depth::{MOST_LEVELS, TOO_DEEP, levels};
use crate::codec::json::{Json, MOST_FAULTS};
use crate::conventions::quote::quote;
use crate::value::{Array, Map, SmolStr, Value};

use super::scalar::{float, is_integer, micro_time, quantity, time};
use super::schema_or::schema_or;
use super::type_error::{FieldPath, field_type_error, type_error};
use super::{Field, FieldType, Omit, Struct, byte_fields, find};

/// An object in the form of its type.
#[derive(Debug)]
pub struct Decoded {
    pub value: Value,
    /// The errors of a strict decoder, in Go's words: unknown fields, which were dropped, and duplicate fields.
    pub faults: Vec<String>,
}

/// Rewrites faults that name fields within the part at this path, so that they name fields of the whole object.
pub fn faults_at(faults: Vec<String>, at: &str) -> impl Iterator<Item = String> {
    let place = format!("field \"{at}.");
    faults.into_iter().map(move |fault| fault.replacen("field \"", &place, 1))
}

/// Decodes an object: drops unknown fields, and adds the fields that Go never omits. The result nests
/// at most [`MOST_LEVELS`] deep. Only structs and free-form fields are checked for their depth, because lists and maps
/// nest no deeper than their type declares.
///
/// # Errors
/// Go's message, if a value has the wrong type or nests too deep.
pub fn decode(kind: &str, value: impl Into<Json>) -> Result<Decoded, String> {
    let mut decoder = Decoder::default();
    let row = find(kind);
    let value = match value.into() {
        Json::Object(fields) => decoder.object(row, fields, None, &FieldPath::Top)?,
        Json::Null => decoder.object(row, Vec::new(), None, &FieldPath::Top)?,
        other => {
            return Err(format!("json: cannot unmarshal {} into Go value of type v1.{}", other.type_name(), row.name));
        }
    };
    decoder.decoded(value)
}

/// Returns the zero value of a Go type as JSON.
pub fn zero(of: &FieldType) -> Value {
    match of {
        FieldType::Text => "".into(),
        FieldType::Bool => false.into(),
        FieldType::Integer(_) | FieldType::IntOrString | FieldType::Float => 0.into(),
        FieldType::Quantity => "0".into(),
        FieldType::Struct(name) => find(name).zero().clone().into(),
        FieldType::Bytes | FieldType::Time | FieldType::MicroTime | FieldType::Raw | FieldType::SchemaOr(_) => {
            Value::Null
        }
        FieldType::Pointer(_) | FieldType::List(_) | FieldType::Map(_) => Value::Null,
    }
}

/// Adds the zero values of the fields that Go never omits.
pub(super) fn zeroes(row: &'static Struct, fields: &mut Map) {
    for field in &row.fields {
        match &field.kind {
            FieldType::Struct(embedded) if field.name.is_empty() => zeroes(find(embedded), fields),
            field_type => {
                let value = zero(field_type);
                if !is_omitted(field, &value) {
                    fields.insert(field.name.into(), value);
                }
            }
        }
    }
}

/// Returns true if Go leaves the value out (`omitempty`, `omitzero`).
pub(super) fn is_omitted(field: &Field, value: &Value) -> bool {
    let empty = match (&field.kind, value) {
        (FieldType::Time | FieldType::MicroTime, Value::Null) => return field.omit == Omit::Zero,
        (FieldType::Struct(_) | FieldType::Quantity | FieldType::IntOrString, _) => false,
        (FieldType::Pointer(_), value) => value.is_null(),
        (_, Value::Null) => true,
        (_, Value::String(text)) => text.is_empty(),
        (_, Value::Bool(value)) => !value,
        (_, Value::Number(number)) => number.as_i64() == Some(0),
        (_, Value::Array(items)) => items.is_empty(),
        (FieldType::Raw, _) => false,
        (_, Value::Object(fields)) => fields.is_empty(),
    };
    empty && field.omit != Omit::Never
}

#[cfg(test)]
thread_local! {
    /// The number of objects that this thread has decoded, as a measure of work.
    static OBJECTS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

#[derive(Default)]
pub(super) struct Decoder {
    pub(super) faults: Vec<String>,
    /// Go's message about the first value that does not fit its type. Decoding goes on after it, because an error of
    /// a type that parses its own JSON takes precedence. Go: `saveError` of `encoding/json`.
    pub(super) misfit: Option<String>,
    /// The struct around the value, if another decoder decodes that struct. Go names it in all errors inside of the
    /// value. Go: `addErrorContext`.
    pub(super) inside: Option<&'static str>,
}

impl Decoder {
    /// Returns the decoded object, or the message about a value that does not fit.
    pub(super) fn decoded(self, value: Value) -> Result<Decoded, String> {
        match self.misfit {
            Some(why) => Err(why),
            None => Ok(Decoded { value, faults: self.faults }),
        }
    }

    /// Records that a value does not fit its type, and returns the zero value in its place.
    ///
    /// # Errors
    /// If the type parses its own JSON: Go then stops decoding.
    pub(super) fn refuse(
        &mut self,
        field_type: &FieldType,
        value: &Json,
        row: &'static Struct,
        at: &FieldPath<'_>,
    ) -> Result<Value, String> {
        let why = || field_type_error(field_type, value, row, self.inside, at);
        if let FieldType::Time | FieldType::MicroTime | FieldType::IntOrString = field_type {
            return Err(why());
        }
        if self.misfit.is_none() {
            self.misfit = Some(why());
        }
        Ok(zero(field_type))
    }

    /// Returns bytes that are written as base64.
    pub(super) fn bytes(&mut self, text: &str) -> Value {
        self.bytes_of(byte_fields::canonical(text))
    }

    /// Returns bytes that are written as a list of numbers.
    pub(super) fn bytes_of_items(&mut self, items: &[Json], row: &'static Struct, at: &FieldPath<'_>) -> Value {
        self.bytes_of(base64_of_items(items, row, at))
    }

    /// Returns the base64 text. If the value could not be read, records the error and returns the zero value.
    fn bytes_of(&mut self, read: Result<String, String>) -> Value {
        read.map(Value::from).unwrap_or_else(|why| {
            self.misfit.get_or_insert(why);
            zero(&FieldType::Bytes)
        })
    }

    /// Records an error of a strict decoder, each once.
    pub(super) fn fault(&mut self, what: &str, at: &FieldPath<'_>) {
        if self.faults.len() >= MOST_FAULTS {
            return;
        }
        let fault = format!("{what} field {}", quote(&at.to_string()));
        if !self.faults.contains(&fault) {
            self.faults.push(fault);
        }
    }

    /// Decodes a struct. As in Go, fields are read into a value that exists already: the zero value, or the value of
    /// an earlier duplicate field.
    pub(super) fn object(
        &mut self,
        row: &'static Struct,
        from: Vec<(SmolStr, Json)>,
        earlier: Option<Value>,
        at: &FieldPath<'_>,
    ) -> Result<Value, String> {
        #[cfg(test)]
        OBJECTS.with(|objects| objects.set(objects.get() + 1));
        check_depth(at)?;
        let mut fields = match earlier {
            Some(Value::Object(fields)) => fields,
            _ => row.zero().clone(),
        };
        let mut seen: Vec<&str> = Vec::with_capacity(from.len().min(row.fields.len())); // at most the type's own fields, which are few
        for (name, value) in from {
            let path = FieldPath::Field(at, &name, row);
            // `kind` and `apiVersion` of the whole object are not stored, because the server knows them from its row.
            let kind_or_version =
                ["kind", "apiVersion"].into_iter().find(|own| matches!(at, FieldPath::Top) && *own == name.as_str());
            let field = row.field(&name);
            let Some(known) = kind_or_version.or(field.map(|field| field.name)) else {
                self.fault("unknown", &path);
                continue;
            };
            if seen.contains(&known) {
                self.fault("duplicate", &path);
            } else {
                seen.push(known);
            }
            let Some(field) = field.filter(|_| kind_or_version.is_none()) else { continue };
            let earlier = fields.get_mut(field.name).map(Value::take);
            let value = self.value(&field.kind, value, earlier, row, &path)?;
            if is_omitted(field, &value) {
                fields.remove(field.name);
            } else {
                fields.insert(name, value);
            }
        }
        Ok(fields.into())
    }

    /// Decodes a value into `earlier`, the value of an earlier duplicate field.
    pub(super) fn value(
        &mut self,
        field_type: &FieldType,
        value: Json,
        earlier: Option<Value>,
        row: &'static Struct,
        at: &FieldPath<'_>,
    ) -> Result<Value, String> {
        match (field_type, value) {
            (field_type, Json::Null) => Ok(after_null(field_type, earlier)),
            (FieldType::Pointer(inner), value) => self.value(inner, value, earlier, row, at),
            (FieldType::Struct(name), Json::Object(fields)) => self.object(find(name), fields, earlier, at),
            (FieldType::List(inner), Json::Array(items)) => {
                let mut before = match earlier {
                    Some(Value::Array(items)) => items.into_iter(),
                    _ => Array::new().into_iter(),
                };
                let mut list = Vec::with_capacity(items.len());
                for (i, item) in items.into_iter().enumerate() {
                    list.push(self.value(inner, item, before.next(), row, &FieldPath::Item(at, i))?);
                }
                Ok(list.into())
            }
            (FieldType::Map(inner), Json::Object(fields)) => {
                let mut map = Map::new();
                for (name, value) in fields {
                    let path = FieldPath::Key(at, &name);
                    if map.contains_key(&name) {
                        self.fault("duplicate", &path);
                    }
                    let value = self.value(inner, value, None, row, &path)?;
                    map.insert(name, value);
                }
                if let Some(Value::Object(mut whole)) = earlier {
                    whole.append(&mut map);
                    map = whole;
                }
                Ok(map.into())
            }
            (FieldType::Raw, value) => {
                let value = Value::from(value);
                if at.levels() + levels(&value) > MOST_LEVELS { Err(format!("json: {TOO_DEEP}")) } else { Ok(value) }
            }
            (FieldType::SchemaOr(other), value) => schema_or(*other, value, at, Some(row.name)),
            (FieldType::Time, Json::String(text)) => time(&text).map(Value::from),
            (FieldType::MicroTime, Json::String(text)) => micro_time(&text).map(Value::from),
            (FieldType::Quantity, value) => quantity(&value.into()).map(Value::from),
            (FieldType::Text | FieldType::IntOrString, Json::String(text)) => Ok(text.into()),
            (FieldType::Bytes, Json::String(text)) => Ok(self.bytes(&text)),
            (FieldType::Bytes, Json::Array(items)) => Ok(self.bytes_of_items(&items, row, at)),
            (FieldType::Bool, Json::Bool(value)) => Ok(value.into()),
            (FieldType::IntOrString, Json::Number(number)) if is_integer(&number, 32) => Ok(number.into()),
            (FieldType::Integer(bits), Json::Number(number)) if is_integer(&number, *bits) => Ok(number.into()),
            (FieldType::Float, Json::Number(number)) => Ok(float(&number).into()),
            (field_type, value) => self.refuse(field_type, &value, row, at),
        }
    }
}

/// Checks that a struct at this path is not too deep, because types can contain themselves.
pub(super) fn check_depth(at: &FieldPath<'_>) -> Result<(), String> {
    if at.levels() < MOST_LEVELS { Ok(()) } else { Err(format!("json: {TOO_DEEP}")) }
}

/// Converts a list of bytes to base64.
fn base64_of_items(items: &[Json], row: &'static Struct, at: &FieldPath<'_>) -> Result<String, String> {
    let item = |(i, item)| {
        byte_fields::uint8_item(item).map_err(|word| type_error(&word, "uint8", row.name, &FieldPath::Item(at, i)))
    };
    let bytes: Result<Vec<u8>, String> = items.iter().enumerate().map(item).collect();
    bytes.map(|bytes| STANDARD.encode(bytes))
}

/// Returns the value of a field after a null was read into it. A value that Go can set to nil, or whose type reads null
/// itself, is cleared; any other value stays.
fn after_null(field_type: &FieldType, earlier: Option<Value>) -> Value {
    match field_type {
        FieldType::SchemaOr(_) => Value::Null,
        FieldType::IntOrString => earlier.filter(Value::is_number).unwrap_or_else(|| zero(field_type)),
        FieldType::Text
        | FieldType::Bool
        | FieldType::Integer(_)
        | FieldType::Float
        | FieldType::Struct(_)
        | FieldType::Raw => earlier.unwrap_or_else(|| zero(field_type)),
        FieldType::Bytes | FieldType::Time | FieldType::MicroTime | FieldType::Quantity => zero(field_type),
        FieldType::Pointer(_) | FieldType::List(_) | FieldType::Map(_) => zero(field_type),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    #[test]
    fn decoding_adds_fields_that_go_never_omits_and_drops_unknown_ones() {
        let pod = json!({
            "metadata": {"name": "a", "labels": {}, "creationTimestamp": null, "nosuch": 1},
            "spec": {"containers": [{"name": "c", "env": [{}], "odd": 2}], "hostNetwork": false},
            "status": {"conditions": [{"type": "Ready", "status": "True"}]},
        });
        let decoded = decode("Pod", pod).unwrap();
        assert_eq!(decoded.faults, ["unknown field \"metadata.nosuch\"", "unknown field \"spec.containers[0].odd\""]);
        assert_eq!(
            decoded.value,
            json!({
                "metadata": {"name": "a"},
                "spec": {"containers": [{"name": "c", "env": [{"name": ""}], "resources": {}}]},
                "status": {"conditions": [
                    {"type": "Ready", "status": "True", "lastProbeTime": null, "lastTransitionTime": null},
                ]},
            })
        );
    }

    #[test]
    fn an_error_names_a_named_type() {
        for (pod, why) in [
            (
                json!({"spec": {"tolerations": [{"effect": 5}]}}),
                "Toleration.spec.tolerations.effect of type v1.TaintEffect",
            ),
            (json!({"status": {"phase": {}}}), "PodStatus.status.phase of type v1.PodPhase"),
            (json!({"metadata": {"labels": []}}), "ObjectMeta.metadata.labels of type map[string]string"),
            (
                json!({"spec": {"containers": [{"securityContext": {"capabilities": {"add": [5]}}}]}}),
                "Capabilities.spec.containers.securityContext.capabilities.add of type v1.Capability",
            ),
        ] {
            let error = decode("Pod", pod).unwrap_err();
            assert!(error.ends_with(why), "{error}");
        }
    }

    #[test]
    fn a_duplicate_field_is_reported_and_read_into_the_first() {
        let text = br#"{"metadata": {"name": "a", "labels": {"k": "1", "k": "2"}}, "odd": 1, "odd": 2,
            "metadata": {"name": "b"}, "data": {"k": "v"}}"#;
        let decoded = decode("ConfigMap", Json::read(text).unwrap()).unwrap();
        assert_eq!(decoded.value["metadata"], json!({"name": "b", "labels": {"k": "2"}}));
        let faults = ["duplicate field \"metadata.labels.k\"", "unknown field \"odd\"", "duplicate field \"metadata\""];
        assert_eq!(decoded.faults, faults);
    }

    /// Upstream: `array` and `literalStore` of `encoding/json`.
    #[test]
    fn a_duplicate_list_or_null_is_read_into_the_first_as_in_go() {
        let text = br#"{"metadata": {"name": "a", "name": null}, "spec": {
            "containers": [{"name": "c", "image": "i"}, {"name": "d"}], "containers": [{"name": "e"}],
            "securityContext": {"runAsUser": 1}, "securityContext": null,
            "nodeSelector": {"a": "b"}, "nodeSelector": {"c": "d"}}}"#;
        let value = decode("Pod", Json::read(text).unwrap()).unwrap().value;
        assert_eq!(value["metadata"], json!({"name": "a"}));
        let ports = br#"{"spec": {"ports": [{"targetPort": "http", "targetPort": null}, {"targetPort": 5, "targetPort": null}]}}"#;
        let ports = decode("Service", Json::read(ports).unwrap()).unwrap().value["spec"]["ports"].clone();
        assert_eq!([&ports[0]["targetPort"], &ports[1]["targetPort"]], [&json!(0), &json!(5)]);
        let container = json!({"name": "e", "image": "i", "resources": {}});
        assert_eq!(value["spec"], json!({"containers": [container], "nodeSelector": {"a": "b", "c": "d"}}));
    }

    /// If each level were decoded once for its faults and once for its value, this would be about 2^8 times the work.
    #[test]
    fn duplicate_fields_on_every_level_are_decoded_once_each() {
        let twice = |name: &str, value: &str| format!("{{\"{name}\": {value}, \"{name}\": {value}}}");
        let path = ["spec", "template", "spec", "affinity", "nodeAffinity"];
        let deepest = "requiredDuringSchedulingIgnoredDuringExecution";
        let text = path.iter().rev().fold(twice(deepest, "{}"), |inner, name| twice(name, &inner));
        OBJECTS.set(0);
        let decoded = decode("ReplicaSet", Json::read(text.as_bytes()).unwrap()).unwrap();
        assert_eq!(decoded.faults.len(), path.len() + 1);
        let written: usize = (0..=path.len() + 1).map(|level| 1 << level).sum();
        assert_eq!(OBJECTS.get(), written, "each object in the text is decoded once");
    }

    /// Upstream: `array` of `encoding/json`, which takes a list of numbers for bytes as for any list.
    #[test]
    fn bytes_may_be_a_list_of_numbers() {
        let data = |items: Value| decode("Secret", json!({"data": {"a": items}})).map(|decoded| decoded.value);
        for (items, text) in [(json!([104, 105]), "aGk="), (json!([null]), "AA=="), (json!([]), "")] {
            assert_eq!(data(items).unwrap()["data"]["a"], text);
        }
        for (item, word) in
            [(json!("x"), "string"), (json!(256), "number 256"), (json!(-1), "number -1"), (json!({}), "object")]
        {
            let message = format!("json: cannot unmarshal {word} into Go struct field Secret.data of type uint8");
            assert_eq!(data(json!([item])).unwrap_err(), message);
        }
    }

    #[test]
    fn an_error_of_a_type_that_reads_its_own_json_comes_first() {
        let fits_not = "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.annotations of type map[string]string";
        let soon = "parsing time \"soon\"";
        for (metadata, error) in [
            (json!({"annotations": 1, "creationTimestamp": "soon", "finalizers": 2}), soon),
            (json!({"annotations": 1, "finalizers": 2}), fits_not),
        ] {
            let why = decode("Pod", json!({"metadata": metadata})).unwrap_err();
            assert!(why.starts_with(error), "{why}");
        }
    }

    #[test]
    fn a_value_of_the_wrong_type_gets_gos_message() {
        for (pod, message) in [
            (
                json!({"spec": {"containers": "nope"}}),
                "json: cannot unmarshal string into Go struct field PodSpec.spec.containers of type []v1.Container",
            ),
            (json!({"spec": "x"}), "json: cannot unmarshal string into Go struct field Pod.spec of type v1.PodSpec"),
            (
                json!({"spec": {"containers": [{"name": 1}]}}),
                "json: cannot unmarshal number into Go struct field Container.spec.containers.name of type string",
            ),
        ] {
            assert_eq!(decode("Pod", pod).unwrap_err(), message);
        }
    }

    #[test]
    fn an_error_names_the_embedded_struct_of_a_field() {
        let volume = |volume: Value| json!({"spec": {"volumes": [volume]}});
        for (pod, path) in [
            (
                volume(json!({"hostPath": 5})),
                "Volume.spec.volumes.VolumeSource.hostPath of type v1.HostPathVolumeSource",
            ),
            (
                volume(json!({"hostPath": {"path": 5}})),
                "HostPathVolumeSource.spec.volumes.VolumeSource.hostPath.path of type string",
            ),
        ] {
            let message = format!("json: cannot unmarshal number into Go struct field {path}");
            assert_eq!(decode("Pod", pod).unwrap_err(), message);
        }
    }

    #[test]
    fn errors_inside_a_nested_schema_name_jsonschemaprops() {
        let field = |path: &str| {
            format!("json: cannot unmarshal number into Go struct field JSONSchemaProps.{path} of type string")
        };
        let docs = json!({"externalDocs": {"url": 5}});
        assert_eq!(decode("JSONSchemaProps", json!({"items": docs})).unwrap_err(), field("items.externalDocs.url"));
        let message = "json: cannot unmarshal string into Go struct field JSONSchemaProps.enum of type []v1.JSON";
        assert_eq!(decode("JSONSchemaProps", json!({"enum": "x"})).unwrap_err(), message);
    }
}
