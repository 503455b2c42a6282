//! Parses and writes the text form of faults, such as `429:verb=list,times=3`, which is the same on the command line,
//! in scenario files and in requests to the admin path.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::effect::{Effect, FaultOption};
use super::fault::Fault;
use super::verb::Verb;
use kube_machinery::conventions::yaml::short_duration;
use kube_machinery::kinds::RESOURCES;

/// The error for a text that is not a fault. The message says what was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadFault(String);

/// Parses `NAME` or `NAME:OPTION=VALUE,OPTION=VALUE…`, without spaces:
///
/// | name | options |
/// |---|---|
/// | `500`, `504` | `verb`, `resource`, `times`, `for` |
/// | `429` | the same, and `retry-after` |
/// | `delay` | the same, and `by` |
/// | `hide-events`, `cut-watches`, `refuse-watch-list` | `resource`, `times`, `for` |
/// | `lag`, `freeze-bookmarks` | `resource`, `for` |
/// | `drop-watches` | `resource` |
/// | `compact` | |
///
/// `verb` is one of `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; `resource` is a
/// plural such as `pods`; `times` is a number, at least 1; `for` is a duration such as `10s`, or `ever`; `retry-after`
/// is a number of seconds (default 1); `by` is a duration (default one second). Each may be given once. [`Effect`]
/// explains the names.
impl FromStr for Fault {
    type Err = BadFault;

    fn from_str(text: &str) -> Result<Self, BadFault> {
        let (name, options) = text.split_once(':').unwrap_or((text, ""));
        let effect = Effect::ALL.into_iter().find(|effect| effect.name() == name).ok_or_else(|| {
            let names = Effect::ALL.map(Effect::name).join(", ");
            BadFault(format!("unknown fault {name:?}; expected one of {names}"))
        })?;
        let mut fault = Self::new(effect);
        let (mut seen, mut times) = (Vec::new(), None);
        // Without a colon there are no options, although an empty text splits into one part.
        for option in options.split(',').filter(|_| text.contains(':')) {
            let (choice, value) = choice(effect, option)?;
            if seen.contains(&choice) {
                return Err(BadFault(format!("{name}: {} is given twice", choice.name())));
            }
            seen.push(choice);
            let expected = |expected: &str| BadFault(format!("{name}: {} {expected}, found {value:?}", choice.name()));
            fault = match choice {
                FaultOption::Verb => {
                    let verb = Verb::ALL.into_iter().find(|verb| verb.name() == value);
                    let names = Verb::ALL.map(Verb::name).join(", ");
                    fault.verb(verb.ok_or_else(|| expected(&format!("is one of {names}")))?)
                }
                FaultOption::Resource if RESOURCES.iter().any(|row| row.plural() == value) => fault.resource(value),
                FaultOption::Resource => return Err(expected("is a plural such as pods")),
                FaultOption::Times => {
                    times = value.parse().ok().filter(|times| *times > 0);
                    times.map(|_| fault).ok_or_else(|| expected("is a number from 1 on"))?
                }
                FaultOption::For if value == "ever" => fault.until_ended(),
                FaultOption::For => {
                    let period = short_duration(value).ok_or_else(|| expected("is a duration such as 10s, or ever"))?;
                    fault.lasting(period)
                }
                FaultOption::RetryAfter => {
                    let retry_after = value.parse().map_err(|_| expected("is a number of seconds"))?;
                    Self { effect: Effect::TooManyRequests { retry_after }, ..fault }
                }
                FaultOption::By => {
                    let by = short_duration(value).ok_or_else(|| expected("is a duration such as 500ms"))?;
                    Self { effect: Effect::Delay(by), ..fault }
                }
            };
        }
        Ok(times.into_iter().fold(fault, Self::times)) // last, because `for` resets the number of times
    }
}

/// Parses an option that the effect takes, with its value.
fn choice(effect: Effect, option: &str) -> Result<(FaultOption, &str), BadFault> {
    let choices = effect.options();
    let known = |(name, value)| Some((*choices.iter().find(|choice| choice.name() == name)?, value));
    option.split_once('=').and_then(known).ok_or_else(|| {
        let names: Vec<String> = choices.iter().map(|choice| format!("{}=…", choice.name())).collect();
        let expected = if names.is_empty() { "no options".to_owned() } else { names.join(", ") };
        BadFault(format!("{}: unknown option {option:?}; expected {expected}", effect.name()))
    })
}

