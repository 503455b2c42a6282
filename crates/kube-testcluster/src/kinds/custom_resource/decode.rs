//! Brings a custom resource into the form of its schema. Upstream: `unstructuredSchemaCoercer` and `unstructuredDefaulter` of
//! `customresource_handler.go`.

use serde_json::{Map, Number, Value};

use super::CustomResource;
use crate::codec::depth::{MOST_LEVELS, TOO_DEEP, levels};
use crate::codec::json::Json;
use crate::codec::schema::{self, Decoded};
use crate::codec::structural::embedded::{self, Malformed};
use crate::codec::structural::{default, drop_nulls, prune};

/// The type in the table that has the metadata of every object, and nothing else.
const METADATA_ALONE: &str = "PartialObjectMetadata";

/// The largest size of a float that is written without a point and without an exponent. Go: `encoding/json`.
const LARGEST_INTEGER: f64 = 9_007_199_254_740_992.0;

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
    pub(crate) fn decode(&self, json: Json) -> Result<Decoded, String> {
        let mut faults: Vec<String> =
            json.duplicates().iter().map(|path| format!("duplicate field {path:?}")).collect();
        let Json::Object(fields) = json else { return self.conform(json.into()) };
        // Go's decoder of metadata sees the fields as they were written.
        let (metadata, rest): (Vec<_>, Vec<_>) = fields.into_iter().partition(|(name, _)| name == "metadata");
        let metadata = schema::decode(METADATA_ALONE, Json::Object(metadata)).map_err(alone)?;
        faults.extend(metadata.faults.into_iter().filter(|fault| !fault.starts_with("duplicate")));
        let value = with_metadata(Value::from(Json::Object(rest)), metadata.value);
        self.in_shape(value, faults, Malformed::Refused, Nulls::Dropped)
    }

    /// The same of a value.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    pub(crate) fn conform(&self, value: Value) -> Result<Decoded, String> {
        self.conform_with(value, Nulls::Dropped)
    }

    /// The same of an object that a configuration was applied to. Upstream does not decode it: a null stays, and is refused by
    /// the schema if it may not be.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    pub(crate) fn conform_applied(&self, value: Value) -> Result<Decoded, String> {
        self.conform_with(value, Nulls::Kept)
    }

    fn conform_with(&self, mut value: Value, nulls: Nulls) -> Result<Decoded, String> {
        let metadata = Value::Object(Map::from_iter([("metadata".to_owned(), value["metadata"].take())]));
        // Upstream decodes the metadata alone.
        let metadata = schema::conform(METADATA_ALONE, metadata).map_err(alone)?;
        self.in_shape(with_metadata(value, metadata.value), metadata.faults, Malformed::Refused, nulls)
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
        integers(&mut value);
        let unknown = prune(&mut value, &self.schema);
        faults.extend(unknown.iter().map(|path| format!("unknown field {path:?}")));
        if nulls == Nulls::Dropped {
            drop_nulls(&mut value, Some(&self.schema));
        }
        embedded::coerce(&self.schema, &mut value, "", malformed).map_err(|cause| cause.sentence())?;
        Ok(Decoded { value, faults })
    }
}

/// A fault in metadata as it is told of metadata alone: that is how upstream decodes it.
fn alone(why: String) -> String {
    let Some((before, field)) = why.split_once("Go struct field ") else { return why };
    format!("{before}Go struct field {}", field.replacen(".metadata.", ".", 1))
}

fn with_metadata(mut value: Value, mut metadata: Value) -> Value {
    if let (Value::Object(fields), Some(metadata)) = (&mut value, metadata.get_mut("metadata")) {
        let mut metadata = metadata.take();
        if let Value::Object(metadata) = &mut metadata
            && metadata.get("creationTimestamp").is_some_and(Value::is_null)
        {
            metadata.remove("creationTimestamp");
        }
        fields.insert("metadata".into(), metadata);
    }
    value
}

/// Makes integers of floats without a fraction: Go writes them without a point, and reads that as an integer.
fn integers(value: &mut Value) {
    match value {
        Value::Number(number) => {
            if let Some(float) = number.as_f64().filter(|_| number.is_f64())
                && float.fract() == 0.0
                && float.abs() < LARGEST_INTEGER
            {
                #[expect(clippy::cast_possible_truncation, reason = "it has no fraction, and is small enough")]
                let integer = float as i64;
                *number = Number::from(integer);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(integers),
        Value::Object(fields) => fields.values_mut().for_each(integers),
        _ => {}
    }
}
