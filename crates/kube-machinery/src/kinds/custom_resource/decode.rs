//! Brings a custom resource into the form of its schema. Upstream: `unstructuredSchemaCoercer` and `unstructuredDefaulter` of
//! `customresource_handler.go`.

use super::CustomResource;
use crate::codec::depth::{MOST_LEVELS, TOO_DEEP, levels};
use crate::codec::json::Json;
use crate::codec::schema::{self, Decoded};
use crate::codec::structural::embedded::{self, Malformed};
use crate::codec::structural::{default, drop_nulls, prune};
use crate::value::Value;

/// The type of metadata in the table.
const METADATA: &str = "ObjectMeta";

/// The least float that is written with an exponent. Go: `encoding/json`.
const LEAST_WITH_EXPONENT: f64 = 1e21;

/// What becomes of a null where the schema allows none.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Nulls {
    Dropped,
    Kept,
}

impl CustomResource {
    /// Decodes an object, without kind and apiVersion. Drops what its schema does not name, and fills in defaults.
    ///
    /// # Errors
    /// Go's message, if its metadata has the wrong form or it nests too deep.
    pub fn decode(&self, json: Json) -> Result<Decoded, String> {
        let mut faults: Vec<String> =
            json.duplicates().iter().map(|path| format!("duplicate field {path:?}")).collect();
        let Json::Object(fields) = json else { return self.conform(json.into()) };
        let mut value = Value::from(Json::Object(fields));
        faults.extend(decode_metadata(&mut value)?);
        self.in_shape(value, faults, Malformed::Refused, Nulls::Dropped)
    }

    /// The same of a value.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    pub fn conform(&self, value: Value) -> Result<Decoded, String> {
        self.conform_with(value, Nulls::Dropped)
    }

    /// The same of an object that a configuration was applied to. Upstream does not decode it: a null stays, and is refused by
    /// the schema if it may not be; fields of metadata that the server sets may be malformed.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    pub(crate) fn conform_applied(&self, mut value: Value) -> Result<Decoded, String> {
        let malformed = take_malformed(&mut value["metadata"]);
        let mut decoded = self.conform_with(value, Nulls::Kept)?;
        for (name, field) in malformed {
            decoded.value["metadata"][name] = field; // a creation drops it; an update refuses it, in other words than upstream
        }
        Ok(decoded)
    }

    fn conform_with(&self, mut value: Value, nulls: Nulls) -> Result<Decoded, String> {
        let faults = decode_metadata(&mut value)?;
        self.in_shape(value, faults, Malformed::Refused, nulls)
    }

    /// An object that was decoded by another schema. What is malformed in it is dropped, as upstream does when it reads what is
    /// stored.
    pub(crate) fn reshape(&self, value: Value) -> Value {
        match self.in_shape(value.clone(), Vec::new(), Malformed::Dropped, Nulls::Dropped) {
            Ok(Decoded { value, .. }) => value,
            Err(_) => value, // it nested less before: defaults have made it too deep
        }
    }

    /// A stored object in another version. It has had the defaults of the stored version, and gets no others.
    pub(crate) fn converted(&self, value: Value) -> Value {
        match self.coerced(value.clone(), Vec::new(), Malformed::Dropped, Nulls::Dropped) {
            Ok(Decoded { value, .. }) => value,
            Err(_) => value, // as above
        }
    }

    fn in_shape(
        &self,
        value: Value,
        faults: Vec<String>,
        malformed: Malformed,
        nulls: Nulls,
    ) -> Result<Decoded, String> {
        let mut decoded = self.coerced(value, faults, malformed, nulls)?;
        default(&mut decoded.value, &self.schema);
        Ok(decoded)
    }

    fn coerced(
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

/// Decodes the metadata of an object, and returns what is unknown in it. Upstream decodes it alone, from a map that it has written
/// again: `GetObjectMetaWithOptions`.
///
/// # Errors
/// Go's message.
fn decode_metadata(value: &mut Value) -> Result<Vec<String>, String> {
    let mut metadata = value["metadata"].take();
    integers(&mut metadata);
    let mut decoded = schema::decode(METADATA, metadata)?;
    if let Value::Object(metadata) = &mut decoded.value
        && metadata.get("creationTimestamp").is_some_and(Value::is_null)
    {
        metadata.remove("creationTimestamp");
    }
    value["metadata"] = decoded.value;
    Ok(schema::faults_at(decoded.faults, "metadata").collect())
}

/// Takes what is malformed of the fields that the server sets.
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

/// Makes integers of floats without a fraction: Go writes them without a point, and reads that as an integer. An integer that is too
/// large for Go's is such a float.
pub fn integers(value: &mut Value) {
    match value {
        Value::Number(number) if !number.is_i64() => {
            let float = number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < LEAST_WITH_EXPONENT);
            if let Some(written) = float.and_then(|float| float.to_string().parse().ok()) {
                *number = written;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(integers),
        Value::Object(fields) => fields.values_mut().for_each(integers),
        _ => {}
    }
}
