//! Told: which failures are in the log already, so that one that comes again and again is a warning once.

use std::mem;

/// The text of the last failure about each thing, until it is over. `A` says what a failure is about.
#[derive(Debug)]
pub(crate) struct Told<A>(Vec<(A, String)>);

impl<A> Default for Told<A> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<A: Copy + PartialEq> Told<A> {
    /// Is this another failure than the last one about the same?
    pub fn is_news(&mut self, about: A, text: String) -> bool {
        match self.0.iter_mut().find(|(told, _)| *told == about) {
            Some((_, last)) => mem::replace(last, text.clone()) != text,
            None => {
                self.0.push((about, text));
                true
            }
        }
    }

    /// It works again: the next failure is news, whatever it is.
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
    fn a_failure_is_news_the_first_time_when_it_changes_and_after_it_was_over() {
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
