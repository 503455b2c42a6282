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
fn an_unknown_chapter_is_an_error_that_names_similar_ones() {
    let ran = run("read reflektor");
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
    let said = "error: there is no chapter reflektor\n  next: did you mean reflector or relist? informer-lab read lists the chapters\n";
    assert_eq!(ran.err, said);
}
