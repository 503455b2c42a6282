//! Tests on a pseudo-terminal: the prompt of a live run, messages while the program waits, and paged texts.
#![cfg(unix)]

use axum::Router;
use unicode_width::UnicodeWidthStr;

use crate::cli::{file, finish};
use crate::screen::{PROGRAM, Screen};
use crate::test_server::TestServer;

fn last_line(text: &str) -> &str {
    text.trim_end().lines().last().unwrap_or_default()
}

#[test]
fn output_appears_above_the_line_that_is_being_typed() {
    let nothing = file("nothing-on-screen.yaml", "[]");
    let mut screen = Screen::of(&format!("listwatch --follow --scenario {}", nothing.display()));
    screen.until("the prompt", |text| last_line(text) == ">");
    screen.types("run web\ndelete w");
    let text = screen.until("the pod and the line", |text| {
        text.contains("MODIFIED : web , Status:  Running") && last_line(text) == "> delete w"
    });
    assert_eq!(text.matches("delete w").count(), 1, "the line is moved, not repeated: {text}");
    assert!(text.contains("> run web\n"), "the entered command stays: {text}");
    screen.types("x\u{7f}eb\n");
    screen.until("the deletion and an empty line", |text| {
        text.contains("DELETED : web") && last_line(text) == ">" && text.contains("> delete web\n")
    });
    screen.types("\u{3}");
    let (text, code) = screen.ends();
    assert_eq!(code, Some(130), "{text}");
    assert_ne!(last_line(&text), ">", "the prompt is gone");
}

#[test]
fn a_live_run_hands_over_when_its_own_scenario_is_over() {
    let story = file("short-story.yaml", "[{at: 0s, run: web}, {at: 100ms, delete: web}]");
    for (lang, first, then) in [
        ("en", "first comes the lesson's own scenario, 1 s", "your turn: type run NAME, delete NAME"),
        ("zh", "先执行本课自己的场景，需要 1 秒", "轮到你了：可以输入 run NAME"),
    ] {
        let mut screen = Screen::of(&format!("listwatch --follow --lang {lang} --scenario {}", story.display()));
        let text = screen.until("the end of the scenario", |text| text.contains(then));
        let [announced, deleted, over] = [first, "kubectl delete pod web", then].map(|part| text.find(part).unwrap());
        assert!(announced < deleted && deleted < over, "{text}");
        screen.types("\u{3}");
        assert_eq!(screen.ends().1, Some(130));
    }
}

/// The trap keeps Ctrl-C from ending the shell too.
#[test]
fn a_live_run_restores_the_terminals_settings() {
    let mut screen = Screen::running(&format!(
        "trap : INT; stty -a | grep -o ' icanon' >/dev/null && {PROGRAM} reflector --follow --no-narrate; stty -a | grep -oE -- '-?(icanon|echo) '"
    ));
    screen.until("the prompt", |text| last_line(text) == ">");
    screen.types("\u{3}");
    let (text, _) = screen.ends();
    assert!(text.contains("icanon") && !text.contains("-icanon") && !text.contains("-echo "), "{text}");
}

/// Ctrl-Z stops the run, and then the shell moves it to the background.
#[test]
fn a_live_run_in_the_background_can_be_interrupted() {
    let mut screen = Screen::running(&format!(
        "set -m; {PROGRAM} reflector --follow --no-narrate; bg >/dev/null; kill -INT %1; wait %1; echo \"ended: $?\""
    ));
    screen.until("the prompt", |text| last_line(text) == ">");
    screen.types("\u{1a}");
    let (text, _) = screen.ends();
    assert!(text.contains("ended: 130"), "{text}");
}

