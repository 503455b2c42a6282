//! Texts for the learner in English and Chinese. A judge writes both, and the checker prints the one of the learner's
//! language.

pub use informer_lab::trace::Lang;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bilingual {
    en: String,
    zh: String,
}

impl Bilingual {
    pub fn new(en: impl Into<String>, zh: impl Into<String>) -> Self {
        Self { en: en.into(), zh: zh.into() }
    }

    pub fn pick(&self, lang: Lang) -> &str {
        lang.pick(&self.en, &self.zh)
    }
}
