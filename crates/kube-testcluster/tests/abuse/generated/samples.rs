//! Makes values that fit a schema of an OpenAPI document: as a rule the server accepts them, or finds their faults late.

use fastrand::Rng;
use serde_json::{Map, Value, json};

use super::words::{NAMES, STRINGS, pick};

/// The most values of a sample, apart from the required fields.
const MOST_VALUES: usize = 120;

/// The most levels of a sample, because schemas can contain themselves.
const MOST_LEVELS: usize = 12;

pub struct Samples<'a> {
    schemas: &'a Map<String, Value>,
    /// The number of values that may still be added.
    left: usize,
}

impl<'a> Samples<'a> {
    pub fn new(schemas: &'a Map<String, Value>) -> Self {
        Self { schemas, left: MOST_VALUES }
    }

    /// Makes an object of this schema, with a name that other samples have too, so that several writes change one object.
    pub fn object(mut self, random: &mut Rng, schema: &Value) -> Value {
        let mut object = self.value(random, schema, 0);
        if object.get("metadata").is_some_and(Value::is_object) {
            object["metadata"]["name"] = pick(random, &NAMES).into();
            if let Some(metadata) = object["metadata"].as_object_mut() {
                // The server would refuse this write because of the fields below, and most later ones because of a
                // deletion.
                let kept = |field: &str, random: &mut Rng| random.u8(0..10) == 0 || !field.starts_with("deletion");
                metadata.retain(|field, _| {
                    kept(field, random)
                        && !matches!(&**field, "resourceVersion" | "namespace" | "uid" | "managedFields")
                });
            }
        }
        object
    }

    fn value(&mut self, random: &mut Rng, schema: &Value, level: usize) -> Value {
        self.left = self.left.saturating_sub(1);
        if level > MOST_LEVELS {
            return Value::Null;
        }
        if let Some(name) = schema["$ref"].as_str() {
            let schemas = self.schemas;
            let name = name.rsplit('/').next().unwrap_or_default();
            return schemas.get(name).map_or(Value::Null, |schema| self.value(random, schema, level));
        }
        for several in ["allOf", "oneOf", "anyOf"] {
            if let Some(schemas) = schema[several].as_array().filter(|schemas| !schemas.is_empty()) {
                let chosen = random.usize(0..schemas.len());
                return self.value(random, &schemas[chosen], level);
            }
        }
        if let Some(allowed) = schema["enum"].as_array().filter(|allowed| !allowed.is_empty()) {
            return allowed[random.usize(0..allowed.len())].clone();
        }
        match schema["type"].as_str() {
            Some("object") => self.fields(random, schema, level),
            Some("array") => {
                let count = random.usize(0..if self.left > 0 { 3 } else { 2 });
                (0..count).map(|_| self.value(random, &schema["items"], level + 1)).collect()
            }
            Some("integer" | "number") => random.i32(0..100).into(),
            Some("boolean") => random.bool().into(),
            Some("string") => match schema["format"].as_str() {
                Some("date-time") => "2024-05-01T10:00:00Z".into(),
                Some("byte") => "YWJj".into(),
                _ => pick(random, &STRINGS).into(),
            },
            _ => json!({"a": pick(random, &STRINGS)}),
        }
    }

    fn fields(&mut self, random: &mut Rng, schema: &Value, level: usize) -> Value {
        let mut fields = Map::new();
        if let Some(kind) = schema["x-kubernetes-group-version-kind"].get(0) {
            let text = |field: &str| kind[field].as_str().unwrap_or_default().to_owned();
            let group = text("group");
            let version = if group.is_empty() { text("version") } else { format!("{group}/{}", text("version")) };
            fields.extend([("apiVersion".to_owned(), version.into()), ("kind".to_owned(), text("kind").into())]);
        }
        let required = schema["required"].as_array();
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let is_required = required.is_some_and(|required| required.contains(&Value::from(name.as_str())));
            let is_usual = level == 0 && matches!(&**name, "metadata" | "spec" | "data" | "rules");
            let is_chosen = self.left > 0 && random.usize(0..4) == 0;
            if !fields.contains_key(name) && (is_required || is_usual || is_chosen) {
                let value = self.value(random, property, level + 1);
                fields.insert(name.clone(), value);
            }
        }
        if schema["additionalProperties"].is_object() {
            for _ in 0..random.usize(0..3) {
                let value = self.value(random, &schema["additionalProperties"], level + 1);
                fields.insert(pick(random, &STRINGS).to_owned(), value);
            }
        }
        fields.into()
    }
}
