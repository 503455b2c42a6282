//! Computes the set of fields of a value, which a manager owns after it applied the value: every leaf (a scalar, or an
//! atomic list or map, which counts as a whole), every list item, and every key of a map. Upstream:
//! `typed/tofieldset.go`.

use std::collections::BTreeMap;

use super::super::fieldpath::{PathElement, Set};
use super::super::schema::{Handled, List, MapType, Relationship, Schema, TypeRef};
use super::errors::{handled, resolved};
use super::items::element_of;
use super::{Type, ValidationErrors};
use crate::value::{Map, Value};

pub(super) fn to_field_set(of: &Type, value: &Value) -> Result<Set, ValidationErrors> {
    let mut walk = Walk { schema: &of.schema, path: Vec::new(), set: Set::default() };
    walk.value(&of.reference, value)?;
    Ok(walk.set)
}

struct Walk<'s> {
    schema: &'s Schema,
    path: Vec<PathElement>,
    set: Set,
}

impl Walk<'_> {
    fn value(&mut self, of: &TypeRef, value: &Value) -> Result<(), ValidationErrors> {
        match (handled(resolved(self.schema, of)?.deduced(Some(value)), of)?, value) {
            (
                Handled::Scalar(_) | Handled::List(_, Relationship::Atomic) | Handled::Map(_, Relationship::Atomic),
                _,
            ) => {
                self.set.insert(&self.path);
                Ok(())
            }
            (Handled::List(list, relationship), Value::Array(items)) => self.items(list, relationship, items),
            (Handled::Map(map, _), Value::Object(fields)) => self.fields(map, fields),
            _ => Ok(()),
        }
    }

    /// Adds the items of a list. Duplicates are one field together, without the fields inside of them.
    fn items(&mut self, list: &List, relationship: Relationship, items: &[Value]) -> Result<(), ValidationErrors> {
        let elements = items.iter().map(|item| element_of(self.schema, list, relationship, item).ok());
        let elements: Vec<Option<PathElement>> = elements.collect();
        let mut times: BTreeMap<&PathElement, usize> = BTreeMap::new();
        for element in elements.iter().flatten() {
            *times.entry(element).or_default() += 1;
        }
        let mut faults = ValidationErrors::default();
        for (element, item) in std::iter::zip(&elements, items) {
            let Some(element) = element else { continue };
            self.path.push(element.clone());
            if times.get(element) == Some(&1) {
                faults.add(self.value(&list.element, item), "");
            }
            self.set.insert(&self.path);
            self.path.pop();
        }
        faults.into_result()
    }

    fn fields(&mut self, map: &MapType, fields: &Map) -> Result<(), ValidationErrors> {
        let mut faults = ValidationErrors::default();
        for (name, value) in fields {
            self.path.push(PathElement::FieldName(name.clone().into()));
            faults.add(self.value(map.type_of(name), value), "");
            // A field of a struct is in the set only through the leaves below it, unless its value is empty. A key of a
            // map, which is a key that the type does not declare, is in the set itself, as a list item is.
            let is_empty = value.is_null() || value.as_object().is_some_and(Map::is_empty);
            if is_empty || !map.fields.contains_key(name.as_str()) {
                self.set.insert(&self.path);
            }
            self.path.pop();
        }
        faults.into_result()
    }
}
