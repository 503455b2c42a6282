//! Errors about values that do not fit their type. All errors of a value are collected, each with its path. Upstream:
//! `typed/helpers.go`.

use std::fmt::{self, Display};

use super::super::schema::{Handled, Resolved, Schema, TypeRef};

/// The errors of a value, each with the path of the part that does not fit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValidationErrors(Vec<(String, String)>);

impl ValidationErrors {
    pub(super) fn one(why: String) -> Self {
        Self(vec![(String::new(), why)])
    }

    /// Returns the errors if there are any.
    pub(super) fn into_result(self) -> Result<(), Self> {
        if self.0.is_empty() { Ok(()) } else { Err(self) }
    }

    /// Adds the errors of a part of the value.
    pub(super) fn add(&mut self, part: Result<(), Self>, prefix: impl Display) {
        if let Err(faults) = part {
            self.0.extend(faults.0.into_iter().map(|(path, why)| (format!("{prefix}{path}"), why)));
        }
    }
}

impl Display for ValidationErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one = |f: &mut fmt::Formatter<'_>, (path, why): &(String, String)| match path.as_str() {
            "" => f.write_str(why),
            path => write!(f, "{path}: {why}"),
        };
        if let [only] = &*self.0 {
            return one(f, only);
        }
        f.write_str("errors:")?;
        self.0.iter().try_for_each(|fault| {
            f.write_str("\n  ")?;
            one(f, fault)
        })
    }
}

/// Looks up a type, or returns upstream's error.
pub(super) fn resolved<'s>(schema: &'s Schema, of: &'s TypeRef) -> Result<Resolved<'s>, ValidationErrors> {
    schema.resolve(of).ok_or_else(|| {
        let name = of.name().unwrap_or("inlined type");
        ValidationErrors::one(format!("schema error: no type found matching: {name}"))
    })
}

/// Returns the kind (scalar, list or map) as which a value of the type is treated, or upstream's error.
pub(super) fn handled<'s>(atom: Resolved<'s>, of: &TypeRef) -> Result<Handled<'s>, ValidationErrors> {
    atom.handled().ok_or_else(|| {
        let name = of.name().map_or_else(|| "inlined".to_owned(), |name| format!("named type: {name}"));
        ValidationErrors::one(format!("schema error: invalid atom: {name}"))
    })
}
