//! Signs certificate requests with the cluster's authority. The certificate is encoded here, because rcgen cannot
//! encode a subject with several organizations, which are the groups of a user. Upstream:
//! `pkg/controller/certificates/authority`.

use std::net::IpAddr;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jiff::{SignedDuration, Timestamp};
use kube_controllers::certificates::signer::{SigningAuthority, Terms};
use kube_machinery::conventions::x509::{AlternativeNames, CertificateRequest, Validity, subject_of_certificate};
use rcgen::{PKCS_ECDSA_P256_SHA256, SigningKey};
use ring::rand::{SecureRandom, SystemRandom};
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;

use super::Authority;
use super::usages;

/// Certificates are valid from this long ago. Upstream: `Backdate`.
const BACKDATE: SignedDuration = SignedDuration::from_mins(5);

/// A certificate that is valid for less than this long keeps its whole time after now. The time of a longer one already
/// begins [`BACKDATE`] before now, so it ends earlier by as much. Upstream: `Short`.
const SHORT: Duration = Duration::from_secs(8 * 60 * 60);

/// The content of the algorithm identifier of ECDSA with SHA-256.
const ECDSA_SHA256: &[u8] = &[0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];

const SEQUENCE: u8 = 0x30;
const OCTET_STRING: u8 = 0x04;
const BIT_STRING: u8 = 0x03;

/// The tags of the alternative names (`subjectAltName`).
const EMAIL: u8 = 0x81;
const DNS: u8 = 0x82;
const URI: u8 = 0x86;
const IP: u8 = 0x87;

/// The content of the extension `basicConstraints` of a certificate that is no authority's: an empty sequence.
const NO_AUTHORITY: &[u8] = &[SEQUENCE, 0];

impl SigningAuthority for Authority {
    fn sign(&self, request: &CertificateRequest, terms: &Terms<'_>) -> Result<String, String> {
        verify(request)?;
        let own = CertificateDer::from_pem_slice(self.certificate().as_bytes()).map_err(|why| why.to_string())?;
        let unreadable = || "the certificate of the authority cannot be read".to_owned();
        let issuer = subject_of_certificate(&own).ok_or_else(unreadable)?;
        let (from, until) = period(terms, Validity::of(&own).ok_or_else(unreadable)?)?;
        let algorithm = value(SEQUENCE, &[ECDSA_SHA256]);
        let extensions = value(0xa3, &[&value(SEQUENCE, &[&self.extensions(request, terms)?])]);
        let signed = value(
            SEQUENCE,
            &[
                &[0xa0, 3, 2, 1, 2], // version 3
                &serial_number()?,
                &algorithm,
                issuer,
                &value(SEQUENCE, &[&time(from), &time(until)]),
                &request.encoded_subject,
                &request.key_info,
                &extensions,
            ],
        );
        if self.key().algorithm() != &PKCS_ECDSA_P256_SHA256 {
            return Err("the key of the authority is not of ECDSA P-256".to_owned());
        }
        let signature = self.key().sign(&signed).map_err(|why| why.to_string())?;
        let certificate = value(SEQUENCE, &[&signed, &algorithm, &value(BIT_STRING, &[&[0], &signature])]);
        Ok(pem(&certificate))
    }
}

impl Authority {
    /// Returns the extensions of a certificate, in Go's order.
    fn extensions(&self, request: &CertificateRequest, terms: &Terms<'_>) -> Result<Vec<u8>, String> {
        let (bits, purposes) = usages::encoded(&terms.usages)?;
        let mut all = Vec::new();
        if bits != 0 {
            let bytes = bits.to_be_bytes();
            let used = if bytes[1] == 0 { &bytes[..1] } else { &bytes[..] };
            let unused_bits = used.last().map_or(0, |last| last.trailing_zeros());
            all.extend(extension(15, true, &value(BIT_STRING, &[&[u8::try_from(unused_bits).unwrap_or(0)], used])));
        }
        if !purposes.is_empty() {
            let purposes: Vec<u8> = purposes.into_iter().flat_map(|purpose| value(0x06, &[purpose])).collect();
            all.extend(extension(37, false, &value(SEQUENCE, &[&purposes])));
        }
        all.extend(extension(19, true, NO_AUTHORITY));
        all.extend(extension(35, false, &value(SEQUENCE, &[&value(0x80, &[self.key_identifier()])])));
        if request.names != AlternativeNames::default() {
            let has_subject = request.encoded_subject != [SEQUENCE, 0];
            all.extend(extension(17, !has_subject, &encoded(&request.names)));
        }
        Ok(all)
    }
}