/// Writes the shortest text that parses as this fault.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let default = Self::new(self.effect);
        let mut options = Vec::new();
        let mut option = |choice: FaultOption, value: String| options.push(format!("{}={value}", choice.name()));
        if let Some(verb) = self.verb {
            option(FaultOption::Verb, verb.name().into());
        }
        if let Some(resource) = &self.only {
            option(FaultOption::Resource, resource.clone());
        }
        if self.times != default.times
            && let Some(times) = self.times
        {
            option(FaultOption::Times, times.to_string());
        }
        match self.lasts {
            Some(period) => {
                option(FaultOption::For, duration(period));
                // A period alone means no limit on the number of times.
                if (self.times, default.times) == (Some(1), Some(1)) {
                    option(FaultOption::Times, "1".into());
                }
            }
            None if self.times.is_none() && default.times.is_some() => option(FaultOption::For, "ever".into()),
            None => {}
        }
        match self.effect {
            Effect::TooManyRequests { retry_after } if retry_after != 1 => {
                option(FaultOption::RetryAfter, retry_after.to_string());
            }
            Effect::Delay(by) if by != Duration::from_secs(1) => option(FaultOption::By, duration(by)),
            _ => {}
        }
        f.write_str(self.effect.name())?;
        if options.is_empty() { Ok(()) } else { write!(f, ":{}", options.join(",")) }
    }
}

/// Formats a duration in seconds or milliseconds, without the spaces that jiff writes.
fn duration(period: Duration) -> String {
    match (period.as_secs(), period.subsec_millis()) {
        (seconds, 0) => format!("{seconds}s"),
        (seconds, millis) => format!("{}ms", u128::from(seconds) * 1000 + u128::from(millis)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_written_as_the_text_that_it_was_read_from() {
        for text in [
            "drop-watches",
            "drop-watches:resource=pods",
            "hide-events:times=3",
            "compact",
            "lag:for=10s",
            "500",
            "500:verb=deletecollection,resource=configmaps,times=7,for=90s",
            "500:for=ever",
            "429:verb=list,times=3,retry-after=2",
            "504:for=1500ms,times=1",
            "delay:verb=watch,by=250ms",
            "cut-watches:resource=pods",
            "freeze-bookmarks",
            "refuse-watch-list:times=1",
        ] {
            let fault: Fault = text.parse().unwrap();
            assert_eq!(fault.to_string(), text);
            assert_eq!(fault.to_string().parse(), Ok(fault));
        }
        let one: Fault = "429:times=2,verb=get,for=1m".parse().unwrap();
        assert_eq!(one, "429:for=60s,verb=get,times=2".parse().unwrap(), "options have no order");
    }

    #[test]
    fn an_invalid_text_is_refused_with_what_was_expected() {
        for (text, problem) in [
            ("", "unknown fault \"\"; expected one of drop-watches, hide-events"),
            ("418", "unknown fault \"418\""),
            ("429:", "429: unknown option \"\"; expected verb=…, resource=…, times=…, for=…, retry-after=…"),
            ("500:retry-after=2", "500: unknown option \"retry-after=2\""),
            ("compact:times=2", "compact: unknown option \"times=2\"; expected no options"),
            ("500:times=0", "500: times is a number from 1 on, found \"0\""),
            ("500:times=-1", "500: times is a number"),
            ("500:verb=frob", "500: verb is one of get, list, watch"),
            ("500:resource=pod", "500: resource is a plural such as pods, found \"pod\""),
            ("lag:for=soon", "lag: for is a duration such as 10s, or ever, found \"soon\""),
            ("lag:for=-1s", "lag: for is a duration"),
            ("500:times=1,times=2", "500: times is given twice"),
        ] {
            let error = text.parse::<Fault>().unwrap_err().to_string();
            assert!(error.starts_with(problem), "{text}: {error}");
        }
    }
}
