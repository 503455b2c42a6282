//! Quantities: amounts of a resource such as `500m` of CPU, `1Gi` of memory and `1e3`. They are parsed, computed with
//! and printed exactly as upstream's `resource.Quantity` does, with its rounding and its oddities, because clients see
//! the result.

use std::cmp::Ordering;
use std::fmt;

/// The reason why a text is no quantity, with upstream's messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum QuantityError {
    #[error("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")]
    Format,
    #[error("unable to parse quantity's suffix")]
    Suffix,
    #[error("unable to parse numeric part of quantity")]
    Number,
}

/// The notation that a quantity was written in, and is printed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Notation {
    /// `1k`
    Decimal,
    /// `1e3`
    Exponent,
    /// `1Ki`
    Binary,
}

/// The smallest power of ten that a quantity can have.
const NANO: i32 = -9;
/// The power of ten to which the resources of containers are rounded.
pub(crate) const MILLI: i32 = -3;
/// The most decimal digits that always fit into an int64.
const SAFE_DIGITS: usize = 18;
/// The greatest value of a binary quantity: the greatest int64.
const MOST: u64 = i64::MAX.unsigned_abs();

const DECIMAL: [(&str, i32); 10] =
    [("", 0), ("n", -9), ("u", -6), ("m", -3), ("k", 3), ("M", 6), ("G", 9), ("T", 12), ("P", 15), ("E", 18)];
const BINARY: [&str; 6] = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/// A decimal number of any size, and its notation.
#[derive(Clone, Debug)]
pub(crate) struct Quantity {
    negative: bool,
    /// Decimal digits from the most significant one on, without leading zeros; empty for zero.
    digits: Vec<u8>,
    /// The power of ten that the digits are multiplied by.
    exponent: i32,
    notation: Notation,
    /// The parsed text, if upstream takes it for canonical (sometimes wrongly) and so prints it unchanged.
    text: Option<String>,
    /// Upstream holds a small number as an int64 times a power of ten (`int64Amount`), and any other number as an
    /// `inf.Dec`. This is the power of ten; `None` for an `inf.Dec`.
    scale: Option<i32>,
}

impl Quantity {
    /// Parses a quantity.
    ///
    /// # Errors
    /// Upstream's message for a text that is not a quantity.
    pub(crate) fn parse(text: &str) -> Result<Self, QuantityError> {
        let text = text.trim();
        let parts = Parts::split(text)?;
        let (notation, power) = interpret(parts.suffix)?;
        let significant = parts.whole.len().max(1) + parts.fraction.len();
        let digits: Vec<u8> = [parts.whole, parts.fraction].concat().bytes().map(|byte| byte - b'0').collect();
        let scale = i32::try_from(parts.fraction.len()).map_err(|_| QuantityError::Format)?;
        let mut quantity =
            Self { negative: parts.negative, digits, exponent: -scale, notation, text: None, scale: None };
        // Upstream parses numbers that surely fit into an int64 separately (`is_small`), and keeps their text if it
        // looks canonical. `most_digits` is the number of digits that surely fit, by the suffix; a binary number that
        // is no multiple of 8 counts as canonical.
        let (is_small, looks_canonical) = match notation {
            Notation::Binary => {
                let most_digits =
                    [11, 8, 5, 2].get(power.unsigned_abs() as usize / 10 - 1).copied().unwrap_or_default();
                let is_no_multiple_of_8 =
                    quantity.digits.iter().fold(0, |rest, digit| (rest * 10 + u32::from(*digit)) % 8) != 0;
                (parts.fraction.is_empty() && significant <= most_digits, is_no_multiple_of_8)
            }
            Notation::Decimal | Notation::Exponent => {
                let begins = parts.whole.bytes().next().is_some();
                let zeros = [parts.whole, parts.fraction].concat().ends_with("000");
                let exponent = power.saturating_sub(scale);
                (significant <= SAFE_DIGITS && exponent >= NANO, exponent % 3 == 0 && begins && !zeros)
            }
        };
        quantity.scale = is_small.then_some(if notation == Notation::Binary { 0 } else { power.saturating_sub(scale) });
        if !is_small && !parts.has_digits {
            return Err(QuantityError::Number);
        }
        match notation {
            Notation::Binary => quantity.double(power),
            Notation::Decimal | Notation::Exponent => quantity.exponent = quantity.exponent.saturating_add(power),
        }
        quantity.normalise();
        if is_small && looks_canonical {
            quantity.text = Some(text.to_owned());
            return Ok(quantity);
        }
        quantity.round_up(NANO);
        if notation == Notation::Binary {
            quantity.bound();
        }
        Ok(quantity)
    }

