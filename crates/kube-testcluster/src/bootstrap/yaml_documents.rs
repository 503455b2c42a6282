//! The documents of a YAML file that the user has written, in one of three forms: several documents, a List (as kubectl
//! prints it), or a plain sequence.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{Location, Spanned};

use kube_machinery::conventions::yaml::{self, FileError};
use kube_machinery::value::{Map, Value};

/// Returns the objects of a file with their positions. `name` is the file's name, and `expected` what it should hold,
/// for error messages.
///
/// # Errors
/// The text is not YAML.
pub(crate) fn objects(text: &str, name: &str, expected: &str) -> Result<Vec<(Value, Location)>, FileError> {
    // Lifts the parser's limits on the size of the file, because a file may have any number of objects. The limits on
    // aliases stay, because aliases could multiply the contents.
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_documents: usize::MAX, max_nodes: usize::MAX, max_events: usize::MAX },
    };
    let documents = serde_saphyr::from_multiple_with_options::<Spanned<YamlDocument>>(text, options)
        .map_err(|error| yaml::of_yaml(&error, name, expected))?;
    Ok(documents.into_iter().flat_map(|document| document.value.objects(document.referenced)).collect())
}

/// One document, with the position of each object in a sequence or a List.
enum YamlDocument {
    Empty,
    Sequence(Vec<Spanned<Value>>),
    Mapping { fields: Map, items: Option<Vec<Spanned<Value>>> },
}

impl YamlDocument {
    fn items(items: Vec<Spanned<Value>>) -> Vec<(Value, Location)> {
        items.into_iter().map(|item| (item.value, item.referenced)).collect()
    }

    /// Returns the objects in the document, each with its position. `at` is the position of the document.
    fn objects(self, at: Location) -> Vec<(Value, Location)> {
        match self {
            Self::Empty => Vec::new(),
            Self::Sequence(items) => Self::items(items),
            Self::Mapping { fields, items: Some(items) } if is_list(&fields) => Self::items(items),
            Self::Mapping { mut fields, items } => {
                if let Some(items) = items {
                    let items: Vec<_> = items.into_iter().map(|item| item.value).collect();
                    fields.insert("items".into(), items.into()); // the object's own field
                }
                vec![(Value::Object(fields), at)]
            }
        }
    }
}

/// Returns true if the `items` of an object are objects of the file. A custom resource may have a field of this name.
fn is_list(object: &Map) -> bool {
    object.get("kind").and_then(Value::as_str).is_none_or(|kind| kind.ends_with("List"))
}

impl<'de> Deserialize<'de> for YamlDocument {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DocumentVisitor)
    }
}

struct DocumentVisitor;

impl<'de> Visitor<'de> for DocumentVisitor {
    type Value = YamlDocument;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object, a List of objects, or a sequence of objects")
    }

    fn visit_unit<E: de::Error>(self) -> Result<YamlDocument, E> {
        Ok(YamlDocument::Empty)
    }

    fn visit_none<E: de::Error>(self) -> Result<YamlDocument, E> {
        Ok(YamlDocument::Empty)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<YamlDocument, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = sequence.next_element()? {
            items.push(item);
        }
        Ok(YamlDocument::Sequence(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut mapping: A) -> Result<YamlDocument, A::Error> {
        let (mut fields, mut items) = (Map::new(), None);
        while let Some(key) = mapping.next_key::<String>()? {
            if key == "items" {
                items = Some(mapping.next_value()?);
            } else {
                fields.insert(key.into(), mapping.next_value()?);
            }
        }
        Ok(YamlDocument::Mapping { fields, items })
    }
}
