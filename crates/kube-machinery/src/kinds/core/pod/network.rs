//! Validation of the fields of a pod spec about names: `dnsConfig`, which goes into the container's `resolv.conf`,
//! `hostnameOverride`, and `hostAliases`, which go into `/etc/hosts`. Upstream: `validatePodDNSConfig`,
//! `validatePodHostName` and `ValidateHostAliases` in `pkg/apis/core/validation/validation.go`.

use crate::conventions::addresses::ip;
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::kinds::fields::{invalid, items, text};
use crate::kinds::names;
use crate::value::Value;

/// The largest number of nameservers.
const MOST_SERVERS: usize = 3;
/// The longest `hostnameOverride`, in bytes.
const LONGEST_HOSTNAME: usize = 64;
/// The largest number of search domains.
const MOST_SEARCHES: usize = 32;
/// The largest total length of the search domains in bytes, with a space between two domains.
const LONGEST_SEARCHES: usize = 2048;

/// Validates `dnsConfig`. If `dnsPolicy` is `None`, it must have a nameserver.
pub(super) fn dns(spec: &Value, at: At<'_>) -> Causes {
    let (config, at) = (&spec["dnsConfig"], format_args!("{at}.dnsConfig"));
    let servers = items(config, "nameservers");
    let mut causes = Causes::new();
    if text(spec, "dnsPolicy") == "None" {
        if config.is_null() {
            return Causes::from([Cause::required(at, "must provide `dnsConfig` when `dnsPolicy` is None")]);
        }
        if servers.is_empty() {
            let why = "must provide at least one DNS nameserver when `dnsPolicy` is None";
            return Causes::from([Cause::required(format_args!("{at}.nameservers"), why)]);
        }
    }
    if servers.len() > MOST_SERVERS {
        let why = format!("must not have more than {MOST_SERVERS} nameservers");
        causes.push(Cause::invalid_json(format_args!("{at}.nameservers"), &config["nameservers"], &why));
    }
    for (i, server) in servers.iter().enumerate() {
        causes.extend(ip(server.as_str().unwrap_or_default(), &format_args!("{at}.nameservers[{i}]")));
    }
    causes.extend(searches(config, &at));
    for (i, option) in items(config, "options").iter().enumerate() {
        if text(option, "name").is_empty() {
            causes.push(Cause::required(format_args!("{at}.options[{i}]"), "must not be empty"));
        }
    }
    causes
}

fn searches(config: &Value, at: At<'_>) -> Causes {
    let (list, path) = (items(config, "searches"), format_args!("{at}.searches"));
    let all = |why: String| Cause::invalid_json(path, &config["searches"], &why);
    let mut causes = Causes::new();
    if list.len() > MOST_SEARCHES {
        causes.push(all(format!("must not have more than {MOST_SEARCHES} search paths")));
    }
    let list: Vec<&str> = list.iter().map(|domain| domain.as_str().unwrap_or_default()).collect();
    if list.join(" ").len() > LONGEST_SEARCHES {
        let why =
            format!("must not have more than {LONGEST_SEARCHES} characters (including spaces) in the search list");
        causes.push(all(why));
    }
    for (i, domain) in list.into_iter().enumerate().filter(|(_, domain)| *domain != ".") {
        let domain = domain.strip_suffix('.').unwrap_or(domain);
        causes.extend(invalid(&format_args!("{path}[{i}]"), domain, names::subdomain_with_underscores(domain)));
    }
    causes
}

/// Upstream: `validatePodHostName`.
pub(super) fn hostname_override(spec: &Value, at: At<'_>) -> Causes {
    let Some(name) = spec["hostnameOverride"].as_str() else { return Causes::new() };
    let (at, mut causes) = (format_args!("{at}.hostnameOverride"), Causes::new());
    for field in ["setHostnameAsFQDN", "hostNetwork"].into_iter().filter(|field| spec[*field] == true) {
        causes.push(Cause::forbidden(at, &format!("may not be specified when {field} is true")));
    }
    causes.extend((name.len() > LONGEST_HOSTNAME).then(|| Cause::too_long(at, LONGEST_HOSTNAME)));
    causes.extend(invalid(&at, name, names::subdomain(name)));
    causes
}

/// Validates `hostAliases`, additional entries in `/etc/hosts`.
pub(super) fn host_aliases(aliases: &[Value], at: At<'_>) -> Causes {
    let mut causes = Causes::new();
    for (i, alias) in aliases.iter().enumerate() {
        let at = format_args!("{at}[{i}]");
        causes.extend(ip(text(alias, "ip"), &format_args!("{at}.ip")));
        for (n, name) in items(alias, "hostnames").iter().enumerate() {
            let name = name.as_str().unwrap_or_default();
            let messages = names::subdomain(name);
            causes.extend(messages.iter().map(|why| Cause::invalid(format_args!("{at}.hostnames[{n}]"), name, why)));
        }
    }
    causes
}
