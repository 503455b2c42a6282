//! The names of drivers, pools, requests, and of the attributes and capacities of devices.

use std::collections::{BTreeMap, BTreeSet};

use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::kinds::fields::{invalid, items, text};
use crate::kinds::names;
use crate::value::Value;

const LONGEST_DRIVER: usize = 63;
const LONGEST_POOL: usize = 253;
/// The longest name of an attribute or a capacity, without its domain.
const LONGEST_IDENTIFIER: usize = 32;
const NO_REQUEST: &str =
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

/// Upstream: `ValidateCSIDriverName`, whose rules are those of drivers of devices too.
pub(super) fn driver(name: &str, at: At<'_>) -> Causes {
    if name.is_empty() {
        return Causes::from([Cause::required(at, "")]);
    }
    let mut causes = Causes::new();
    if name.len() > LONGEST_DRIVER {
        causes.push(Cause::too_long(at, LONGEST_DRIVER));
    }
    causes.extend(invalid(at, name, names::subdomain(&name.to_lowercase())));
    causes
}

/// Upstream: `validatePoolName`.
pub(super) fn pool(name: &str, at: At<'_>) -> Causes {
    if name.is_empty() {
        return Causes::from([Cause::required(at, "")]);
    }
    let mut causes = Causes::new();
    if name.len() > LONGEST_POOL {
        causes.push(Cause::too_long(at, LONGEST_POOL));
    }
    causes.extend(name.split('/').flat_map(|part| invalid(at, part, names::subdomain(part))));
    causes
}

/// Upstream: `validateQualifiedName`. As upstream, a name with several slashes is valid.
pub(super) fn qualified(name: &str, at: At<'_>) -> Causes {
    match name.split('/').collect::<Vec<_>>()[..] {
        [name] => identifier(name, at),
        [domain, name] => {
            let mut causes = match domain {
                "" => Causes::from([Cause::invalid(at, "", "the domain must not be empty")]),
                domain => driver(domain, at),
            };
            causes.extend(match name {
                "" => Causes::from([Cause::invalid(at, "", "the name must not be empty")]),
                name => identifier(name, at),
            });
            causes
        }
        _ => Causes::new(),
    }
}

/// Upstream: `validateCIdentifier`.
fn identifier(name: &str, at: At<'_>) -> Causes {
    let mut causes = Causes::new();
    if name.len() > LONGEST_IDENTIFIER {
        causes.push(Cause::too_long(at, LONGEST_IDENTIFIER));
    }
    causes.extend(names::c_identifier(name).map(|why| Cause::invalid(at, name, why)));
    causes
}

/// The names of a claim's requests, each with those of its subrequests. Upstream: `requestNames`.
pub(super) struct RequestNames<'v>(BTreeMap<&'v str, BTreeSet<&'v str>>);

impl<'v> RequestNames<'v> {
    /// Reads the names in a `DeviceClaim`.
    pub(super) fn of(devices: &'v Value) -> Self {
        let name = |request: &'v Value| {
            let inner = items(request, "firstAvailable").iter().map(|inner| text(inner, "name"));
            (text(request, "name"), inner.collect())
        };
        Self(items(devices, "requests").iter().map(name).collect())
    }

    fn has(&self, name: &str) -> bool {
        match name.split_once('/') {
            None => self.0.contains_key(name),
            Some((name, inner)) => self.0.get(name).is_some_and(|known| known.contains(inner)),
        }
    }

    /// Checks a reference to a request or a subrequest of the claim. Upstream: `validateRequestNameRef`.
    pub(super) fn validate_reference(&self, name: &str, at: At<'_>) -> Causes {
        let no_request = || Cause::invalid(at, name, NO_REQUEST);
        if name.matches('/').count() > 1 {
            return Causes::from([no_request()]);
        }
        let mut causes: Causes = name.split('/').flat_map(|part| invalid(at, part, names::label(part))).collect();
        if !self.has(name) {
            causes.push(no_request());
        }
        causes
    }

    /// Checks the list of references in the field `requests`, unless it is too long.
    pub(super) fn validate_references(&self, parent: &Value, at: At<'_>) -> Causes {
        const MOST: usize = 32;
        let list = items(parent, "requests");
        let one = |(i, name): (usize, &Value)| {
            self.validate_reference(name.as_str().unwrap_or_default(), &format_args!("{at}.requests[{i}]"))
        };
        if list.len() > MOST { Causes::new() } else { list.iter().enumerate().flat_map(one).collect() }
    }
}
