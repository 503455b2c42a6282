//! Compares two states of an object, and finds the fields that were added, removed and modified. The writing manager
//! gets the changed fields, and other managers lose them. In an apply, changed fields that others own are conflicts,
//! unless the apply is forced. Left is the old state, right the new one. Upstream: `typed/compare.go`.

use std::collections::{BTreeMap, BTreeSet};
use std::iter::zip;

use super::super::fieldpath::PathElement;
use super::super::schema::{Handled, List, MapType, Relationship, Schema, TypeRef};
use super::super::value::equals;
use super::errors::{handled, resolved};
use super::items::element_of;
use super::merging::{fields, is_empty, items};
use super::validate::check_scalar;
use super::{Comparison, Type, ValidationErrors};
use crate::value::{Map, SmolStr, Value};

pub(super) fn compare(of: &Type, left: &Value, right: &Value) -> Result<Comparison, ValidationErrors> {
    let mut comparing = Comparing { schema: &of.schema, path: Vec::new(), comparison: Comparison::default() };
    comparing.value(&of.reference, Some(left), Some(right))?;
    Ok(comparing.comparison)
}

struct Comparing<'s> {
    schema: &'s Schema,
    path: Vec<PathElement>,
    comparison: Comparison,
}

/// The way in which a compared value was recorded: as one field, or by its parts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Recorded {
    Leaf,
    Nested,
}

impl Comparing<'_> {
    fn value(&mut self, of: &TypeRef, left: Option<&Value>, right: Option<&Value>) -> Result<(), ValidationErrors> {
        if left.is_none() && right.is_none() {
            return Err(ValidationErrors::one("at least one of lhs and rhs must be provided".to_owned()));
        }
        let atom = resolved(self.schema, of)?;
        let (of_left, of_right) = (atom.deduced(left), atom.deduced(right));
        let mut faults = ValidationErrors::default();
        let mut handle = |atom, faults: &mut ValidationErrors| match handled(atom, of) {
            Ok(handled) => self.handled(handled, left, right, faults),
            Err(fault) => {
                faults.add(Err(fault), "");
                Recorded::Nested
            }
        };
        let recorded = if right.is_none() {
            handle(of_left, &mut faults)
        } else if left.is_none() || of_left.is_same_choice(of_right) {
            handle(of_right, &mut faults)
        } else {
            // The value changed its kind, for example from a scalar to a map.
            handle(of_left, &mut faults);
            handle(of_right, &mut faults)
        };
        match (left, right) {
            (None, _) if recorded == Recorded::Nested => self.comparison.added.insert(&self.path),
            (_, None) if recorded == Recorded::Nested => self.comparison.removed.insert(&self.path),
            _ => {}
        }
        faults.into_result()
    }

    fn handled(
        &mut self,
        handled: Handled<'_>,
        left: Option<&Value>,
        right: Option<&Value>,
        faults: &mut ValidationErrors,
    ) -> Recorded {
        match handled {
            Handled::Scalar(scalar) => {
                match (check_scalar(scalar, left, "lhs: "), check_scalar(scalar, right, "rhs: ")) {
                    (Err(of_left), Err(of_right)) => {
                        faults.add(Err(of_left), "");
                        faults.add(Err(of_right), "");
                        Recorded::Nested
                    }
                    _ => self.leaf(left, right),
                }
            }
            Handled::List(list, relationship) => {
                let (lefts, rights) = (items(left), items(right));
                if relationship == Relationship::Atomic || lefts.is_empty() && rights.is_empty() {
                    return self.leaf(left, right);
                }
                self.lists(list, relationship, lefts, rights, faults);
                Recorded::Nested
            }
            Handled::Map(map, relationship) => {
                let (lefts, rights) = (fields(left), fields(right));
                if relationship == Relationship::Atomic || is_empty(lefts) && is_empty(rights) {
                    return self.leaf(left, right);
                }
                self.maps(map, lefts, rights, faults);
                Recorded::Nested
            }
        }
    }

    /// Records the difference of two values that are compared as a whole.
    fn leaf(&mut self, left: Option<&Value>, right: Option<&Value>) -> Recorded {
        match (left, right) {
            (None, _) => self.comparison.added.insert(&self.path),
            (_, None) => self.comparison.removed.insert(&self.path),
            (Some(left), Some(right)) if !equals(left, right) => self.comparison.modified.insert(&self.path),
            _ => {}
        }
        Recorded::Leaf
    }

    fn maps(&mut self, map: &MapType, left: Option<&Map>, right: Option<&Map>, faults: &mut ValidationErrors) {
        let names: BTreeSet<&SmolStr> = left.into_iter().chain(right).flat_map(Map::keys).collect();
        for name in names {
            let (left, right) = (left.and_then(|map| map.get(name)), right.and_then(|map| map.get(name)));
            self.part(PathElement::FieldName(name.to_string()), map.type_of(name), left, right, faults);
        }
    }

    /// Compares the values of one field or item.
    fn part(
        &mut self,
        element: PathElement,
        of: &TypeRef,
        left: Option<&Value>,
        right: Option<&Value>,
        faults: &mut ValidationErrors,
    ) {
        self.path.push(element);
        let compared = self.value(of, left, right);
        if let Some(element) = self.path.pop() {
            faults.add(compared, element);
        }
    }

    fn lists(
        &mut self,
        list: &List,
        relationship: Relationship,
        lefts: &[Value],
        rights: &[Value],
        faults: &mut ValidationErrors,
    ) {
        let mut both: BTreeMap<PathElement, (Vec<&Value>, Vec<&Value>)> = BTreeMap::new();
        for (i, item) in lefts.iter().enumerate() {
            match element_of(self.schema, list, relationship, item) {
                Ok(element) => both.entry(element).or_default().0.push(item),
                Err(why) => faults.add(Err(ValidationErrors::one(format!("element {i}: {why}"))), ""),
            }
        }
        for (i, item) in rights.iter().enumerate() {
            match element_of(self.schema, list, relationship, item) {
                Ok(element) => both.entry(element).or_default().1.push(item),
                Err(why) => faults.add(Err(ValidationErrors::one(format!("element {i}: {why}"))), ""),
            }
        }
        for (element, (lefts, rights)) in both {
            self.items(list, element, &lefts, &rights, faults);
        }
    }

    /// Compares the items that have the same path element. Duplicates count as one leaf.
    fn items(
        &mut self,
        list: &List,
        element: PathElement,
        lefts: &[&Value],
        rights: &[&Value],
        faults: &mut ValidationErrors,
    ) {
        let whole: Vec<PathElement> = self.path.iter().chain([&element]).cloned().collect();
        match (lefts, rights) {
            ([] | [_], [] | [_]) => {
                self.part(element, &list.element, lefts.first().copied(), rights.first().copied(), faults);
            }
            ([_, _, ..], [_, _, ..]) => {
                let same = lefts.len() == rights.len() && zip(lefts, rights).all(|(left, right)| equals(left, right));
                if !same {
                    self.comparison.modified.insert(&whole);
                }
            }
            ([_, _, ..], rights) => {
                if let Some(right) = rights.first() {
                    self.part(element, &list.element, None, Some(right), faults);
                }
                self.comparison.removed.insert(&whole);
            }
            (lefts, _) => {
                if let Some(left) = lefts.first() {
                    self.part(element, &list.element, Some(left), None, faults);
                }
                self.comparison.added.insert(&whole);
            }
        }
    }
}
