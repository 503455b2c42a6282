//! The indexes that have succeeded, in the form of the Job's status: `0,2-4`. Upstream:
//! `pkg/controller/job/indexed_job_utils.go`.

use std::collections::BTreeSet;

/// Reads the indexes below `completions`, and ignores unreadable parts.
pub(super) fn read(text: &str, completions: i64) -> BTreeSet<i64> {
    let mut indexes = BTreeSet::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        if let (Ok(first), Ok(last)) = (first.parse::<i64>(), last.parse::<i64>()) {
            indexes.extend(first..=last.min(completions - 1));
        }
    }
    indexes
}

pub(super) fn write(indexes: &BTreeSet<i64>) -> String {
    let mut runs: Vec<(i64, i64)> = Vec::new();
    for index in indexes {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == *index => *last = *index,
            _ => runs.push((*index, *index)),
        }
    }
    let texts = runs.iter().map(|(first, last)| match last - first {
        0 => first.to_string(),
        1 => format!("{first},{last}"),
        _ => format!("{first}-{last}"),
    });
    texts.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_three_are_written_short() {
        let indexes = read("0,2-4,6,7", 100);
        assert_eq!(indexes, BTreeSet::from([0, 2, 3, 4, 6, 7]));
        assert_eq!(write(&indexes), "0,2-4,6,7");
        assert_eq!(read("1-5", 3), BTreeSet::from([1, 2]), "a Job may have been made smaller");
        assert_eq!(write(&BTreeSet::new()), "");
    }
}