#[test]
fn ctrl_c_in_a_pager_does_not_end_the_program() {
    let pager = file(
        "pager.sh",
        "trap 'echo noted' INT\ncat >/dev/null\necho paging\nuntil read answer </dev/tty; do :; done\necho \"read $answer\"\n",
    );
    let mut screen = Screen::running(&format!("PAGER='sh {}' exec {PROGRAM} read resync", pager.display()));
    screen.shows("paging");
    screen.types("\u{3}");
    screen.shows("noted");
    screen.types("on\n");
    let (text, code) = screen.ends();
    assert!(code == Some(0) && text.contains("read on"), "{code:?}: {text}");
}

#[test]
fn a_slow_connection_is_shown_on_a_terminal_until_it_ends() {
    let served = TestServer::new(|| Router::new().fallback(std::future::pending::<()>));
    let kubeconfig = served.kubeconfig("silent");
    let line = format!("reflector --kubeconfig {}", kubeconfig.display());
    for (lang, waits) in [("en", "connecting to the cluster … 1 s"), ("zh", "正在连接集群 … 1 s")] {
        let mut screen = Screen::of(&format!("{line} --lang {lang}"));
        screen.shows(waits);
        screen.types("\u{3}");
        let (text, code) = screen.ends();
        assert_eq!(code, Some(130), "{text}");
        assert!(!text.contains(" … "), "{text}");
    }
    let piped = finish(&mut served.command("silent", "reflector --for 1500ms"));
    assert!(piped.err.contains("no answer from") && !piped.err.contains('…'), "{}", piped.err);
}

/// No pager can be found, so the program pages the text itself.
#[test]
fn a_text_that_is_longer_than_the_screen_is_paged() {
    let mut screen = Screen::running(&format!("PATH= PAGER=no-such-pager exec {PROGRAM} lessons"));
    let first = screen.shows("Enter for more");
    assert!(first.contains("architecture") && !first.contains("mutate"), "{first}");
    screen.types(&"\n".repeat(9));
    let (last, code) = screen.ends();
    assert!(code == Some(0) && last.contains("mutate") && !last.contains("architecture"), "{last}");

    let mut screen = Screen::running(&format!("PATH= PAGER=no-such-pager exec {PROGRAM} lessons"));
    screen.shows("Enter for more");
    screen.types("q\n");
    let (text, code) = screen.ends();
    assert!(code == Some(0) && !text.contains("mutate"), "{text}");
}

#[test]
fn no_line_of_a_page_is_wider_than_the_terminal() {
    for (columns, line) in [(60, "read resync"), (60, "read"), (60, "lessons"), (60, "list"), (44, "--lang zh")] {
        let mut screen = Screen::running(&format!("stty cols {columns}; PAGER= exec {PROGRAM} {line}"));
        // The emulated screen is wider than the terminal's reported size, so it breaks no line by itself.
        screen.parser.screen_mut().set_size(400.try_into().unwrap(), 300.try_into().unwrap());
        let (text, code) = screen.ends();
        assert_eq!(code, Some(0), "{text}");
        let wide: Vec<_> = text.lines().filter(|line| line.width() > columns).collect();
        assert!(!text.trim().is_empty() && wide.is_empty(), "{line}: {wide:#?}");
    }
}

#[test]
fn a_cut_during_the_outage_of_relist_does_not_end_the_run_and_is_narrated_in_chinese() {
    let story = file("outage.yaml", "[{at: 0s, run: web}, {at: 500ms, delete: web}]");
    let mut screen = Screen::of(&format!("relist --follow --lang zh --scenario {}", story.display()));
    screen.until("the outage", |text| text.contains("网络断了"));
    screen.types("cut\n");
    screen.until("the cut", |text| text.contains("连接已切断；输入 heal 恢复"));
    let text = screen.until("a retry", |text| text.contains("# LIST：") && text.matches("稍后重试").count() > 1);
    assert!(!text.contains("request to the API server failed"), "{text}");
    screen.types("heal\n");
    screen.until("the end of the outage", |text| text.contains("网络恢复"));
    screen.types("\u{3}");
    assert_eq!(screen.ends().1, Some(130));
}
