//! Limits the time of a request, except of a long-running one. The `timeout` in the query can only shorten upstream's
//! limits.
//!
//! A write must be done within 34 seconds ([`finish`]), because it may wait for a webhook, or repeat itself for as long
//! as other requests change its object first. The work of a read has no limit, because it is fast. The client must have
//! read the answer to a read or a write within 60 seconds of its request ([`limit`]). Upstream: `WithRequestDeadline`,
//! `WithTimeoutForNonLongRunningRequests` and `FinishRequest`.

use std::time::Duration;

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;

use super::query::Query;
use super::status::ApiError;
use kube_machinery::conventions::go_duration::duration;

/// The longest time that a write may take. Upstream: `requestTimeoutUpperBound`.
const WRITE_TIMEOUT: Duration = Duration::from_secs(34);

/// The longest time from a request to the end of its answer. Upstream: `--request-timeout`.
pub(crate) const REQUEST_TIMEOUT: Duration = Duration::from_secs(60);

/// Marks an answer without a limit in time: that of a watch, a log, or another long-running request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LongRunning;

/// Marks an answer that a client must have read this long after its request. A server on a socket breaks it off then,
/// in `activity/followed_body.rs`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadWithin(#[cfg_attr(not(feature = "serve"), expect(dead_code))] pub(crate) Duration);

/// The middleware that limits the time of all answers, except those of long-running requests.
pub(crate) async fn limit(request: Request, next: Next) -> Response {
    let query = request.uri().query().is_some().then(|| Query::parse(request.uri()));
    let within = requested(query.as_ref().and_then(|query| query.get("timeout")), REQUEST_TIMEOUT);
    let mut response = next.run(request).await;
    if response.extensions().get::<LongRunning>().is_none() {
        response.extensions_mut().insert(ReadWithin(within));
    }
    response
}

/// Returns the time that a request names, but not more than `most`. A `timeout` of 0 stands for `most`.
fn requested(timeout: Option<&str>, most: Duration) -> Duration {
    let named =
        timeout.and_then(|text| u64::try_from(duration(text).ok()?).ok()).filter(|nanoseconds| *nanoseconds > 0);
    named.map_or(most, |nanoseconds| Duration::from_nanos(nanoseconds).min(most))
}

/// Returns the error message for a malformed timeout. An empty timeout is fine.
pub(crate) fn timeout_problem(text: &str) -> Option<String> {
    let problem = if text.is_empty() { None } else { duration(text).err() };
    problem.map(|problem| format!("invalid timeout specified in the request URL - time: {problem}"))
}

/// Runs a write and stops it when its time is over. Changes stored by then stay. The error is upstream's `Timeout`, or
/// that of the write.
pub(crate) async fn finish<T>(
    timeout: Option<&str>,
    write: impl Future<Output = Result<T, ApiError>>,
) -> Result<T, ApiError> {
    let most = requested(timeout, WRITE_TIMEOUT);
    tokio::time::timeout(most, write).await.unwrap_or_else(|_| {
        Err(ApiError::timeout("request did not complete within requested timeout - context deadline exceeded"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timeout_is_a_duration_as_go_reads_it() {
        for good in ["", "0", "-1s", "1h2m3.5s", ".5ms", "+3us"] {
            assert_eq!(timeout_problem(good), None, "{good}");
        }
        for (bad, why) in [
            ("x", "invalid duration \"x\""),
            ("5", "missing unit in duration \"5\""),
            ("5 s", "unknown unit \" s\" in duration \"5 s\""),
            ("1d", "unknown unit \"d\" in duration \"1d\""),
            ("-", "invalid duration \"-\""),
            (".s", "invalid duration \".s\""),
            ("99999999999h", "invalid duration \"99999999999h\""),
        ] {
            let why = format!("invalid timeout specified in the request URL - time: {why}");
            assert_eq!(timeout_problem(bad), Some(why));
        }
    }
}
