//! The queues of a priority level, in which requests wait for their turn: defaults and validation. Upstream:
//! `ValidateLimitResponse`, `ValidatePriorityLevelQueuingConfiguration` in `pkg/apis/flowcontrol/validation`.

use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::conventions::edit::object_field;
use crate::conventions::go_struct::{Field, GoStruct};
use crate::kinds::fields::{number, text};
use crate::value::{Value, json};

/// The Go struct of a limit response, as upstream's causes print it.
pub(super) const LIMIT_RESPONSE: GoStruct =
    GoStruct(&[("Type", "type", Field::Text), ("Queuing", "queuing", Field::Struct(&QUEUING))]);
const QUEUING: GoStruct = GoStruct(&[
    ("Queues", "queues", Field::Number),
    ("HandSize", "handSize", Field::Number),
    ("QueueLengthLimit", "queueLengthLimit", Field::Number),
]);

const MOST_QUEUES: i64 = 10_000_000;
/// The number of bits of a hash value that choose the queues of a flow. Upstream: `shufflesharding.MaxHashBits`.
const MOST_BITS: i64 = 60;

/// Upstream: `SetDefaults_QueuingConfiguration`.
pub(super) fn set_defaults(limited: &mut Value) {
    let response = object_field(limited, "limitResponse");
    let Some(queuing) = response.and_then(|response| object_field(response, "queuing")) else { return };
    for (field, default) in [("handSize", 8), ("queues", 64), ("queueLengthLimit", 50)] {
        if number(queuing, field) == 0 {
            queuing[field] = json!(default);
        }
    }
}

/// Validates the response to a request that cannot be served at once. Declarative rules say whether there are queues.
pub(super) fn limit_response(response: &Value, at: At<'_>) -> Causes {
    match text(response, "type") {
        "Queue" if response["queuing"].is_object() => queuing(&response["queuing"], &format_args!("{at}.queuing")),
        "Queue" | "Reject" | "" => Causes::new(),
        other => Causes::from([Cause::unsupported_text(format_args!("{at}.type"), other, &["Queue", "Reject"])]),
    }
}

fn queuing(queuing: &Value, at: At<'_>) -> Causes {
    let (queues, hand) = (number(queuing, "queues"), number(queuing, "handSize"));
    let mut causes = Causes::new();
    let mut refuse = |field: &str, why: &str| {
        causes.push(Cause::invalid_json(format_args!("{at}.{field}"), &queuing[field], why));
    };
    if number(queuing, "queueLengthLimit") <= 0 {
        refuse("queueLengthLimit", "must be positive");
    }
    if queues <= 0 {
        refuse("queues", "must be positive");
    } else if queues > MOST_QUEUES {
        refuse("queues", &format!("must not be greater than {MOST_QUEUES}"));
    }
    if hand <= 0 {
        refuse("handSize", "must be positive");
    } else if hand > queues {
        refuse("handSize", &format!("should not be greater than queues ({queues})"));
    } else if entropy_bits(queues, hand) > MOST_BITS {
        let sizes = format!("deckSize {queues} and handSize {hand}");
        refuse("handSize", &format!("required entropy bits of {sizes} should not be greater than {MOST_BITS}"));
    }
    causes
}

/// Upstream: `shufflesharding.RequiredEntropyBits`.
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "both numbers fit into 32 bits")]
fn entropy_bits(queues: i64, hand: i64) -> i64 {
    ((queues as f64).log2() * hand as f64).ceil() as i64
}
