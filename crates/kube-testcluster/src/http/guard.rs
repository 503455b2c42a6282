//! Refuses requests from web pages. A page in a browser on this machine can reach a loopback port, by its address or by
//! a DNS name that points there; kubectl and other clients of Kubernetes do not send the headers of a page.

use std::net::IpAddr;

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::uri::Authority;
use http::{HeaderMap, Uri, header};

use super::status::ApiError;

/// Answers 403 to a request whose Host is not this machine, or that a page from another host has sent.
pub(crate) async fn only_for_this_machine(request: Request, next: Next) -> Response {
    let host = request.uri().authority().cloned().or_else(|| {
        let host = text(request.headers(), header::HOST)?;
        host.parse().ok()
    });
    if !host.is_some_and(|host| is_here(&host)) {
        return ApiError::foreign_request("the request names a host that is not this machine").into_response();
    }
    if request.headers().contains_key(header::ORIGIN) && !is_from_here(request.headers()) {
        return ApiError::foreign_request("the request comes from a web page").into_response();
    }
    next.run(request).await
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Whether the Origin is a page of this machine. An Origin that is not text is not.
fn is_from_here(headers: &HeaderMap) -> bool {
    let origin = text(headers, header::ORIGIN).and_then(|origin| origin.parse::<Uri>().ok());
    origin.is_some_and(|origin| origin.authority().is_some_and(is_here))
}

fn is_here(authority: &Authority) -> bool {
    let host = authority.host().trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn here_is_localhost_and_the_loopback_addresses() {
        for here in ["localhost", "LOCALHOST:80", "127.0.0.1", "127.9.9.9:1", "[::1]:8080"] {
            assert!(is_here(&here.parse().unwrap()), "{here}");
        }
        for elsewhere in ["example.com", "localhost.example.com", "10.0.0.1:80", "127.0.0.1.example.com"] {
            assert!(!is_here(&elsewhere.parse().unwrap()), "{elsewhere}");
        }
    }

    #[test]
    fn an_origin_that_is_no_text_is_not_from_here() {
        let from = |origin: &[u8]| {
            let origin = http::HeaderValue::from_bytes(origin).unwrap();
            is_from_here(&HeaderMap::from_iter([(header::ORIGIN, origin)]))
        };
        assert!(from(b"http://localhost:3000"));
        for elsewhere in ["http://example.com".as_bytes(), b"null", b"http://\xff", "http://\u{fc}.com".as_bytes()] {
            assert!(!from(elsewhere), "{elsewhere:?}");
        }
    }
}
