//! Checks that a string has a format: the `format` in the schema of a custom resource, or a format that a CEL
//! expression names. Upstream: apiextensions-apiserver's `pkg/apiserver/validation/formats.go` lists the formats, and
//! kube-openapi's `pkg/validation/strfmt` implements them.

mod address;
mod email;
mod numbers;
mod time;

use std::sync::LazyLock;

use regex::bytes::Regex;

pub(crate) use self::time::duration;
use super::pattern;
use crate::conventions::go_url::parse_request;

/// A format that upstream checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    BsonObjectId,
    Uri,
    Email,
    Hostname,
    Ipv4,
    Ipv6,
    Cidr,
    Mac,
    Uuid,
    Uuid3,
    Uuid4,
    Uuid5,
    Isbn,
    Isbn10,
    Isbn13,
    CreditCard,
    Ssn,
    HexColor,
    RgbColor,
    Byte,
    Password,
    Date,
    Duration,
    DateTime,
    ShortName,
    LongName,
}

impl Format {
    /// Returns the format with this name, without regard to dashes; `None` if upstream does not know the name, and so
    /// does not check the format.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name.replace('-', "").as_str() {
            "bsonobjectid" => Self::BsonObjectId,
            "uri" => Self::Uri,
            "email" => Self::Email,
            "hostname" => Self::Hostname,
            "ipv4" => Self::Ipv4,
            "ipv6" => Self::Ipv6,
            "cidr" => Self::Cidr,
            "mac" => Self::Mac,
            "uuid" => Self::Uuid,
            "uuid3" => Self::Uuid3,
            "uuid4" => Self::Uuid4,
            "uuid5" => Self::Uuid5,
            "isbn" => Self::Isbn,
            "isbn10" => Self::Isbn10,
            "isbn13" => Self::Isbn13,
            "creditcard" => Self::CreditCard,
            "ssn" => Self::Ssn,
            "hexcolor" => Self::HexColor,
            "rgbcolor" => Self::RgbColor,
            "byte" => Self::Byte,
            "password" => Self::Password,
            "date" => Self::Date,
            "duration" => Self::Duration,
            "datetime" => Self::DateTime,
            "k8sshortname" => Self::ShortName,
            "k8slongname" => Self::LongName,
            _ => return None,
        })
    }

    pub(crate) fn fits(self, text: &str) -> bool {
        match self {
            Self::BsonObjectId => text.len() == 24 && text.bytes().all(|byte| byte.is_ascii_hexdigit()),
            Self::Uri => parse_request(text).is_ok(),
            Self::Email => email::is_email(text),
            Self::Hostname => address::is_hostname(text),
            Self::Ipv4 => address::is_ipv4(text),
            Self::Ipv6 => address::is_ipv6(text),
            Self::Cidr => address::is_cidr(text),
            Self::Mac => address::is_mac(text),
            Self::Uuid => is_uuid(text, None),
            Self::Uuid3 => is_uuid(text, Some(b'3')),
            Self::Uuid4 => is_uuid(text, Some(b'4')) && variant_is_known(text),
            Self::Uuid5 => is_uuid(text, Some(b'5')) && variant_is_known(text),
            Self::Isbn => numbers::is_isbn10(text) || numbers::is_isbn13(text),
            Self::Isbn10 => numbers::is_isbn10(text),
            Self::Isbn13 => numbers::is_isbn13(text),
            Self::CreditCard => numbers::is_credit_card(text),
            // As upstream, the length must be that with both separators, although the pattern makes them optional.
            Self::Ssn => text.len() == 11 && SSN.is_match(text.as_bytes()),
            Self::HexColor => HEX_COLOR.is_match(text.as_bytes()),
            Self::RgbColor => RGB_COLOR.is_match(text.as_bytes()),
            Self::Byte => is_base64(text),
            Self::Password => true,
            Self::Date => time::is_date(text),
            Self::Duration => duration(text).is_some(),
            Self::DateTime => time::is_date_time(text),
            Self::ShortName => text.len() <= 63 && is_name(text),
            Self::LongName => text.len() <= 253 && text.split('.').all(is_name),
        }
    }
}

/// Compiles a pattern that is a constant of this program.
fn known(pattern: &str) -> Regex {
    pattern::compile(pattern).expect("a pattern that is written here compiles")
}

static SSN: LazyLock<Regex> = LazyLock::new(|| known(r"^\d{3}[- ]?\d{2}[- ]?\d{4}$"));
static HEX_COLOR: LazyLock<Regex> = LazyLock::new(|| known("^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$"));
static RGB_COLOR: LazyLock<Regex> = LazyLock::new(|| {
    const PART: &str = r"\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*";
    known(&format!(r"^rgb\({PART},{PART},{PART}\)$"))
});

/// Returns true for groups of 8, 4, 4, 4 and 12 hexadecimal digits, with or without dashes. The version is the first
/// digit of the third group.
fn is_uuid(text: &str, version: Option<u8>) -> bool {
    let Some(digits) = uuid_digits(text) else { return false };
    version.is_none_or(|version| digits[12] == version)
}

/// Returns true if the fourth group begins with a variant of RFC 4122.
fn variant_is_known(text: &str) -> bool {
    uuid_digits(text).is_some_and(|digits| matches!(digits[16].to_ascii_lowercase(), b'8' | b'9' | b'a' | b'b'))
}

/// Returns the 32 digits of a UUID without its dashes; `None` if the text has another form.
fn uuid_digits(text: &str) -> Option<[u8; 32]> {
    let mut digits = [0; 32];
    let mut bytes = text.bytes().peekable();
    for (i, digit) in digits.iter_mut().enumerate() {
        if matches!(i, 8 | 12 | 16 | 20) {
            bytes.next_if_eq(&b'-');
        }
        *digit = bytes.next().filter(u8::is_ascii_hexdigit)?;
    }
    bytes.next().is_none().then_some(digits)
}

/// Returns true for padded base64 of at least four characters. As upstream, unused bits in the last character may be
/// set.
fn is_base64(text: &str) -> bool {
    let bytes = text.as_bytes();
    let padding = bytes.iter().rev().take_while(|byte| **byte == b'=').count();
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    !bytes.is_empty()
        && bytes.len().is_multiple_of(4)
        && padding <= 2
        && bytes[..bytes.len() - padding].iter().all(is_letter)
}

/// Returns true for a DNS label in lower case: `[a-z0-9]([-a-z0-9]*[a-z0-9])?`.
fn is_name(text: &str) -> bool {
    let is_letter = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = text.as_bytes();
    bytes.first().is_some_and(is_letter)
        && bytes.last().is_some_and(is_letter)
        && bytes.iter().all(|byte| is_letter(byte) || *byte == b'-')
}
