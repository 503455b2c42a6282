//! The ServiceCIDR kind, a range from which Services get their cluster IPs. Upstream: `pkg/apis/networking`,
//! `pkg/registry/networking/servicecidr`.

use crate::conventions::addresses::{base_of, canonical_cidr, one_of_each_family};
use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::conventions::go_struct::{Field, GoStruct};
use crate::kinds::columns;
use crate::kinds::fields::{each, items};
use crate::kinds::metadata::keep_metadata_in_status_update;
use crate::kinds::reset_fields;
use crate::kinds::resource::{ResourceRow, Scope, Subresource};
use crate::value::Value;

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    group: "networking.k8s.io",
    plural: "servicecidrs",
    singular: "servicecidr",
    kind: "ServiceCIDR",
    storage_hash: "gNLvruQhW2g=",
    scope: Scope::Cluster,
    subresources: &[Subresource::Status],
    prepare: keep_metadata_in_status_update,
    validate,
    columns: columns::networking::SERVICE_CIDRS,
    reset_fields: reset_fields::status_alone,
    ..ResourceRow::USUAL
};

const AT: &str = "spec.cidrs";
const IMMUTABLE: &str = "field is immutable";
/// The Go struct of the spec, as upstream's causes print it.
const SPEC: GoStruct = GoStruct(&[("CIDRs", "cidrs", Field::Plain)]);

/// Validates a new object, or an update, which may only add a second range. Upstream: `ValidateServiceCIDR`,
/// `ValidateServiceCIDRUpdate`.
fn validate(new: &Value, old: Option<&Value>) -> Causes {
    let spec = &new["spec"];
    let Some(old) = old else { return validate_spec(spec) };
    let (ranges, before) = (items(spec, "cidrs"), items(&old["spec"], "cidrs"));
    let adds_second = (before.len(), ranges.len()) == (1, 2);
    if before.len() != ranges.len() && !adds_second {
        return Causes::from([Cause::invalid_json(AT, &spec["cidrs"], IMMUTABLE)]);
    }
    let changed = ranges.iter().zip(before).enumerate().filter(|(_, (range, before))| range != before);
    let mut causes: Causes =
        changed.map(|(i, (range, _))| Cause::invalid_json(format_args!("{AT}[{i}]"), range, IMMUTABLE)).collect();
    if adds_second {
        causes.extend(validate_spec(spec));
    }
    causes
}

/// Upstream: `validateServiceCIDRSpec`.
fn validate_spec(spec: &Value) -> Causes {
    let ranges = items(spec, "cidrs");
    match ranges.len() {
        0 => return Causes::from([Cause::required(AT, "at least one CIDR required")]),
        1..=2 => {}
        _ => return Causes::from([Cause::invalid_as(AT, &SPEC.print(spec), "may only hold up to 2 values")]),
    }
    let read = each(spec, "cidrs", &"spec");
    let mut causes: Causes =
        read.filter_map(|(at, range)| canonical_cidr(range.as_str().unwrap_or_default(), &at)).collect();
    if !one_of_each_family(ranges.iter().filter_map(|range| base_of(range.as_str()?))) {
        let why = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64";
        causes.push(Cause::invalid_json(AT, &spec["cidrs"], why));
    }
    causes
}
