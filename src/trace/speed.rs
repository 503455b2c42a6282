//! The pauses between the lines of a recorded run (`--speed`). The run itself took place in virtual time and is over.

use std::str::FromStr;
use std::time::Duration;

use super::Words;

/// The slowest speed that is accepted: a pause of a second takes almost two minutes.
const SLOWEST: f64 = 0.01;

/// The speed of a recorded run's output. The output is the same at every speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Speed {
    /// The run's own pace, which is that of the tutorials, "the documents".
    Documents,
    /// This many times as fast: a finite number, at least 0.01.
    Times(f64),
    /// Without pauses.
    Max,
}

impl Speed {
    /// Returns the pause before a record that comes `gap` after the previous one.
    pub(super) fn pause(self, gap: Duration) -> Duration {
        match self {
            Self::Documents => gap,
            Self::Times(n) => Duration::try_from_secs_f64(gap.as_secs_f64() / n).unwrap_or(Duration::MAX),
            Self::Max => Duration::ZERO,
        }
    }
}

impl FromStr for Speed {
    type Err = Words;

    fn from_str(text: &str) -> Result<Self, Words> {
        if text == "max" {
            return Ok(Self::Max);
        }
        match text.parse::<f64>() {
            Ok(1.0) => Ok(Self::Documents),
            Ok(n) if n.is_finite() && n >= SLOWEST => Ok(Self::Times(n)),
            _ => Err(("expected a number from 0.01 upwards, or max", "应为不小于 0.01 的数，或 max").into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_speed_is_a_number_of_at_least_a_hundredth_or_max() {
        assert_eq!("1".parse(), Ok(Speed::Documents));
        assert_eq!("0.5".parse(), Ok(Speed::Times(0.5)));
        assert_eq!("max".parse(), Ok(Speed::Max));
        for bad in ["0", "-1", "1e-300", "inf", "NaN", "fast", ""] {
            assert!(bad.parse::<Speed>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_pause_is_the_gap_divided_by_the_speed() {
        let gap = Duration::from_secs(1);
        assert_eq!(Speed::Documents.pause(gap), gap);
        assert_eq!(Speed::Times(4.0).pause(gap), Duration::from_millis(250));
        assert_eq!(Speed::Times(f64::MIN_POSITIVE).pause(gap), Duration::MAX);
        assert_eq!(Speed::Max.pause(gap), Duration::ZERO);
    }
}
