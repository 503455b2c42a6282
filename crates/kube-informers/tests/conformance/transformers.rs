//! The transformers that the recordings name. They leave objects without metadata unchanged.

use std::sync::Arc;

use kube_informers::cache::BoxError;
use serde_json::Value;

use super::object::TestObject;

/// Returns the transformer of this name, or none if the name is null.
pub fn transformer(
    name: &Value,
) -> Option<impl Fn(Arc<TestObject>) -> Result<Arc<TestObject>, BoxError> + Clone + Send + Sync + 'static> {
    let name = name.as_str()?.to_owned();
    Some(move |mut object: Arc<TestObject>| {
        let TestObject::Whole(fields) = Arc::make_mut(&mut object) else { return Ok(object) };
        match (name.as_str(), fields.value.as_str()) {
            ("count_or_fail", "bad") => return Err(format!("transform failed: {}", fields.name).into()),
            ("break", "bad") => return Ok(Arc::new(TestObject::Raw { raw: format!("broken-{}", fields.name) })),
            ("count" | "count_or_fail" | "break", _) => {}
            (unknown, _) => panic!("unknown transformer {unknown}"),
        }
        let times = fields.labels.get("transformed").map_or(0, |times| times.parse::<u32>().unwrap());
        fields.labels.insert("transformed".to_owned(), (times + 1).to_string());
        Ok(object)
    })
}
