//! Adapts a set of owned fields to a schema that has changed since: a list or map may have become atomic, so that a
//! manager owns all of it or nothing. This happens at every write, before the new ownership is computed. Upstream:
//! `typed/reconcile_schema.go`.

use super::super::fieldpath::{Path, PathElement, Set};
use super::super::schema::{DEDUCED, Handled, MapType, Relationship, Scalar, Schema, TypeKind, TypeRef};
use super::errors::{handled, resolved};
use super::{Type, ValidationErrors};

/// Replaces owned parts of values that are atomic now by the whole value. Returns `None` if there are no such parts.
/// Values that are no longer atomic stay owned as a whole.
pub(super) fn reconcile(of: &Type, fields: &Set) -> Result<Option<Set>, ValidationErrors> {
    let mut walk = Walk { schema: &of.schema, path: Vec::new(), atomic_now: Vec::new() };
    walk.value(&of.reference, Some(fields), Owned::InParts)?;
    if walk.atomic_now.is_empty() {
        return Ok(None);
    }
    let wholes = Set::of(walk.atomic_now);
    Ok(Some(fields.recursive_difference(&wholes).union(&wholes)))
}

/// The way in which a manager owns a part of the value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owned {
    AsAWhole,
    InParts,
}

struct Walk<'s> {
    schema: &'s Schema,
    path: Vec<PathElement>,
    /// The values that must be owned as a whole.
    atomic_now: Vec<Path>,
}

impl Walk<'_> {
    fn value(&mut self, of: &TypeRef, fields: Option<&Set>, owned: Owned) -> Result<(), ValidationErrors> {
        match handled(resolved(self.schema, of)?, of)? {
            Handled::Scalar(_) => Ok(()),
            Handled::List(_, Relationship::Atomic) if owned == Owned::InParts => {
                self.atomic_now.push(Path(self.path.clone()));
                Ok(())
            }
            Handled::List(list, _) => self.parts(fields, |_| Some(&list.element)),
            Handled::Map(map, _) if is_untyped(map) => Ok(()),
            Handled::Map(_, Relationship::Atomic) if owned == Owned::InParts => {
                if fields.is_some_and(|fields| !fields.is_empty()) {
                    self.atomic_now.push(Path(self.path.clone()));
                }
                Ok(())
            }
            Handled::Map(map, _) => self.parts(fields, |element| {
                let of = match element {
                    PathElement::FieldName(name) => map.type_of(name),
                    _ => &map.element,
                };
                (!of.is_empty()).then_some(of)
            }),
        }
    }

    /// Walks over the owned parts. Parts that the schema does not have are skipped.
    fn parts<'t>(
        &mut self,
        fields: Option<&Set>,
        type_of: impl Fn(&PathElement) -> Option<&'t TypeRef>,
    ) -> Result<(), ValidationErrors> {
        let mut faults = ValidationErrors::default();
        let Some(fields) = fields else { return Ok(()) };
        for (element, member) in fields.elements() {
            let Some(of) = type_of(element) else { continue };
            let below = fields.below(element);
            let owned = if member && below.is_none() { Owned::AsAWhole } else { Owned::InParts };
            self.path.push(element.clone());
            faults.add(self.value(of, below, owned), "");
            self.path.pop();
        }
        faults.into_result()
    }
}

/// Returns true if a map declares nothing: `x-kubernetes-preserve-unknown-fields` without properties.
fn is_untyped(map: &MapType) -> bool {
    map.fields.is_empty()
        && match &map.element.kind {
            TypeKind::Named(name) => &**name == DEDUCED,
            TypeKind::Inlined(atom) => atom.scalar == Some(Scalar::Untyped),
        }
}
