//! Merges one value over another of the same type: a configuration (the right value) into the existing object (the left
//! one). Atomic lists and maps are replaced, others are merged item by item. Upstream: `typed/merge.go`.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::super::fieldpath::PathElement;
use super::super::schema::{Handled, List, MapType, Relationship, Schema, TypeRef};
use super::errors::{handled, resolved};
use super::items::element_of;
use super::validate::check_scalar;
use super::{Duplicates, Type, ValidationErrors};
use crate::value::{Array, Map, SmolStr, Value};

pub(super) fn merge(of: &Type, left: &Value, right: &Value) -> Result<Value, ValidationErrors> {
    let (merged, faults) = Merging { schema: &of.schema }.value(&of.reference, Some(left), Some(right));
    faults.into_result().map(|()| merged.unwrap_or_default())
}

/// The merged value, if there is one, and the errors.
type Merged = (Option<Value>, ValidationErrors);

/// Returns an error without a value.
fn failed(fault: ValidationErrors) -> Merged {
    (None, fault)
}

struct Merging<'s> {
    schema: &'s Schema,
}

impl Merging<'_> {
    fn value(&self, of: &TypeRef, left: Option<&Value>, right: Option<&Value>) -> Merged {
        if left.is_none() && right.is_none() {
            return failed(ValidationErrors::one("at least one of lhs and rhs must be provided".to_owned()));
        }
        let atom = match resolved(self.schema, of) {
            Ok(atom) => atom,
            Err(fault) => return failed(fault),
        };
        let (of_left, of_right) = (atom.deduced(left), atom.deduced(right));
        let handle = |atom| match handled(atom, of) {
            Ok(handled) => self.handled(handled, left, right),
            Err(fault) => failed(fault),
        };
        if right.is_none() {
            handle(of_left)
        } else if left.is_none() || of_left.is_same_choice(of_right) {
            handle(of_right)
        } else {
            // The two values have different kinds. Both must fit their kind; the right value wins.
            let ((_, mut faults), (merged, more)) = (handle(of_left), handle(of_right));
            faults.add(more.into_result(), "");
            (merged, faults)
        }
    }

    fn handled(&self, handled: Handled<'_>, left: Option<&Value>, right: Option<&Value>) -> Merged {
        match handled {
            Handled::Scalar(scalar) => {
                match (check_scalar(scalar, left, "lhs: "), check_scalar(scalar, right, "rhs: ")) {
                    (Err(mut faults), Err(more)) => {
                        faults.add(Err(more), "");
                        failed(faults)
                    }
                    _ => leaf(left, right),
                }
            }
            Handled::List(list, relationship) => {
                let (lefts, rights) = (items(left), items(right));
                if relationship == Relationship::Atomic || lefts.is_empty() && rights.is_empty() {
                    leaf(left, right)
                } else {
                    self.lists(list, relationship, lefts, rights)
                }
            }
            Handled::Map(map, relationship) => {
                let (lefts, rights) = (fields(left), fields(right));
                if relationship == Relationship::Atomic || is_empty(lefts) && is_empty(rights) {
                    leaf(left, right)
                } else {
                    self.maps(map, lefts, rights)
                }
            }
        }
    }

    fn maps(&self, map: &MapType, left: Option<&Map>, right: Option<&Map>) -> Merged {
        let mut faults = ValidationErrors::default();
        let mut out = Map::new();
        let names: BTreeSet<&SmolStr> = left.into_iter().chain(right).flat_map(Map::keys).collect();
        for name in names {
            let (left, right) = (left.and_then(|map| map.get(name)), right.and_then(|map| map.get(name)));
            let (merged, wrong) = self.value(map.type_of(name), left, right);
            faults.add(wrong.into_result(), PathElement::FieldName(name.to_string()));
            out.extend(merged.map(|merged| (name.clone(), merged)));
        }
        ((!out.is_empty()).then_some(Value::Object(out)), faults)
    }

    /// Merges two lists. Shared items are in the order of the right list. An item that only the left list has stays
    /// behind the items that were before it. As upstream, errors inside of an item are dropped.
    fn lists(&self, list: &List, relationship: Relationship, lefts: &[Value], rights: &[Value]) -> Merged {
        let mut faults = ValidationErrors::default();
        let right = self.indexed(list, relationship, rights, Duplicates::Refused, &mut faults);
        let left = self.indexed(list, relationship, lefts, Duplicates::Allowed, &mut faults);
        if faults.clone().into_result().is_err() {
            return failed(faults);
        }
        // The items that both lists have, in the right list's order, each until it is merged.
        let mut shared: VecDeque<&PathElement> =
            right.elements.iter().filter(|element| left.known.contains_key(element)).collect();
        let mut next_shared = shared.pop_front();
        let mut merged: BTreeSet<&PathElement> = BTreeSet::new();
        let mut out = Vec::with_capacity(lefts.len().max(rights.len()));
        let merge = |left: Option<&Value>, right: Option<&Value>| self.value(&list.element, left, right).0;
        let merge_both = |element| merge(left.known.get(element).copied(), right.known.get(element).copied());
        let (mut l, mut r) = (0, 0); // the positions in the left and the right list
        while l < left.elements.len() || r < right.elements.len() {
            if let (Some(at_left), Some(at_right)) = (left.elements.get(l), right.elements.get(r)) {
                if at_left == at_right {
                    merged.insert(at_left);
                    out.extend(merge_both(at_left));
                    (l, r) = (l + 1, r + 1);
                    next_shared = shared.pop_front();
                    continue;
                }
                if right.known.contains_key(at_left) && next_shared.is_some_and(|next| next != at_left) {
                    l += 1; // it is merged later, in the right list's order
                    continue;
                }
            }
            if let Some(at_left) = left.elements.get(l) {
                if !right.known.contains_key(at_left) {
                    // Takes the item by position, so that all duplicates stay.
                    out.extend(merge(lefts.get(l), None));
                    l += 1;
                    continue;
                }
                // The item was merged when the right list had it.
                if merged.contains(at_left) {
                    l += 1;
                }
            }
            if let Some(at_right) = right.elements.get(r) {
                merged.insert(at_right);
                out.extend(merge_both(at_right));
                r += 1;
                if next_shared == Some(at_right) {
                    next_shared = shared.pop_front();
                }
            }
        }
        ((!out.is_empty()).then_some(Value::Array(out.into())), faults)
    }

    /// Returns the items of a list by their elements. Allowed duplicates have a null value, because they are not
    /// merged.
    fn indexed<'v>(
        &self,
        list: &List,
        relationship: Relationship,
        items: &'v [Value],
        duplicates: Duplicates,
        faults: &mut ValidationErrors,
    ) -> Indexed<'v> {
        let mut indexed = Indexed { elements: Vec::with_capacity(items.len()), known: BTreeMap::new() };
        for (i, item) in items.iter().enumerate() {
            let element = match element_of(self.schema, list, relationship, item) {
                Ok(element) => element,
                Err(why) => {
                    faults.add(Err(ValidationErrors::one(format!("element {i}: {why}"))), "");
                    continue;
                }
            };
            let known = indexed.known.contains_key(&element);
            if known && duplicates == Duplicates::Refused {
                let why = format!("duplicate entries for key {element}");
                faults.add(Err(ValidationErrors::one(why)), "");
                continue;
            }
            indexed.known.insert(element.clone(), if known { &Value::Null } else { item });
            indexed.elements.push(element);
        }
        indexed
    }
}

/// The items of a list by their elements, and the elements in the order of the list.
struct Indexed<'v> {
    elements: Vec<PathElement>,
    known: BTreeMap<PathElement, &'v Value>,
}

/// Merges two leaves: the right one wins.
fn leaf(left: Option<&Value>, right: Option<&Value>) -> Merged {
    (right.or(left).cloned(), ValidationErrors::default())
}

/// Returns the items of a list, and none for any other value.
pub(super) fn items(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map_or(&[], Array::as_slice)
}

/// Returns the fields of a map; `None` for any other value.
pub fn fields(value: Option<&Value>) -> Option<&Map> {
    value.and_then(Value::as_object)
}

pub(super) fn is_empty(fields: Option<&Map>) -> bool {
    fields.is_none_or(Map::is_empty)
}
