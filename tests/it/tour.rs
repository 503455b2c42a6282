//! Tests of the tour's keys on a pseudo-terminal.
#![cfg(unix)]

use crate::screen::Screen;

/// Returns true if the screen ends with the question after the run of this chapter.
fn asks_after(text: &str, chapter: &str) -> bool {
    text.trim_end().ends_with("NUMBER Enter") && text.contains(&format!("its chapter: informer-lab read {chapter}\n"))
}

#[test]
fn single_keys_move_forward_and_back_and_unknown_keys_are_not_echoed() {
    let mut screen = Screen::of("tour 4 --speed 1000");
    screen.until("the fourth question", |text| text.trim_end().ends_with("NUMBER Enter"));
    screen.types("x1");
    let text = screen.until("the digit", |text| text.trim_end().ends_with("NUMBER Enter 1"));
    assert!(!text.contains("Enter x"), "{text}");
    screen.types("\r");
    screen.until("the first question", |text| asks_after(text, "architecture"));
    screen.types("\r");
    screen.until("the second question", |text| asks_after(text, "listwatch"));
    screen.types("b");
    screen
        .until("the first question again", |text| asks_after(text, "architecture") && !text.contains("read listwatch"));
    screen.types("q");
    assert_eq!(screen.ends().1, Some(0));
}

/// The trap keeps Ctrl-C from ending the shell too.
#[test]
fn ctrl_c_at_a_question_ends_the_tour_and_restores_the_terminal() {
    let mut screen = Screen::running(&format!(
        "trap : INT; {} tour --speed 1000; stty -a | grep -oE -- '-?(icanon|echo) '",
        crate::screen::PROGRAM
    ));
    screen.shows("NUMBER Enter");
    screen.types("\u{3}");
    let (text, _) = screen.ends();
    assert!(text.contains("icanon") && !text.contains("-icanon") && !text.contains("-echo "), "{text}");
}
