//! The CSIDriver kind, which says how a CSI driver wants to be called, such as whether its volumes must be attached.
//! Upstream: `pkg/apis/storage`, `pkg/registry/storage/csidriver`.

use std::collections::HashSet;

use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::conventions::edit::{empty, set_default};
use crate::kinds::columns;
use crate::kinds::fields::{each, items, one_of, one_of_if_set, text};
use crate::kinds::resource::{DeleteResponse, Generation, ResourceRow, Scope, Strategy, UnconditionalUpdate};
use crate::value::{Value, json};

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    group: super::GROUP,
    plural: "csidrivers",
    singular: "csidriver",
    kind: "CSIDriver",
    storage_hash: "hL6j/rwBV5w=",
    scope: Scope::Cluster,
    delete_response: DeleteResponse::Object,
    generation: Generation::CountedFromUpdate,
    strategy: Strategy { unconditional_update: UnconditionalUpdate::Refused, ..Strategy::USUAL },
    defaults: set_defaults,
    validate,
    warnings,
    columns: columns::csi::DRIVERS,
    ..ResourceRow::USUAL
};

/// Upstream: `SetDefaults_CSIDriver`.
fn set_defaults(driver: &mut Value) {
    set_default(driver, "spec", empty());
    let spec = &mut driver["spec"];
    set_default(spec, "attachRequired", json!(true));
    for field in
        ["podInfoOnMount", "storageCapacity", "requiresRepublish", "seLinuxMount", "preventPodSchedulingIfMissing"]
    {
        set_default(spec, field, json!(false));
    }
    set_default(spec, "fsGroupPolicy", json!("ReadWriteOnceWithFSType"));
    if items(spec, MODES).is_empty() {
        spec[MODES] = json!(["Persistent"]);
    }
}

const MODES: &str = "volumeLifecycleModes";
/// The shortest period between updates of the allocatable volumes of a node, in seconds.
const SHORTEST_PERIOD: i64 = 10;
/// The shortest and the longest lifetime of a token, in seconds.
const SHORTEST_TOKEN: i64 = 600;
const LONGEST_TOKEN: i64 = 1 << 32;

/// Upstream: `ValidateCSIDriver`, `ValidateCSIDriverUpdate`.
fn validate(new: &Value, old: Option<&Value>) -> Causes {
    let spec = &new["spec"];
    let mut causes =
        Causes::from_iter(one_of_if_set(spec, "fsGroupPolicy", &["File", "None", "ReadWriteOnceWithFSType"], &"spec"));
    causes.extend(token_requests(spec));
    for mode in items(spec, MODES).iter().filter_map(Value::as_str) {
        causes.extend(one_of(mode, &["Persistent", "Ephemeral"], &format_args!("spec.{MODES}")));
    }
    let period = &spec["nodeAllocatableUpdatePeriodSeconds"];
    if period.as_i64().is_some_and(|seconds| seconds < SHORTEST_PERIOD) {
        let why = "must be greater than or equal to 10 seconds";
        causes.push(Cause::invalid_json("spec.nodeAllocatableUpdatePeriodSeconds", period, why));
    }
    let in_secrets = &spec[IN_SECRETS];
    if !in_secrets.is_null() && items(spec, "tokenRequests").is_empty() {
        let why = "serviceAccountTokenInSecrets is set but no tokenRequests are specified";
        causes.push(Cause::invalid_json(format_args!("spec.{IN_SECRETS}"), in_secrets, why));
    }
    causes.extend(old.into_iter().flat_map(|old| changes(spec, &old["spec"])));
    causes
}

/// Checks the audiences, of which no two may be the same, and the lifetimes of the tokens that a driver asks for.
/// Upstream: `validateTokenRequests`.
fn token_requests(spec: &Value) -> Causes {
    let (mut causes, mut seen) = (Causes::new(), HashSet::new());
    for (at, request) in each(spec, "tokenRequests", &"spec") {
        let (audience, seconds) = (text(request, "audience"), &request["expirationSeconds"]);
        if !seen.insert(audience) {
            causes.push(Cause::duplicate(format_args!("{at}.audience"), audience));
            continue;
        }
        let why = match seconds.as_i64() {
            Some(..SHORTEST_TOKEN) => "may not specify a duration less than 10 minutes",
            Some(number) if number > LONGEST_TOKEN => "may not specify a duration larger than 2^32 seconds",
            _ => continue,
        };
        causes.push(Cause::invalid_json(format_args!("{at}.expirationSeconds"), seconds, why));
    }
    causes
}

/// Returns a cause for each immutable field that differs. As upstream, the first one is called `attachedRequired`.
fn changes(spec: &Value, before: &Value) -> Causes {
    let changed = |(field, _): &(&str, &str)| spec[*field] != before[*field];
    let fields = [("attachRequired", "attachedRequired"), (MODES, MODES)].into_iter().filter(changed);
    fields
        .map(|(field, path)| Cause::invalid_json(format_args!("spec.{path}"), &spec[field], "field is immutable"))
        .collect()
}

const IN_SECRETS: &str = "serviceAccountTokenInSecrets";

/// Warns of new token requests of a driver that does not say where it wants the tokens. Upstream: `WarningsOnCreate`,
/// `WarningsOnUpdate`.
fn warnings(new: &Value, old: Option<&Value>) -> Vec<String> {
    let requests = items(&new["spec"], "tokenRequests");
    let is_new = old.is_none_or(|old| items(&old["spec"], "tokenRequests") != requests);
    if requests.is_empty() || !is_new || !new["spec"][IN_SECRETS].is_null() {
        return Vec::new();
    }
    let why = "is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes";
    vec![format!("spec.{IN_SECRETS} {why}")]
}
