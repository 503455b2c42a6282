//! Reads the period in which a certificate is valid (RFC 5280, 4.1.2.5), which is checked for the certificates of
//! clients and of webhooks. Go: `Certificate.isValid`.

use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;

use super::der::{INTEGER, sequence, take};
use super::name::VERSION;

const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;

/// The period in which a certificate is valid, in seconds since 1970. Both ends are included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Validity {
    pub not_before: u64,
    pub not_after: u64,
}

impl Validity {
    /// Reads the period of a certificate. Returns `None` if it is malformed.
    pub fn of(mut certificate: &[u8]) -> Option<Self> {
        let mut certificate = sequence(&mut certificate)?;
        let mut fields = sequence(&mut certificate)?;
        if fields.first() == Some(&VERSION) {
            take(&mut fields, None)?;
        }
        take(&mut fields, Some(INTEGER))?; // the serial number
        sequence(&mut fields)?; // the algorithm of the signature
        sequence(&mut fields)?; // the issuer
        let mut validity = sequence(&mut fields)?;
        Some(Self { not_before: time(&mut validity)?, not_after: time(&mut validity)? })
    }

    /// Returns true if a time is in the period.
    pub fn has(self, now: u64) -> bool {
        (self.not_before..=self.not_after).contains(&now)
    }
}

/// Takes a time off the front. A time before 1970 counts as 1970.
fn time(from: &mut &[u8]) -> Option<u64> {
    let (tag, text) = take(from, None)?;
    let (years, rest) = text.split_at_checked(match tag {
        UTC_TIME => 2,
        GENERALIZED_TIME => 4,
        _ => return None,
    })?;
    // A year of two digits is between 1950 and 2049.
    let year = match (tag, number(years)?) {
        (UTC_TIME, year @ 50..) => 1900 + year,
        (UTC_TIME, year) => 2000 + year,
        (_, year) => year,
    };
    let &[m1, m2, d1, d2, h1, h2, n1, n2, s1, s2, b'Z'] = rest else { return None };
    let two = |digits: [u8; 2]| i8::try_from(number(&digits)?).ok();
    let (month, day) = (two([m1, m2])?, two([d1, d2])?);
    let (hour, minute, second) = (two([h1, h2])?, two([n1, n2])?, two([s1, s2])?);
    let (day, time) = (Date::new(year, month, day).ok()?, Time::new(hour, minute, second, 0).ok()?);
    let at = day.to_datetime(time).to_zoned(TimeZone::UTC).ok()?.timestamp();
    Some(u64::try_from(at.as_second()).unwrap_or_default())
}

fn number(digits: &[u8]) -> Option<i16> {
    let is_number = digits.iter().all(u8::is_ascii_digit);
    is_number.then(|| std::str::from_utf8(digits).ok()?.parse().ok())?
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::super::der::{SEQUENCE, value};
    use super::*;

    /// Encodes a certificate with these times, up to the subject.
    fn certificate(version: &[u8], times: &[Vec<u8>]) -> Vec<u8> {
        let empty = value(SEQUENCE, &[]);
        let fields = [version, &value(INTEGER, &[1]), &empty, &empty, &value(SEQUENCE, &times.concat()), &empty];
        value(SEQUENCE, &value(SEQUENCE, &fields.concat()))
    }

    fn seconds(time: &str) -> u64 {
        time.parse::<Timestamp>().unwrap().as_second().try_into().unwrap()
    }

    #[test]
    fn the_validity_of_a_certificate_is_read() {
        let times = [value(UTC_TIME, b"991231235959Z"), value(GENERALIZED_TIME, b"20500101000000Z")];
        let expected =
            Validity { not_before: seconds("1999-12-31T23:59:59Z"), not_after: seconds("2050-01-01T00:00:00Z") };
        for version in [&[][..], &[VERSION, 3, INTEGER, 1, 2]] {
            assert_eq!(Validity::of(&certificate(version, &times)), Some(expected));
        }
    }

    #[test]
    fn a_certificate_with_an_invalid_time_is_malformed() {
        let good = value(UTC_TIME, b"250101000000Z");
        for bad in ["250101000000", "2501010000Z", "251301000000Z", "250101000000+0100", "2x0101000000Z", ""] {
            let times = [good.clone(), value(UTC_TIME, bad.as_bytes())];
            assert_eq!(Validity::of(&certificate(&[], &times)), None, "{bad}");
        }
        assert_eq!(Validity::of(&certificate(&[], &[good])), None);
    }
}