/// Encodes the names that were read from a request and checked. The extension of the request itself is not copied,
/// because it may have names of other types. Go: `marshalSANs`.
fn encoded(names: &AlternativeNames) -> Vec<u8> {
    let texts =
        |tag, texts: &[String]| texts.iter().flat_map(|text| value(tag, &[text.as_bytes()])).collect::<Vec<_>>();
    let address = |address: &IpAddr| match address.to_canonical() {
        IpAddr::V4(four) => value(IP, &[&four.octets()]),
        IpAddr::V6(six) => value(IP, &[&six.octets()]),
    };
    let addresses: Vec<u8> = names.addresses.iter().flat_map(address).collect();
    value(SEQUENCE, &[&texts(DNS, &names.dns), &texts(EMAIL, &names.emails), &addresses, &texts(URI, &names.uris)])
}

/// Encodes an extension whose object identifier is 2.5.29 and a number.
fn extension(number: u8, is_critical: bool, content: &[u8]) -> Vec<u8> {
    let critical: &[u8] = if is_critical { &[0x01, 1, 0xff] } else { &[] };
    value(SEQUENCE, &[&[0x06, 3, 0x55, 0x1d, number], critical, &value(OCTET_STRING, &[content])])
}

/// Verifies that the requester has the private key. Go: `CheckSignature`.
fn verify(request: &CertificateRequest) -> Result<(), String> {
    let fits = |algorithm: &&&dyn tokio_rustls::rustls::pki_types::SignatureVerificationAlgorithm| {
        algorithm.public_key_alg_id().as_ref() == request.key_algorithm
            && algorithm.signature_alg_id().as_ref() == request.algorithm
    };
    let fault = |why: &str| format!("unable to verify certificate request signature: {why}");
    let Some(algorithm) = webpki::ALL_VERIFICATION_ALGS.iter().find(fits) else {
        return Err(fault("its algorithm is not supported"));
    };
    let verified = algorithm.verify_signature(&request.public_key, &request.signed, &request.signature);
    verified.map_err(|_| fault("it is not the signature of this key"))
}

/// Returns the validity of a certificate, which ends with that of the authority at the latest. Upstream:
/// `PermissiveSigningPolicy.apply`.
fn period(terms: &Terms<'_>, authority: Validity) -> Result<(Timestamp, Timestamp), String> {
    let (now, lasts) = (terms.now, SignedDuration::try_from(terms.lasts).unwrap_or(SignedDuration::MAX));
    let last = i64::try_from(authority.not_after).ok().and_then(|last| Timestamp::from_second(last).ok());
    let last = last.unwrap_or(Timestamp::MAX);
    let from = now.checked_sub(BACKDATE).unwrap_or(Timestamp::MIN);
    let end = if terms.lasts < SHORT { lasts } else { lasts - BACKDATE };
    let until = now.checked_add(end).unwrap_or(Timestamp::MAX).min(last);
    match now < last {
        true => Ok((from, until)),
        false => Err(format!("refusing to sign a certificate that expired in the past: NotAfter={last}")),
    }
}

fn serial_number() -> Result<Vec<u8>, String> {
    let mut bytes = [0; 16];
    SystemRandom::new().fill(&mut bytes).map_err(|_| "the system has no randomness".to_owned())?;
    bytes[0] = bytes[0] & 0x7f | 0x40; // positive, and without leading zeros
    Ok(value(0x02, &[&bytes]))
}

/// Encodes a time: with two digits of the year until 2049, as the standard says.
fn time(time: Timestamp) -> Vec<u8> {
    let text = time.strftime("%Y%m%d%H%M%SZ").to_string();
    match text.as_bytes() {
        [b'1', b'9', rest @ ..] if rest > &b"5"[..] => value(0x17, &[rest]),
        [b'2', b'0', rest @ ..] if rest < &b"5"[..] => value(0x17, &[rest]),
        all => value(0x18, &[all]),
    }
}

/// Encodes a DER value whose content consists of these parts.
fn value(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    let mut encoded = vec![tag];
    match u8::try_from(length) {
        Ok(short @ 0..=0x7f) => encoded.push(short),
        _ => {
            let bytes = length.to_be_bytes();
            let used: Vec<u8> = bytes.into_iter().skip_while(|byte| *byte == 0).collect();
            encoded.push(0x80 | u8::try_from(used.len()).unwrap_or(0));
            encoded.extend(used);
        }
    }
    parts.iter().for_each(|part| encoded.extend_from_slice(part));
    encoded
}

fn pem(certificate: &[u8]) -> String {
    let text = STANDARD.encode(certificate);
    let lines = text.as_bytes().chunks(64).map(|line| String::from_utf8_lossy(line).into_owned() + "\n");
    format!("-----BEGIN CERTIFICATE-----\n{}-----END CERTIFICATE-----\n", lines.collect::<String>())
}
