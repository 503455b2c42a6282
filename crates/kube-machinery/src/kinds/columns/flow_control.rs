//! The columns that `kubectl get` shows for FlowSchemas and PriorityLevelConfigurations. As upstream, columns of
//! numbers are declared as strings. The descriptions are upstream's: `pkg/printers/internalversion`.

use super::{AGE, Column, NAME, number, text, text_or};
use crate::kinds::fields::items;
use crate::value::Value;

pub(in crate::kinds) const SCHEMAS: &[Column] = &[
    NAME,
    Column::new(
        "PriorityLevel",
        "`name` is the name of the priority level configuration being referenced Required.",
        |schema, _| text(schema, "/spec/priorityLevelConfiguration/name"),
    ),
    Column::new(
        "MatchingPrecedence",
        "`matchingPrecedence` is used to choose among the FlowSchemas that match a given request. The chosen FlowSchema is among those with the numerically lowest (which we take to be logically highest) MatchingPrecedence.  Each MatchingPrecedence value must be ranged in [1,10000]. Note that if the precedence is not specified, it will be set to 1000 as default.",
        |schema, _| number(schema, "/spec/matchingPrecedence"),
    ),
    Column::new(
        "DistinguisherMethod",
        "`distinguisherMethod` defines how to compute the flow distinguisher for requests that match this schema. `nil` specifies that the distinguisher is disabled and thus will always be the empty string.",
        |schema, _| text_or(schema, "/spec/distinguisherMethod/type", "<none>"),
    ),
    AGE,
    Column::new("MissingPL", "references a broken or non-existent PriorityLevelConfiguration", |schema, _| {
        dangling(schema)
    }),
];

pub(in crate::kinds) const LEVELS: &[Column] = &[
    NAME,
    Column::new(
        "Type",
        "`type` indicates whether this priority level is subject to limitation on request execution.  A value of `\"Exempt\"` means that requests of this priority level are not subject to a limit (and thus are never queued) and do not detract from the capacity made available to other priority levels.  A value of `\"Limited\"` means that (a) requests of this priority level _are_ subject to limits and (b) some of the server's limited capacity is made available exclusively to this priority level. Required.",
        |level, _| text(level, "/spec/type"),
    ),
    Column::new(
        "NominalConcurrencyShares",
        "`nominalConcurrencyShares` (NCS) contributes to the computation of the NominalConcurrencyLimit (NominalCL) of this level. This is the number of execution seats available at this priority level. This is used both for requests dispatched from this priority level as well as requests dispatched from other priority levels borrowing seats from this level. The server's concurrency limit (ServerCL) is divided among the Limited priority levels in proportion to their NCS values:\n\nNominalCL(i)  = ceil( ServerCL * NCS(i) / sum_ncs ) sum_ncs = sum[priority level k] NCS(k)\n\nBigger numbers mean a larger nominal concurrency limit, at the expense of every other priority level.\n\nIf not specified, this field defaults to a value of 30.\n\nSetting this field to zero supports the construction of a \"jail\" for this priority level that is used to hold some request(s)",
        |level, _| of_limited(level, "/nominalConcurrencyShares"),
    ),
    Column::new(
        "Queues",
        "`queues` is the number of queues for this priority level. The queues exist independently at each apiserver. The value must be positive.  Setting it to 1 effectively precludes shufflesharding and thus makes the distinguisher method of associated flow schemas irrelevant.  This field has a default value of 64.",
        |level, _| of_limited(level, "/limitResponse/queuing/queues"),
    ),
    Column::new(
        "HandSize",
        "`handSize` is a small positive number that configures the shuffle sharding of requests into queues.  When enqueuing a request at this priority level the request's flow identifier (a string pair) is hashed and the hash value is used to shuffle the list of queues and deal a hand of the size specified here.  The request is put into one of the shortest queues in that hand. `handSize` must be no larger than `queues`, and should be significantly smaller (so that a few heavy flows do not saturate most of the queues).  See the user-facing documentation for more extensive guidance on setting this field.  This field has a default value of 8.",
        |level, _| of_limited(level, "/limitResponse/queuing/handSize"),
    ),
    Column::new(
        "QueueLengthLimit",
        "`queueLengthLimit` is the maximum number of requests allowed to be waiting in a given queue of this priority level at a time; excess requests are rejected.  This value must be positive.  If not specified, it will be defaulted to 50.",
        |level, _| of_limited(level, "/limitResponse/queuing/queueLengthLimit"),
    ),
    AGE,
];

/// Returns the status of the condition `Dangling`, which is true if the priority level of a schema does not exist.
fn dangling(schema: &Value) -> Value {
    let condition = items(&schema["status"], "conditions").iter().find(|condition| condition["type"] == "Dangling");
    condition.map_or_else(|| "?".into(), |condition| text(condition, "/status"))
}

fn of_limited(level: &Value, pointer: &str) -> Value {
    let found = level["spec"]["limited"].pointer(pointer).filter(|value| !value.is_null());
    found.cloned().unwrap_or_else(|| "<none>".into())
}
