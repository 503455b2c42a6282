//! LogDedup: remembers the last failure that was logged about each subject. A Reflector and a leader election retry for
//! ever, and a failure that repeats should be logged once, not in each attempt.

use std::mem;

/// The last logged failure of each subject. `S` names a subject, for example a list or a watch.
#[derive(Debug)]
pub(crate) struct LogDedup<S>(Vec<(S, String)>);

impl<S> Default for LogDedup<S> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<S: Copy + PartialEq> LogDedup<S> {
    /// Remembers the failure, and returns true if its text differs from the subject's last failure.
    pub fn insert(&mut self, subject: S, text: String) -> bool {
        match self.0.iter_mut().find(|(logged, _)| *logged == subject) {
            Some((_, last)) => mem::replace(last, text.clone()) != text,
            None => {
                self.0.push((subject, text));
                true
            }
        }
    }

    /// Forgets the subject's failure, because it works again: its next failure is new, even with the same text.
    pub fn remove(&mut self, subject: S) {
        self.0.retain(|(logged, _)| *logged != subject);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, PartialEq)]
    enum Subject {
        List,
        Watch,
    }

    #[test]
    fn a_failure_is_new_the_first_time_with_another_text_and_after_a_success() {
        let mut dedup = LogDedup::default();
        assert!(dedup.insert(Subject::List, "forbidden".into()));
        assert!(!dedup.insert(Subject::List, "forbidden".into()));
        assert!(dedup.insert(Subject::Watch, "forbidden".into()));
        assert!(dedup.insert(Subject::List, "refused".into()));
        assert!(dedup.insert(Subject::List, "forbidden".into()));
        dedup.remove(Subject::List);
        assert!(dedup.insert(Subject::List, "forbidden".into()));
        assert!(!dedup.insert(Subject::Watch, "forbidden".into()));
    }
}