    pub(crate) fn is_negative(&self) -> bool {
        self.negative && !self.digits.is_empty()
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    /// Returns true if this number, rounded up to a whole one, is a multiple of `unit`, which must be whole.
    /// Upstream: `IsHugePageResourceValueDivisible`.
    pub(crate) fn is_multiple_of(&self, unit: &Self) -> bool {
        let whole = |quantity: &Self| {
            let whole = quantity.rounded_up(0);
            let same = whole.compare(quantity).is_eq();
            (whole.integer(), same)
        };
        match (whole(self), whole(unit)) {
            ((Some(this), _), (Some(unit), true)) => unit > 0 && this % unit == 0,
            _ => false,
        }
    }

    /// Compares the numbers; notations do not count.
    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        let size = |quantity: &Self| {
            let length = i64::try_from(quantity.digits.len()).unwrap_or(i64::MAX);
            (!quantity.digits.is_empty()).then(|| length + i64::from(quantity.exponent))
        };
        let sizes = size(self).cmp(&size(other)).then_with(|| self.digits.cmp(&other.digits));
        match (self.is_negative(), other.is_negative()) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => sizes,
            (true, true) => sizes.reverse(),
        }
    }

    /// Returns the number in thousandths, rounded up. Upstream: `MilliValue`.
    pub(crate) fn milli(&self) -> f64 {
        let rounded = self.rounded_up(MILLI);
        Self { exponent: rounded.exponent - MILLI, ..rounded }.to_f64()
    }

    pub(crate) fn to_f64(&self) -> f64 {
        let digits: String = self.digits.iter().map(|digit| char::from(b'0' + digit)).collect();
        let size: f64 = format!("0{digits}e{}", self.exponent).parse().unwrap_or_default();
        if self.negative { -size } else { size }
    }

    /// Returns the quantity of an integer. Upstream: `NewQuantity(value, DecimalExponent)`.
    #[cfg(feature = "cel")]
    pub(crate) fn of_int(int: i64) -> Self {
        let digits = int.unsigned_abs().to_string().bytes().map(|byte| byte - b'0').collect();
        let mut quantity =
            Self { negative: int < 0, digits, exponent: 0, notation: Notation::Exponent, text: None, scale: Some(0) };
        quantity.normalise();
        quantity
    }

    /// Returns a number of things as a quantity. Upstream: `NewQuantity(value, DecimalSI)`.
    pub(crate) fn of_count(count: usize) -> Self {
        let digits = count.to_string().bytes().map(|byte| byte - b'0').collect();
        let mut quantity =
            Self { negative: false, digits, exponent: 0, notation: Notation::Decimal, text: None, scale: Some(0) };
        quantity.normalise();
        quantity
    }

    /// Returns the number as an int64, if upstream holds it as a whole int64. Upstream: `AsInt64`.
    pub(crate) fn as_int(&self) -> Option<i64> {
        self.scale.filter(|scale| *scale >= 0)?;
        let signed = i128::from(self.integer()?) * if self.negative { -1 } else { 1 };
        i64::try_from(signed).ok()
    }

    /// Returns the float that upstream computes: the held integer times its power of ten, which may be inexact.
    /// Upstream: `AsApproximateFloat64`.
    #[cfg(feature = "cel")]
    pub(crate) fn to_approximate_f64(&self) -> f64 {
        let scale = self.scale.unwrap_or(NANO);
        let power = |exponent: i32| -> f64 { format!("1e{exponent}").parse().unwrap_or_default() };
        let digits: String = self.digits.iter().map(|digit| char::from(b'0' + digit)).collect();
        let base: f64 = format!("0{digits}e{}", self.exponent - scale).parse().unwrap_or_default();
        let size = if scale == 0 { base } else { base * power(scale) };
        if self.negative { -size } else { size }
    }

    /// Returns the difference. As in Go, the negative of the smallest int64 overflows to itself. Upstream: `Sub`.
    pub(crate) fn minus(&self, other: &Self) -> Self {
        let keeps_sign = other.as_int() == Some(i64::MIN) && self.as_int().is_some_and(|int| int >= 0);
        self.plus(&Self { negative: other.negative == keeps_sign, text: None, ..other.clone() })
    }

    /// Returns the sum, in this quantity's notation unless it is zero. Upstream: `Add`.
    pub(crate) fn plus(&self, other: &Self) -> Self {
        let notation = if self.is_zero() { other.notation } else { self.notation };
        let exponent = self.exponent.min(other.exponent);
        let aligned = |quantity: &Self| {
            let zeros = usize::try_from(quantity.exponent - exponent).unwrap_or_default();
            let mut digits = quantity.digits.clone();
            digits.resize(if digits.is_empty() { 0 } else { digits.len() + zeros }, 0);
            digits
        };
        let (one, two) = (aligned(self), aligned(other));
        let (negative, digits) = if self.is_negative() == other.is_negative() {
            (self.negative, sum(&one, &two))
        } else if one.len().cmp(&two.len()).then_with(|| one.cmp(&two)).is_ge() {
            (self.negative, difference(&one, &two))
        } else {
            (other.negative, difference(&two, &one))
        };
        // Upstream holds the sum as an int64 only if it holds both numbers as one.
        let scale = match (self.is_zero(), other.is_zero()) {
            (true, _) => self.scale.and(other.scale),
            (_, true) => self.scale.filter(|_| other.scale.is_some()),
            _ => self.scale.zip(other.scale).map(|(one, other)| one.min(other)),
        };
        let mut sum = Self { negative, digits, exponent, notation, text: None, scale };
        sum.normalise();
        sum
    }

    /// Returns the number in units of a power of ten, rounded up and limited to an int64. Upstream: `ScaledValue`.
    pub(crate) fn scaled(&self, exponent: i32) -> i64 {
        let rounded = self.rounded_up(exponent);
        let units = Self { exponent: rounded.exponent.saturating_sub(exponent), ..rounded };
        let size = i64::try_from(units.integer().unwrap_or(MOST)).unwrap_or(i64::MAX);
        if self.is_negative() { -size } else { size }
    }

    /// Returns the number, rounded as by [`round_up`](Self::round_up).
    pub(crate) fn rounded_up(&self, exponent: i32) -> Self {
        let mut rounded = self.clone();
        rounded.round_up(exponent);
        rounded
    }

    /// Rounds away from zero to a multiple of this power of ten.
    pub(crate) fn round_up(&mut self, exponent: i32) {
        if self.digits.is_empty() || self.exponent >= exponent {
            return;
        }
        self.text = None;
        let surplus = usize::try_from(i64::from(exponent) - i64::from(self.exponent)).unwrap_or(usize::MAX);
        self.digits.truncate(self.digits.len().saturating_sub(surplus)); // the dropped part is not zero: digits never end with 0
        self.exponent = exponent;
        match self.digits.iter().rposition(|digit| *digit < 9) {
            Some(at) => {
                self.digits[at] += 1;
                self.digits[at + 1..].fill(0);
            }
            None => {
                self.digits.fill(0);
                self.digits.insert(0, 1);
            }
        }
        self.normalise();
    }

    /// Multiplies by two this many times, for a binary suffix.
    fn double(&mut self, times: i32) {
        for _ in 0..times {
            let mut carry = 0;
            for digit in self.digits.iter_mut().rev() {
                let doubled = *digit * 2 + carry;
                (*digit, carry) = (doubled % 10, doubled / 10);
            }
            if carry > 0 {
                self.digits.insert(0, carry);
            }
        }
    }

    /// Removes zeros at both ends.
    fn normalise(&mut self) {
        let leading = self.digits.iter().take_while(|digit| **digit == 0).count();
        self.digits.drain(..leading);
        while self.digits.last() == Some(&0) {
            self.digits.pop();
            self.exponent = self.exponent.saturating_add(1);
        }
    }

    /// Limits a binary quantity to an int64. A quantity below 1 gets the decimal notation.
    fn bound(&mut self) {
        let order = self.order();
        if order <= 0 && !self.digits.is_empty() {
            self.notation = Notation::Decimal;
        } else if order > 18 && (self.exponent < 0 || self.integer().is_none_or(|integer| integer > MOST)) {
            let whole = self.digits.iter().take(19).fold(0, |sum, digit| sum * 10 + u64::from(*digit));
            if order > 19 || whole >= MOST {
                self.digits = MOST.to_string().bytes().map(|byte| byte - b'0').collect();
                self.exponent = 0;
            }
        }
    }

    /// Returns the number of digits before the decimal point.
    fn order(&self) -> i64 {
        i64::try_from(self.digits.len()).unwrap_or(i64::MAX).saturating_add(self.exponent.into())
    }

    /// Returns the number as an integer in plain digits: rounded away from zero, and limited to an int64. Upstream:
    /// `Value`.
    pub(crate) fn whole(&self) -> String {
        let whole = self.rounded_up(0);
        let size = whole.integer().unwrap_or(MOST).min(MOST);
        if self.is_negative() { format!("-{size}") } else { size.to_string() }
    }

    /// Returns the number without its sign, if it is an integer that fits.
    fn integer(&self) -> Option<u64> {
        let zeros = u32::try_from(self.exponent).ok()?;
        let add = |sum: u64, digit: &u8| sum.checked_mul(10)?.checked_add((*digit).into());
        self.digits.iter().try_fold(0, add)?.checked_mul(10_u64.checked_pow(zeros)?)
    }

    /// Returns the number with the fewest digits, and its suffix (a power of 1,000 or 1,024).
    fn canonical(&self) -> (String, String) {
        if self.notation == Notation::Binary
            && let Some(mut integer) = self.integer().filter(|integer| *integer >= 1024)
        {
            let mut suffix = "";
            for larger in BINARY {
                if integer % 1024 != 0 {
                    break;
                }
                integer /= 1024;
                suffix = larger;
            }
            return (integer.to_string(), suffix.to_owned());
        }
        let surplus = self.exponent.rem_euclid(3);
        let mut number: String = self.digits.iter().map(|digit| char::from(b'0' + digit)).collect();
        (0..surplus).for_each(|_| number.push('0'));
        let exponent = self.exponent - surplus;
        let suffix = match self.notation {
            Notation::Exponent if exponent == 0 => String::new(),
            Notation::Exponent => format!("e{exponent}"),
            // As upstream, a number beyond the largest suffix has none, and loses its zeros.
            _ => DECIMAL.iter().find(|(_, power)| *power == exponent).map_or("", |(suffix, _)| suffix).to_owned(),
        };
        (number, suffix)
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(text) = &self.text {
            return f.write_str(text);
        }
        if self.digits.is_empty() {
            return f.write_str("0");
        }
        let (number, suffix) = self.canonical();
        write!(f, "{}{number}{suffix}", if self.negative { "-" } else { "" })
    }
}

