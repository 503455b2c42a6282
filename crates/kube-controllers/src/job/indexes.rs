//! Reads and writes `status.completedIndexes` of an indexed Job: the indexes whose pods have succeeded, as text such as
//! `0,2-4`. Upstream: `pkg/controller/job/indexed_job_utils.go`.

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

/// Writes three or more consecutive indexes as a range.
pub(super) fn write(indexes: &BTreeSet<i64>) -> String {
    let mut ranges: Vec<(i64, i64)> = Vec::new();
    for index in indexes {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == *index => *last = *index,
            _ => ranges.push((*index, *index)),
        }
    }
    let texts = ranges.iter().map(|(first, last)| match last - first {
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
    fn three_consecutive_indexes_are_written_as_a_range() {
        let indexes = read("0,2-4,6,7", 100);
        assert_eq!(indexes, BTreeSet::from([0, 2, 3, 4, 6, 7]));
        assert_eq!(write(&indexes), "0,2-4,6,7");
        assert_eq!(read("1-5", 3), BTreeSet::from([1, 2]), "a Job may have been made smaller");
        assert_eq!(write(&BTreeSet::new()), "");
    }
}
