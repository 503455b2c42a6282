//! `v1.PodLogOptions`: parses and validates the query of `kubectl logs`, and selects and formats the lines.

use jiff::{SignedDuration, Timestamp};

use crate::http::query::Query;
use crate::http::status::ApiError;
use kube_controllers::nodes::logs::Line;
use kube_machinery::conventions::cause::Cause;
use kube_machinery::conventions::causes::Causes;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LogOptions {
    /// Empty for the pod's only container.
    pub(crate) container: String,
    pub(crate) follow: bool,
    pub(crate) previous: bool,
    timestamps: bool,
    since: Option<Timestamp>,
    /// The number of lines to return, counted from the end.
    tail: Option<usize>,
    /// The most bytes to return.
    pub(crate) limit: Option<usize>,
}

impl LogOptions {
    /// Parses the query. The error is upstream's message for values that are invalid or contradict each other.
    pub(crate) fn parse(query: &Query, pod: &str, now: Timestamp) -> Result<Self, ApiError> {
        let (tail, limit) = (query.integer("tailLines")?, query.integer("limitBytes")?);
        let seconds = query.integer("sinceSeconds")?;
        let time = query.get("sinceTime").filter(|time| !time.is_empty()).map(since).transpose()?;
        let mut causes = Causes::new();
        let mut refuse = |field: &str, value: Option<i64>, least: i64, detail: &str| {
            if let Some(value) = value.filter(|value| *value < least) {
                causes.push(Cause::invalid_json(field, &value.into(), detail));
            }
        };
        refuse("tailLines", tail, 0, "must be greater than or equal to 0");
        refuse("limitBytes", limit, 1, "must be greater than 0");
        if time.is_none() {
            refuse("sinceSeconds", seconds, 1, "must be greater than 0");
        } else if seconds.is_some() {
            causes.push(Cause::forbidden("", "at most one of `sinceTime` or `sinceSeconds` may be specified"));
        }
        if !causes.is_empty() {
            return Err(ApiError::invalid_log_options(pod, causes));
        }
        let ago = |seconds: i64| now.checked_sub(SignedDuration::from_secs(seconds)).unwrap_or(Timestamp::MIN);
        let flag = |name| query.flag(name).unwrap_or_default();
        let size = |number: Option<i64>| number.and_then(|number| usize::try_from(number).ok());
        Ok(Self {
            container: query.get("container").unwrap_or_default().to_owned(),
            follow: flag("follow"),
            previous: flag("previous"),
            timestamps: flag("timestamps"),
            since: time.or_else(|| seconds.map(ago)),
            tail: size(tail),
            limit: size(limit),
        })
    }

    /// Returns the lines that `since` and `tail` select.
    pub(crate) fn select(&self, mut lines: Vec<Line>) -> Vec<Line> {
        lines.retain(|line| self.since.is_none_or(|since| line.time >= since));
        let surplus = self.tail.map_or(0, |tail| lines.len().saturating_sub(tail));
        lines.split_off(surplus)
    }

    pub(crate) fn show(&self, line: &Line) -> String {
        match self.timestamps {
            true => format!("{:.9} {}\n", line.time, line.text),
            false => format!("{}\n", line.text),
        }
    }
}

/// Parses `sinceTime`, with Go's error message.
fn since(text: &str) -> Result<Timestamp, ApiError> {
    text.parse().map_err(|_| {
        ApiError::bad_request(format!(
            "parsing time {text:?} as \"2006-01-02T15:04:05Z07:00\": cannot parse {text:?} as \"2006\""
        ))
    })
}
