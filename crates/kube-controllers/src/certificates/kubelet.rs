//! The rules for the requests of kubelets. Upstream: `pkg/apis/certificates/helpers.go`.

use std::collections::BTreeSet;

use kube_machinery::conventions::x509::CertificateRequest;

/// Returns the reason why this cannot be a kubelet's request for its client certificate. Upstream:
/// `ValidateKubeletClientCSR`.
pub(super) fn client_fault(request: &CertificateRequest, usages: &[&str]) -> Option<String> {
    let (names, fault) = (&request.names, |why: &str| Some(why.to_owned()));
    if request.subject.organizations != ["system:nodes"] {
        return fault("subject organization is not system:nodes");
    }
    if !names.dns.is_empty() {
        return fault("DNS subjectAltNames are not allowed");
    }
    if !names.emails.is_empty() {
        return fault("Email subjectAltNames are not allowed");
    }
    if !names.addresses.is_empty() {
        return fault("IP subjectAltNames are not allowed");
    }
    if !names.uris.is_empty() {
        return fault("URI subjectAltNames are not allowed");
    }
    name_fault(request).or_else(|| usages_fault(usages, "client auth"))
}

/// Returns the reason why this cannot be a kubelet's request for its serving certificate. Upstream:
/// `ValidateKubeletServingCSR`.
pub(super) fn serving_fault(request: &CertificateRequest, usages: &[&str]) -> Option<String> {
    let (names, fault) = (&request.names, |why: &str| Some(why.to_owned()));
    if request.subject.organizations != ["system:nodes"] {
        return fault("subject organization is not system:nodes");
    }
    if names.dns.is_empty() && names.addresses.is_empty() {
        return fault("DNS or IP subjectAltName is required");
    }
    if !names.emails.is_empty() {
        return fault("Email subjectAltNames are not allowed");
    }
    if !names.uris.is_empty() {
        return fault("URI subjectAltNames are not allowed");
    }
    usages_fault(usages, "server auth").or_else(|| name_fault(request))
}

fn name_fault(request: &CertificateRequest) -> Option<String> {
    let is_node = request.subject.common_name.starts_with("system:node:");
    (!is_node).then(|| "subject common name does not begin with system:node:".to_owned())
}

/// Returns the fault of usages that a kubelet does not ask for. `key encipherment` may be absent, because only RSA keys
/// need it.
fn usages_fault(usages: &[&str], purpose: &str) -> Option<String> {
    let required = BTreeSet::from(["digital signature", "key encipherment", purpose]);
    let without_rsa = BTreeSet::from(["digital signature", purpose]);
    let found: BTreeSet<&str> = usages.iter().copied().collect();
    let list = || required.iter().copied().collect::<Vec<_>>().join(" ");
    (found != required && found != without_rsa).then(|| format!("usages did not match [{}]", list()))
}

#[cfg(test)]
mod tests {
    use kube_machinery::conventions::x509::{AlternativeNames, Subject};

    use super::*;

    fn request(name: &str, group: &str, dns: &[&str]) -> CertificateRequest {
        let subject = Subject { common_name: name.to_owned(), organizations: vec![group.to_owned()] };
        let dns = dns.iter().map(|&name| name.to_owned()).collect();
        CertificateRequest {
            subject,
            encoded_subject: Vec::new(),
            key_info: Vec::new(),
            key_algorithm: Vec::new(),
            public_key: Vec::new(),
            names: AlternativeNames { dns, ..AlternativeNames::default() },
            signed: Vec::new(),
            algorithm: Vec::new(),
            signature: Vec::new(),
        }
    }

    #[test]
    fn a_kubelet_asks_for_a_client_certificate_without_names_and_for_a_serving_certificate_with_names() {
        let (node, nodes) = ("system:node:a", "system:nodes");
        let client = |name, group, dns: &[&str], usages: &[&str]| client_fault(&request(name, group, dns), usages);
        let usages = ["client auth", "digital signature"];
        assert_eq!(client(node, nodes, &[], &usages), None);
        assert_eq!(client(node, nodes, &[], &["client auth", "digital signature", "key encipherment"]), None);
        for (fault, why) in [
            (client(node, "devs", &[], &usages), "subject organization is not system:nodes"),
            (client(node, nodes, &["a"], &usages), "DNS subjectAltNames are not allowed"),
            (client("a", nodes, &[], &usages), "subject common name does not begin with system:node:"),
            (
                client(node, nodes, &[], &["client auth"]),
                "usages did not match [client auth digital signature key encipherment]",
            ),
            (serving_fault(&request(node, nodes, &[]), &usages), "DNS or IP subjectAltName is required"),
            (
                serving_fault(&request(node, nodes, &["a"]), &usages),
                "usages did not match [digital signature key encipherment server auth]",
            ),
        ] {
            assert_eq!(fault.as_deref(), Some(why));
        }
        assert_eq!(serving_fault(&request(node, nodes, &["a"]), &["server auth", "digital signature"]), None);
    }
}
