//! Validation of the names that a pod knows. Upstream: `validatePodDNSConfig` and `ValidateHostAliases` in
//! `pkg/apis/core/validation/validation.go`.

use serde_json::Value;

use super::containers::{items, text};
use crate::kinds::addresses::ip;
use crate::kinds::names;
use crate::machinery::cause::Cause;

const MOST_SERVERS: usize = 3;

/// The errors in the name servers of a pod.
pub(super) fn dns(spec: &Value, at: &str) -> Vec<Cause> {
    let (config, at) = (&spec["dnsConfig"], format!("{at}.dnsConfig"));
    let servers = items(config, "nameservers");
    let mut causes = Vec::new();
    if text(spec, "dnsPolicy") == "None" {
        if config.is_null() {
            return vec![Cause::required(at, "must provide `dnsConfig` when `dnsPolicy` is None")];
        }
        if servers.is_empty() {
            let why = "must provide at least one DNS nameserver when `dnsPolicy` is None";
            return vec![Cause::required(format!("{at}.nameservers"), why)];
        }
    }
    if servers.len() > MOST_SERVERS {
        let why = format!("must not have more than {MOST_SERVERS} nameservers");
        causes.push(Cause::invalid_json(format!("{at}.nameservers"), &config["nameservers"], &why));
    }
    for (i, server) in servers.iter().enumerate() {
        causes.extend(ip(server.as_str().unwrap_or_default(), &format!("{at}.nameservers[{i}]")));
    }
    for (i, option) in items(config, "options").iter().enumerate() {
        if text(option, "name").is_empty() {
            causes.push(Cause::required(format!("{at}.options[{i}]"), "must not be empty"));
        }
    }
    causes
}

/// The errors in the names that a pod gives to addresses.
pub(super) fn host_aliases(aliases: &[Value], at: &str) -> Vec<Cause> {
    let mut causes = Vec::new();
    for (i, alias) in aliases.iter().enumerate() {
        let at = format!("{at}[{i}]");
        causes.extend(ip(text(alias, "ip"), &format!("{at}.ip")));
        for (n, name) in items(alias, "hostnames").iter().enumerate() {
            let name = name.as_str().unwrap_or_default();
            let faults = names::subdomain(name);
            causes.extend(faults.iter().map(|why| Cause::invalid(format!("{at}.hostnames[{n}]"), name, why)));
        }
    }
    causes
}
