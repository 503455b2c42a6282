//! Reads the bearer token of a request (`Authorization: Bearer TOKEN`), with which users of a token file and service
//! accounts authenticate. Upstream: `k8s.io/apiserver/pkg/authentication/request/bearertoken`.

use http::{HeaderMap, header};

pub(super) fn bearer_token(headers: &HeaderMap) -> Option<&str> {
    // As upstream, a third word is ignored.
    let mut words = headers.get(header::AUTHORIZATION)?.to_str().ok()?.trim().splitn(3, ' ');
    let is_bearer = words.next().is_some_and(|word| word.eq_ignore_ascii_case("bearer"));
    words.next().filter(|token| is_bearer && !token.is_empty())
}
