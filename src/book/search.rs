//! The search for a word in the book: its entry in the glossary, the other entries that have it, and the chapters. The
//! result is a page in Markdown.

use std::cmp::Reverse;

use super::chapters::{Chapter, all};
use super::page::{Paper, page};
use super::text::Ink;
use crate::trace::Lang;

/// An entry of the glossary.
struct Entry<'text> {
    term: &'text str,
    text: &'text str,
}

/// Returns the page about a word. `None` if neither the glossary nor a chapter has it.
pub(super) fn search(word: &str, lang: Lang) -> Option<String> {
    let word = word.trim();
    let glossary = text_of(glossary()?, lang);
    let entry = entries(glossary).find(|entry| is_term(entry, word));
    let term = entry.as_ref().map_or(word, |entry| entry.term);
    let mut chapters: Vec<_> = all()
        .filter(|chapter| chapter.number().is_some())
        .map(|chapter| (chapter, count(&plain(text_of(chapter, lang)), word)))
        .filter(|(_, count)| *count > 0)
        .collect();
    chapters.sort_by_key(|(_, count)| Reverse(*count));
    let others: Vec<_> = entries(glossary)
        .filter(|other| other.term != term && count(&plain(other.text), word) + count(other.term, word) > 0)
        .map(|entry| entry.term)
        .collect();
    if entry.is_none() && chapters.is_empty() && others.is_empty() {
        return None;
    }
    let mut found = format!("# {term}\n\n");
    match entry {
        Some(entry) => found += &format!("{}\n\n", entry.text.trim()),
        None => found += lang.pick("The glossary has no entry of this name.\n\n", "词汇表里没有这个词条。\n\n"),
    }
    if !others.is_empty() {
        let terms = others.join(lang.pick(", ", "、"));
        found += &match lang {
            Lang::En => format!("Also in these entries of the glossary: {terms}.\n\n"),
            Lang::Zh => format!("词汇表里还有这些词条提到它：{terms}。\n\n"),
        };
    }
    if !chapters.is_empty() {
        found += &table(&chapters, lang);
    }
    Some(found)
}

/// Returns true if the glossary or a chapter has the word, in English or Chinese.
pub fn has_word(word: &str) -> bool {
    let has = |text: &str| count(text, word) > 0;
    !word.trim().is_empty() && all().any(|chapter| has(chapter.en()) || has(chapter.zh()))
}

/// Returns the terms of the glossary.
pub(super) fn terms() -> impl Iterator<Item = &'static str> {
    glossary().into_iter().flat_map(|glossary| entries(glossary.en())).map(|entry| entry.term)
}

/// Returns the table of the chapters that have the word.
fn table(chapters: &[(&Chapter, usize)], lang: Lang) -> String {
    let mut table = match lang {
        Lang::En => "| chapter | places | informer-lab |\n|---|---|---|\n",
        Lang::Zh => "| 章 | 出现次数 | informer-lab |\n|---|---|---|\n",
    }
    .to_owned();
    for (chapter, count) in chapters {
        let title = chapter.title(text_of(chapter, lang));
        let number = chapter.number().unwrap_or_default();
        table += &format!("| {number} {title} | {count} | read {} |\n", chapter.slug());
    }
    table
}

fn glossary() -> Option<&'static Chapter> {
    all().find(|chapter| chapter.name == "glossary")
}

fn text_of(chapter: &Chapter, lang: Lang) -> &'static str {
    match lang {
        Lang::En => chapter.en(),
        Lang::Zh => chapter.zh(),
    }
}

/// Splits the glossary into its entries, each of which begins with a heading of the third level.
fn entries(glossary: &str) -> impl Iterator<Item = Entry<'_>> {
    glossary.split("\n### ").skip(1).filter_map(|entry| {
        let (term, text) = entry.split_once('\n')?;
        Some(Entry { term: term.trim(), text })
    })
}

/// Returns true if the word is a term of the glossary with its capital letters, such as `DeltaFIFO`.
pub(super) fn is_spelled_as_term(word: &str) -> bool {
    let word = word.trim();
    word.contains(|c: char| c.is_ascii_uppercase()) && terms().any(|term| term == word)
}

/// Returns true if the entry is about the word, in any case, with or without spaces and hyphens, and also in the plural.
/// An entry whose text begins with a name of client-go, such as `SharedInformerFactory`, is about this name, too.
fn is_term(entry: &Entry<'_>, word: &str) -> bool {
    let simple = |text: &str| text.to_lowercase().replace([' ', '-'], "");
    let (term, word) = (simple(entry.term), simple(word));
    let name = entry.text.trim().strip_prefix('`').and_then(|text| text.split('`').next());
    term == word || word.strip_suffix('s') == Some(&term) || name.is_some_and(|name| simple(name) == word)
}

/// Returns the text as a reader sees it, without marks and without the addresses of links inside the book.
fn plain(markdown: &str) -> String {
    page(markdown, Paper { width: 10_000, ink: Ink::Plain })
}

/// Returns the number of places in which a word of the text begins with this word, in any case.
fn count(text: &str, word: &str) -> usize {
    let [text, word] = [text, word].map(str::to_lowercase);
    let begins = |at: usize| !text[..at].ends_with(|before: char| before.is_ascii_alphanumeric());
    text.match_indices(&word).filter(|(at, _)| begins(*at)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_counted_at_its_beginning_in_any_case() {
        assert_eq!(count("Tombstone, tombstones; a non-tombstone", "tombstone"), 3);
        assert_eq!(count("HasSynced, Synced", "synced"), 1);
        assert_eq!(count("这就是 tombstone（墓碑）", "tombstone"), 1);
    }

    #[test]
    fn the_entry_of_a_term_comes_first_and_then_the_chapters_that_have_it() {
        for lang in [Lang::En, Lang::Zh] {
            for (word, chapter) in [("tombstone", "relist"), ("hassynced", "late-and-synced")] {
                let found = search(word, lang).unwrap();
                assert!(found.contains(&format!("| read {chapter} |")), "{word}: {found}");
            }
            let found = search("processorListener", lang).unwrap();
            assert!(found.starts_with("# processorListener\n\n") && found.contains("| read listener |"), "{found}");
        }
        assert!(search("work queue", Lang::En).unwrap().starts_with("# work queue\n\n"));
    }

    #[test]
    fn a_word_without_an_entry_is_found_in_the_chapters() {
        let found = search("memory", Lang::En).unwrap();
        assert!(found.contains("no entry of this name") && found.contains("Also in these entries"), "{found}");
        assert_eq!(search("xyzzy", Lang::En), None);
    }
}