/// Returns the meaning of a suffix: the notation, and the power (of ten; of two for the binary notation).
fn interpret(suffix: &str) -> Result<(Notation, i32), QuantityError> {
    if let Some((_, power)) = DECIMAL.iter().find(|(name, _)| *name == suffix) {
        return Ok((Notation::Decimal, *power));
    }
    if let Some(at) = (1..).zip(BINARY).find(|(_, name)| *name == suffix).map(|(at, _)| at) {
        return Ok((Notation::Binary, at * 10));
    }
    let exponent = suffix.strip_prefix(['e', 'E']).and_then(|exponent| exponent.parse().ok());
    exponent.map(|exponent| (Notation::Exponent, exponent)).ok_or(QuantityError::Suffix)
}

struct Parts<'a> {
    negative: bool,
    has_digits: bool,
    /// The digits before the point, without leading zeros.
    whole: &'a str,
    fraction: &'a str,
    suffix: &'a str,
}

impl<'a> Parts<'a> {
    fn split(text: &'a str) -> Result<Self, QuantityError> {
        if text.is_empty() {
            return Err(QuantityError::Format);
        }
        let digits = |text: &'a str| text.split_at(text.bytes().take_while(u8::is_ascii_digit).count());
        let rest = text.strip_prefix(['+', '-']).unwrap_or(text);
        let (whole, rest) = digits(rest.trim_start_matches('0'));
        let (fraction, suffix) = rest.strip_prefix('.').map_or(("", rest), digits);
        let tail = suffix.trim_start_matches(|letter| "eEinumkKMGTP".contains(letter));
        let (_, tail) = digits(tail.strip_prefix(['+', '-']).unwrap_or(tail));
        if tail.is_empty() {
            let has_digits = text[..text.len() - suffix.len()].bytes().any(|byte| byte.is_ascii_digit());
            Ok(Self { negative: text.starts_with('-'), has_digits, whole, fraction, suffix })
        } else {
            Err(QuantityError::Format)
        }
    }
}

