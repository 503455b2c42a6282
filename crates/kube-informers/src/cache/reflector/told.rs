//! Told: which failures are in the log already, so that one that comes again and again is a warning once.

use std::mem;

/// What a failure was about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    List,
    Version,
    Open,
    Watch,
    Store,
    Object,
    Resync,
}

/// The last failure about each of these, until it is over.
#[derive(Debug, Default)]
pub(super) struct Told(Vec<(About, String)>);

impl Told {
    /// Is this another failure than the last one about the same?
    pub fn is_news(&mut self, about: About, text: String) -> bool {
        match self.0.iter_mut().find(|(told, _)| *told == about) {
            Some((_, last)) => mem::replace(last, text.clone()) != text,
            None => {
                self.0.push((about, text));
                true
            }
        }
    }

    /// It works again: the next failure is news, whatever it is.
    pub fn works(&mut self, about: About) {
        self.0.retain(|(told, _)| *told != about);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
