//! Told: remembers the last failure that was logged about each thing, because a failure that repeats should be one
//! warning only.

use std::mem;

/// The last logged failure of each subject. `A` names a subject, for example a list or a watch.
#[derive(Debug)]
pub(crate) struct Told<A>(Vec<(A, String)>);

impl<A> Default for Told<A> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<A: Copy + PartialEq> Told<A> {
    /// Remembers the failure, and returns true if its text differs from the subject's last failure.
    pub fn is_news(&mut self, about: A, text: String) -> bool {
        match self.0.iter_mut().find(|(told, _)| *told == about) {
            Some((_, last)) => mem::replace(last, text.clone()) != text,
            None => {
                self.0.push((about, text));
                true
            }
        }
    }

    /// Forgets the subject's failure, because it works again: its next failure is news, even with the same text.
    pub fn works(&mut self, about: A) {
        self.0.retain(|(told, _)| *told != about);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, PartialEq)]
    enum About {
        List,
        Watch,
    }

    #[test]
    fn a_failure_is_news_the_first_time_with_another_text_and_after_a_success() {
        let mut told = Told::default();
        assert!(told.is_news(About::List, "forbidden".into()));
        assert!(!told.is_news(About::List, "forbidden".into()));
        assert!(told.is_news(About::Watch, "forbidden".into()));
        assert!(told.is_news(About::List, "refused".into()));
        assert!(told.is_news(About::List, "forbidden".into()));
        told.works(About::List);
        assert!(told.is_news(About::List, "forbidden".into()));
        assert!(!told.is_news(About::Watch, "forbidden".into()));
    }
}
