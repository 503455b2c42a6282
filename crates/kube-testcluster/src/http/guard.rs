//! Refuses requests that a web page has sent. A page in a browser on this machine can reach a loopback port, by its
//! address or by a DNS name that points there (DNS rebinding), and without authentication it could do everything. The
//! guard recognizes such requests by their `Host` and `Origin`. Kubectl and other clients of Kubernetes send no
//! `Origin`, and name this machine as `Host`, so they are not affected.

use std::net::IpAddr;

use axum::Router;
use axum::extract::Request;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use http::uri::Authority;
use http::{HeaderMap, Uri, header};

use super::status::ApiError;

/// Protects a service that listens on a loopback port without authentication. A request gets 403 if its `Host` is not
/// this machine, or if a web page of another host has sent it.
pub(crate) fn only_for_this_machine(router: Router) -> Router {
    router.layer(middleware::from_fn(guard))
}

async fn guard(request: Request, next: Next) -> Response {
    if !is_to_here(request.uri(), request.headers()) {
        return ApiError::foreign_request("the request names a host that is not this machine").into_response();
    }
    if !is_from_here(request.headers()) || !is_of_site(request.headers(), &OWN_SITE) {
        return ApiError::foreign_request("the request comes from a web page").into_response();
    }
    next.run(request).await
}

/// Returns true if every host that the request names is this machine. A request names a host in its URL, in its `Host`
/// header, or the same one in both.
fn is_to_here(url: &Uri, headers: &HeaderMap) -> bool {
    let named = headers.get_all(header::HOST).iter().map(|host| host.to_str().ok()?.parse::<Authority>().ok());
    let mut hosts = url.authority().cloned().map(Some).into_iter().chain(named).peekable();
    let one_header = headers.get_all(header::HOST).iter().nth(1).is_none();
    one_header && hosts.peek().is_some() && hosts.all(|host| host.is_some_and(|host| is_here(&host)))
}

/// The header in which a browser says how the page that sends a request relates to the server. Fetch Metadata Request
/// Headers, section 2.3.
const SEC_FETCH_SITE: &str = "sec-fetch-site";

/// The values of `Sec-Fetch-Site` of pages of this machine, and of a user who types the address. The port does not
/// count for the site of a page, and the check of `Origin` allows pages of all ports, too.
const OWN_SITE: [&str; 3] = ["same-origin", "same-site", "none"];

/// The values for a server with a host name. `same-site` is not among them, because the server's site may have other
/// hosts.
#[cfg(feature = "tls")]
const OWN_ORIGIN: [&str; 2] = ["same-origin", "none"];

/// Returns true if every `Sec-Fetch-Site` has one of these values. A usual resource isolation policy would let a user
/// follow a link from a foreign page. This one does not, because a page can also open windows and frames, and the API
/// has no pages that others could link to.
fn is_of_site(headers: &HeaderMap, allowed: &[&str]) -> bool {
    let mut sites = headers.get_all(SEC_FETCH_SITE).iter();
    sites.all(|site| site.to_str().is_ok_and(|site| allowed.contains(&site)))
}

/// Returns true if every `Origin` is a page of this machine. An `Origin` that is not text does not count as one.
fn is_from_here(headers: &HeaderMap) -> bool {
    let origins = headers.get_all(header::ORIGIN).iter().map(|origin| origin.to_str().ok()?.parse::<Uri>().ok());
    let mut authorities = origins.map(|origin| origin.and_then(|origin| origin.authority().cloned()));
    authorities.all(|authority| authority.is_some_and(|authority| is_here(&authority)))
}

/// Returns true if the request does not come from a web page of another host. A server with authentication may have any
/// host name. It needs this check because a browser sends its client certificate with the requests of every page.
#[cfg(feature = "tls")]
pub(crate) fn is_from_its_own_host(url: &Uri, headers: &HeaderMap) -> bool {
    if !is_of_site(headers, &OWN_ORIGIN) {
        return false;
    }
    let header = headers.get(header::HOST).and_then(|host| host.to_str().ok()?.parse::<Authority>().ok());
    let Some(host) = url.authority().cloned().or(header) else { return !headers.contains_key(header::ORIGIN) };
    headers.get_all(header::ORIGIN).iter().all(|origin| {
        let origin = origin.to_str().ok().and_then(|origin| origin.parse::<Uri>().ok());
        origin.is_some_and(|origin| origin.authority() == Some(&host))
    })
}

/// Returns true if the host is this machine. A user name before the host is not accepted.
fn is_here(authority: &Authority) -> bool {
    let host = authority.host().trim_start_matches('[').trim_end_matches(']');
    let is_local = host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    is_local && !authority.as_str().contains('@')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn here_is_localhost_and_the_loopback_addresses() {
        for here in ["localhost", "LOCALHOST:80", "127.0.0.1", "127.9.9.9:1", "[::1]:8080"] {
            assert!(is_here(&here.parse().unwrap()), "{here}");
        }
        let addresses = ["example.com", "localhost.example.com", "10.0.0.1:80", "127.0.0.1.example.com"];
        for elsewhere in addresses.into_iter().chain(["evil.example@localhost", "localhost@10.0.0.1"]) {
            assert!(!is_here(&elsewhere.parse().unwrap()), "{elsewhere}");
        }
    }

    fn several(name: &header::HeaderName, values: &[&'static str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(name, http::HeaderValue::from_static(value));
        }
        headers
    }

    #[test]
    fn every_host_that_a_request_names_is_checked() {
        let path = Uri::from_static("/");
        assert!(is_to_here(&path, &several(&header::HOST, &["localhost"])));
        assert!(is_to_here(&Uri::from_static("http://localhost/"), &HeaderMap::new()));
        for hosts in [&[][..], &["localhost", "example.com"], &["localhost", "localhost"], &["e@localhost"], &["a b"]] {
            assert!(!is_to_here(&path, &several(&header::HOST, hosts)), "{hosts:?}");
        }
        assert!(!is_to_here(&Uri::from_static("http://localhost/"), &several(&header::HOST, &["example.com"])));
        assert!(!is_to_here(&Uri::from_static("http://example.com/"), &several(&header::HOST, &["localhost"])));
    }

    #[test]
    fn every_origin_is_checked() {
        let here = "http://localhost:3000";
        assert!(is_from_here(&HeaderMap::new()) && is_from_here(&several(&header::ORIGIN, &[here])));
        assert!(!is_from_here(&several(&header::ORIGIN, &[here, "http://example.com"])));
    }

    #[test]
    fn a_page_of_another_site_is_recognized_without_an_origin() {
        let from = |sites: &[&'static str]| {
            is_of_site(&several(&header::HeaderName::from_static(SEC_FETCH_SITE), sites), &OWN_SITE)
        };
        for own in [&[][..], &["same-origin"], &["same-site"], &["none"]] {
            assert!(from(own), "{own:?}");
        }
        for foreign in [&["cross-site"][..], &["none", "cross-site"], &["Cross-Site"], &[""], &["same-origin, none"]] {
            assert!(!from(foreign), "{foreign:?}");
        }
    }

    #[cfg(feature = "tls")]
    #[test]
    fn another_host_of_the_same_site_is_not_the_own_one() {
        let from = |site| {
            let headers = several(&header::HeaderName::from_static(SEC_FETCH_SITE), &[site]);
            is_from_its_own_host(&Uri::from_static("https://api.example.com/"), &headers)
        };
        assert!(from("same-origin") && from("none"));
        assert!(!from("same-site") && !from("cross-site"));
    }

    #[test]
    fn an_origin_that_is_not_text_is_not_from_here() {
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