/// Adds two numbers in decimal digits.
fn sum(one: &[u8], other: &[u8]) -> Vec<u8> {
    let (mut digits, mut carry) = (Vec::new(), 0);
    for i in 0..=one.len().max(other.len()) {
        let digit = |of: &[u8]| of.iter().rev().nth(i).copied().unwrap_or_default();
        let sum = digit(one) + digit(other) + carry;
        digits.push(sum % 10);
        carry = sum / 10;
    }
    digits.reverse();
    digits
}

/// Subtracts a number in decimal digits from one that is at least as large.
fn difference(one: &[u8], other: &[u8]) -> Vec<u8> {
    let (mut digits, mut borrowed) = (Vec::new(), 0);
    for i in 0..one.len() {
        let digit = |of: &[u8]| of.iter().rev().nth(i).copied().unwrap_or_default();
        let (from, taken) = (digit(one), digit(other) + borrowed);
        borrowed = u8::from(from < taken);
        digits.push(from + borrowed * 10 - taken);
    }
    digits.reverse();
    digits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Value;

    #[test]
    fn quantities_compare_as_numbers() {
        let ascending = ["-1k", "-2", "-1500m", "0", "1n", "999m", "1", "1001m", "1k", "1Ki", "1e4", "1Mi", "2M"];
        let quantities = ascending.map(|text| Quantity::parse(text).unwrap());
        for (i, one) in quantities.iter().enumerate() {
            for (j, other) in quantities.iter().enumerate() {
                assert_eq!(one.compare(other), i.cmp(&j), "{} and {}", ascending[i], ascending[j]);
            }
        }
        let equal = |one: &str, other: &str| Quantity::parse(one).unwrap().compare(&Quantity::parse(other).unwrap());
        assert_eq!(
            (equal("1000m", "1"), equal("1024", "1Ki"), equal("-0", "0")),
            (Ordering::Equal, Ordering::Equal, Ordering::Equal)
        );
    }

    /// Each line has a text, and the form or the error that upstream gives it; `milli` is the form after rounding to
    /// thousandths.
    #[test]
    fn quantities_are_written_as_go_writes_them() {
        let recorded = include_str!("quantities.jsonl");
        let mut seen = 0;
        for line in recorded.lines() {
            let row: Value = serde_json::from_str(line).unwrap();
            let text = row["in"].as_str().unwrap();
            let found = Quantity::parse(text).map(|quantity| quantity.to_string()).map_err(|error| error.to_string());
            let expected = match row["error"].as_str() {
                Some(error) => Err(error.to_owned()),
                None => Ok(row["out"].as_str().unwrap().to_owned()),
            };
            assert_eq!(found, expected, "{text:?}");
            if let Some(milli) = row["milli"].as_str() {
                let mut quantity = Quantity::parse(text).unwrap();
                quantity.round_up(MILLI);
                assert_eq!(quantity.to_string(), milli, "{text:?} in thousandths");
            }
            seen += 1;
        }
        assert!(seen > 500, "{seen}");
    }
}
