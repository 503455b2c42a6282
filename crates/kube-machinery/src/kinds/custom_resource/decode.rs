//! Decoding of custom resources. A custom resource has no Go type, so its schema takes the type's place: fields that
//! the schema does not name are pruned, defaults are set, and the metadata is decoded as that of all kinds. Request
//! bodies, patched objects and stored objects of another version all pass through here; they differ in how strict the
//! decoder is. Upstream: `unstructuredSchemaCoercer` and `unstructuredDefaulter` of `customresource_handler.go`.

use super::CustomResource;
use crate::codec::depth::{MOST_LEVELS, TOO_DEEP, levels};
use crate::codec::json::Json;
use crate::codec::schema::{self, Decoded};
use crate::codec::structural::embedded::{self, Malformed};
use crate::codec::structural::{default, drop_nulls, prune};
use crate::value::Value;

/// The name of the metadata type in the table of types (`codec::schema`).
const METADATA: &str = "ObjectMeta";

/// The smallest float that Go's `encoding/json` writes with an exponent.
const LEAST_WITH_EXPONENT: f64 = 1e21;

/// The treatment of a null where the schema allows none.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Nulls {
    Dropped,
    Kept,
}

impl CustomResource {
    /// Decodes a request body: prunes the fields that the schema does not name, sets defaults, and removes kind and
    /// apiVersion.
    ///
    /// # Errors
    /// Go's message, if the metadata is malformed or the object nests too deep.
    pub fn decode(&self, json: Json) -> Result<Decoded, String> {
        let mut faults: Vec<String> =
            json.duplicates().iter().map(|path| format!("duplicate field {path:?}")).collect();
        let Json::Object(fields) = json else { return self.decode_value(json.into()) };
        let mut value = Value::from(Json::Object(fields));
        faults.extend(decode_metadata(&mut value)?);
        self.try_coerce_and_default(value, faults, Malformed::Refused, Nulls::Dropped)
    }

    /// Decodes a value as [`decode`](Self::decode) does a request body.
    pub fn decode_value(&self, value: Value) -> Result<Decoded, String> {
        self.decode_value_with(value, Nulls::Dropped)
    }

    /// Decodes an object that server-side apply has merged. Upstream does not decode such an object: a null stays for
    /// the validation to refuse, and the metadata fields that the server sets may be malformed.
    pub(crate) fn decode_applied(&self, mut value: Value) -> Result<Decoded, String> {
        let malformed = take_malformed(&mut value["metadata"]);
        let mut decoded = self.decode_value_with(value, Nulls::Kept)?;
        for (name, field) in malformed {
            // A create drops the field; an update refuses it, with another message than upstream.
            decoded.value["metadata"][name] = field;
        }
        Ok(decoded)
    }

    fn decode_value_with(&self, mut value: Value, nulls: Nulls) -> Result<Decoded, String> {
        let faults = decode_metadata(&mut value)?;
        self.try_coerce_and_default(value, faults, Malformed::Refused, nulls)
    }

    /// Shapes an object that was decoded under another schema. Drops malformed fields, as upstream does when it reads
    /// from storage.
    pub(crate) fn coerce_and_default(&self, value: Value) -> Value {
        match self.try_coerce_and_default(value.clone(), Vec::new(), Malformed::Dropped, Nulls::Dropped) {
            Ok(Decoded { value, .. }) => value,
            Err(_) => value, // only possible if defaults make it nest too deep
        }
    }

    /// Shapes a stored object of another version, without setting defaults: it already has those of the stored version.
    pub(crate) fn coerce(&self, value: Value) -> Value {
        match self.try_coerce(value.clone(), Vec::new(), Malformed::Dropped, Nulls::Dropped) {
            Ok(Decoded { value, .. }) => value,
            Err(_) => value, // only possible if it nests too deep
        }
    }

    /// Does the same as `try_coerce`, and also sets the defaults of the schema.
    fn try_coerce_and_default(
        &self,
        value: Value,
        faults: Vec<String>,
        malformed: Malformed,
        nulls: Nulls,
    ) -> Result<Decoded, String> {
        let mut decoded = self.try_coerce(value, faults, malformed, nulls)?;
        default(&mut decoded.value, &self.schema);
        Ok(decoded)
    }

    /// Gives an object the shape of the schema, and returns it with `faults` and its own faults, such as unknown
    /// fields. The caller turns faults into warnings or an error, as the client's `fieldValidation` asks.
    fn try_coerce(
        &self,
        mut value: Value,
        mut faults: Vec<String>,
        malformed: Malformed,
        nulls: Nulls,
    ) -> Result<Decoded, String> {
        if levels(&value) > MOST_LEVELS {
            return Err(format!("json: {TOO_DEEP}"));
        }
        if let Value::Object(fields) = &mut value {
            fields.remove("kind");
            fields.remove("apiVersion");
        }
        let unknown = prune(&mut value, &self.schema);
        faults.extend(unknown.iter().map(|path| format!("unknown field {path:?}")));
        if nulls == Nulls::Dropped {
            drop_nulls(&mut value, Some(&self.schema));
        }
        faults.extend(embedded::coerce(&self.schema, &mut value, "", malformed).map_err(|cause| cause.sentence())?);
        Ok(Decoded { value, faults })
    }
}

/// Decodes the metadata of an object, and returns the faults, such as unknown fields. Upstream re-encodes the metadata
/// and decodes it separately: `GetObjectMetaWithOptions`.
fn decode_metadata(value: &mut Value) -> Result<Vec<String>, String> {
    let mut metadata = value["metadata"].take();
    floats_to_integers(&mut metadata);
    let mut decoded = schema::decode(METADATA, metadata)?;
    if let Value::Object(metadata) = &mut decoded.value
        && metadata.get("creationTimestamp").is_some_and(Value::is_null)
    {
        metadata.remove("creationTimestamp");
    }
    value["metadata"] = decoded.value;
    Ok(schema::faults_at(decoded.faults, "metadata").collect())
}

/// Removes and returns the malformed ones of the fields that the server sets.
fn take_malformed(metadata: &mut Value) -> Vec<(&'static str, Value)> {
    let Value::Object(fields) = metadata else { return Vec::new() };
    let mut malformed = Vec::new();
    for name in ["creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "generation"] {
        if fields.get(name).is_some_and(|field| !embedded::is_well_formed(name, field)) {
            malformed.extend(fields.remove(name).map(|field| (name, field)));
        }
    }
    malformed
}

/// Converts floats without a fraction to integers, because Go writes them without a point, and then reads an integer.
/// Integers that do not fit an `int64` are floats here.
pub fn floats_to_integers(value: &mut Value) {
    match value {
        Value::Number(number) if !number.is_i64() => {
            let float = number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < LEAST_WITH_EXPONENT);
            if let Some(written) = float.and_then(|float| float.to_string().parse().ok()) {
                *number = written;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(floats_to_integers),
        Value::Object(fields) => fields.values_mut().for_each(floats_to_integers),
        _ => {}
    }
}
