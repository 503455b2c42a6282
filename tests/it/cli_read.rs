//! Tests of `informer-lab read`, which shows the book in the terminal.

use unicode_width::UnicodeWidthStr;

use crate::cli::run;

#[test]
fn read_without_a_name_lists_the_chapters_with_their_minutes() {
    let ran = run("read");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let line = ran.out.lines().find(|line| line.contains("reflector")).expect("chapter 4");
    assert!(line.trim_start().starts_with("04  reflector") && line.contains(" min  Reflector: "), "{line}");
    assert!(run("read --lang zh").out.contains("分钟"));
}

#[test]
fn a_chapter_fits_eighty_columns_in_both_languages() {
    for language in ["en", "zh"] {
        let ran = run(&format!("read reflector --lang {language}"));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert!(ran.out.starts_with("04 · Reflector"), "{}", ran.out);
        assert!(!ran.out.contains('\u{1b}') && !ran.out.contains("<!--"));
        let prose = ran.out.lines().take_while(|line| !line.starts_with("    $ "));
        for line in prose {
            assert!(line.width() <= 80, "{line}");
        }
    }
}

#[test]
fn a_word_of_the_book_shows_its_entry_in_the_glossary_and_the_chapters_that_have_it() {
    for (line, entry, chapter) in [
        ("read tombstone", "The object of a deletion that the watch missed", "read relist"),
        ("read HasSynced", "Two methods with one name", "read late-and-synced"),
        ("read processorListener", "A handler with its buffer", "read listener"),
        ("read work queue", "The queue between the handlers and the workers", "read workqueue"),
        ("read projection", "The glossary has no entry of this name", "read scope-and-memory"),
        ("read tombstone --lang zh", "watch 漏掉、后来因为 list 里少了对象才发现的删除", "read relist"),
    ] {
        let ran = run(line);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{line}");
        assert!(ran.out.contains(entry), "{line}: {}", ran.out);
        assert!(ran.out.lines().any(|line| line.ends_with(chapter)), "{line}: {}", ran.out);
        assert!(ran.out.lines().all(|line| line.width() <= 80), "{line}: {}", ran.out);
    }
}

#[test]
fn an_unknown_word_is_an_error_that_names_similar_ones() {
    let ran = run("read reflektor");
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
    let said = "error: the book has no chapter reflektor, and no chapter has this word\n  next: did you mean reflector or relist? \
                informer-lab read lists the chapters, informer-lab read glossary shows the terms\n";
    assert_eq!(ran.err, said);
    let ran = run("read xyzzy --lang zh");
    assert!(ran.err.starts_with("错误：书里没有 xyzzy 这一章"), "{}", ran.err);
}

#[test]
fn a_number_of_no_chapter_is_an_error_and_a_status_code_is_a_word() {
    let ran = run("read 99");
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
    let said =
        "error: the book has no chapter 99; its chapters are 1 to 25\n  next: informer-lab read lists the chapters\n";
    assert_eq!(ran.err, said);
    assert!(run("read 410").out.starts_with("410\n"));
}
