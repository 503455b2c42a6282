//! Checks strings in the formats `creditcard`, `isbn10` and `isbn13` of a schema, whose last digit is a check digit.
//! Upstream: kube-openapi's `pkg/internal/third_party/govalidator`.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::known;

static CREDIT_CARD: LazyLock<Regex> = LazyLock::new(|| {
    known(concat!(
        r"^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}",
        r"|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$"
    ))
});

/// Returns true for the number of a credit card. Characters other than digits are ignored.
pub(super) fn is_credit_card(text: &str) -> bool {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_digit).collect();
    if !CREDIT_CARD.is_match(&digits) {
        return false;
    }
    let sum: u32 = digits.iter().rev().enumerate().map(|(i, digit)| luhn(u32::from(digit - b'0'), i % 2 == 1)).sum();
    sum.is_multiple_of(10)
}

/// Returns the amount that a digit adds to the sum of the Luhn algorithm: every second digit is doubled, and the digits
/// of the result are added.
fn luhn(digit: u32, is_doubled: bool) -> u32 {
    match if is_doubled { digit * 2 } else { digit } {
        large @ 10.. => large % 10 + 1,
        small => small,
    }
}

/// Removes spaces and dashes.
fn compact(text: &str) -> Vec<u8> {
    text.bytes().filter(|byte| !matches!(byte, b'\t' | b'\n' | b'\x0c' | b'\r' | b' ' | b'-')).collect()
}

pub(super) fn is_isbn10(text: &str) -> bool {
    let digits = compact(text);
    let (Some((last, first)), 10) = (digits.split_last(), digits.len()) else { return false };
    if !first.iter().all(u8::is_ascii_digit) || !(last.is_ascii_digit() || *last == b'X') {
        return false;
    }
    let value = |digit: &u8| if *digit == b'X' { 10 } else { u32::from(digit - b'0') };
    let sum: u32 = (1..).zip(&digits).map(|(weight, digit): (u32, _)| weight * value(digit)).sum();
    sum.is_multiple_of(11)
}

pub(super) fn is_isbn13(text: &str) -> bool {
    let digits = compact(text);
    if digits.len() != 13 || !digits.iter().all(u8::is_ascii_digit) {
        return false;
    }
    let sum: u32 = [1, 3].iter().cycle().zip(&digits).map(|(weight, digit)| weight * u32::from(digit - b'0')).sum();
    sum.is_multiple_of(10)
}
