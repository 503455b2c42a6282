//! Decodes objects of a kind: a built-in kind as its Go type, a custom resource by the schema of its definition.

use super::resource::Resource;
use crate::codec::json::Json;
use crate::codec::schema::{self, Decoded};
use crate::value::Value;

impl Resource {
    /// Sets the defaults of a new state. A kind with `defaults_but_spec` skips a spec that is shared with the old
    /// state, because that already has its defaults.
    pub fn default_change(&self, new: &mut Value, before: &Value) {
        match self.defaults_but_spec {
            Some(defaults) if new["spec"].is_same(&before["spec"]) => defaults(new),
            _ => (self.defaults)(new),
        }
    }

    /// Decodes an object as its type, drops unknown fields, and removes kind and apiVersion.
    pub fn decode_value(&self, value: Value) -> Result<Decoded, String> {
        self.decode_change(value, &Value::Null)
    }

    /// Decodes a new state of an object as its type. Parts that it shares with the old state are skipped: they were
    /// decoded when that state was written.
    pub fn decode_change(&self, value: Value, before: &Value) -> Result<Decoded, String> {
        match &self.custom {
            Some(custom) => custom.decode_value(value),
            None => schema::conform(self.go_type(), value, before),
        }
    }

    /// Decodes an object that server-side apply has merged.
    pub fn decode_applied(&self, mut value: Value) -> Result<Decoded, String> {
        match &self.custom {
            Some(custom) => custom.decode_applied(value),
            None => {
                schema::from_map(self.go_type(), &mut value, &Value::Null)?;
                schema::conform(self.go_type(), value, &Value::Null)
            }
        }
    }

    /// Decodes parsed JSON, in which duplicate fields are still visible, as the kind's type.
    pub fn decode(&self, json: Json) -> Result<Decoded, String> {
        match &self.custom {
            Some(custom) => custom.decode(json),
            None => schema::decode(self.go_type(), json),
        }
    }

    /// Returns the name of the kind's type in the table of types. A custom resource has no type there.
    pub fn go_type(&self) -> &'static str {
        schema::type_of(self.row.kind, &self.api_version())
    }

    /// Replaces null in maps of bytes, such as the `data` of a Secret, by an empty value, because storage has no null
    /// for bytes.
    pub fn replace_null_bytes(&self, value: &mut Value) {
        if !self.is_unstructured() {
            schema::replace_null_bytes(self.go_type(), value);
        }
    }
}
