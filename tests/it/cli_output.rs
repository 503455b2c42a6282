//! Tests of the program's output: the menu, the tour, JSON, colours, and a trace that is the same at every speed and in every language.

use std::io::pipe;

use informer_lab::lessons::catalog::Origin;
use informer_lab::lessons::rows;
use informer_lab::lessons::tour::{self, TourLength};
use informer_lab::trace::Hue;

use unicode_width::UnicodeWidthStr;

use crate::cli::{Ran, command, finish, run};
use crate::links::root;

#[test]
fn the_list_of_lessons_has_the_documents_command_beside_each_lesson() {
    let ran = run("lessons");
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    for row in rows() {
        let Origin::Program(go) = row.origin else { continue };
        assert!(ran.out.contains(row.command) && ran.out.contains(row.en), "{}", row.command);
        assert!(ran.out.contains(go), "{}", row.command);
    }
    for row in rows().filter(|row| row.origin == Origin::Beyond && !row.command.contains("--")) {
        assert!(ran.out.contains(row.en), "{}", row.command);
    }
}

#[test]
fn the_menu_fits_a_terminal_of_80_columns_and_24_lines() {
    for lang in ["en", "zh"] {
        let ran = run(&format!("--lang {lang}"));
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
        assert!(ran.out.lines().count() < 24, "{}", ran.out);
        assert!(ran.out.lines().all(|line| line.width() <= 80), "{}", ran.out);
    }
}

#[test]
fn the_menu_names_every_way_to_run_a_lesson_and_one_first_step() {
    for lang in ["en", "zh"] {
        let menu = run(&format!("--lang {lang}")).out;
        let commands: Vec<&str> = menu.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next()).collect();
        assert_eq!(commands.first(), Some(&"read"), "{menu}");
        for name in ["tour", "lessons", "step", "board", "eras", "replay", "break", "cluster", "doctor"] {
            assert!(commands.contains(&name), "{name}: {menu}");
        }
        assert!(menu.contains("check"), "{menu}");
    }
}

#[test]
fn the_lessons_are_listed_in_the_order_of_the_book() {
    let chapters = |text: &str| {
        let numbers = text.lines().filter_map(|line| line.trim_start().split(' ').next()?.parse::<u8>().ok());
        numbers.collect::<Vec<_>>()
    };
    let lessons = chapters(&run("lessons").out);
    assert!(lessons.len() > 15 && lessons.is_sorted(), "{lessons:?}");
    let menu = run("").out;
    let place = |name: &str| menu.find(&format!("\n  {name} ")).expect(name);
    assert!(["listwatch", "deltafifo", "reflector", "indexer", "myinformer"].map(place).is_sorted(), "{menu}");
}

#[test]
fn the_locale_chooses_the_language_and_the_flag_overrules_it() {
    let list = |lang: &str, flag: &str| finish(command(flag).env("LANG", lang)).out;
    assert!(list("zh_CN.UTF-8", "").contains("课程"));
    assert!(!list("zh_CN.UTF-8", "--lang en").contains("课程"));
    assert!(list("en_US.UTF-8", "--lang zh").contains("课程"));
}

#[test]
fn every_run_of_the_tour_ends_by_itself_and_prints_what_the_tour_prints() {
    let mut apart = String::new();
    for row in tour::stops(TourLength::Documents) {
        let ran = run(row.command);
        assert_eq!(ran.code, Some(0), "{}: {}", row.command, ran.err);
        apart += &ran.out;
    }
    let ran = run("tour");
    assert_eq!(ran.code, Some(0));
    assert_eq!(ran.out, apart);
    for row in tour::stops(TourLength::Documents) {
        assert!(ran.err.contains(&format!("informer-lab {}", row.command)), "{}", row.command);
    }
}

#[test]
fn the_trace_is_the_same_in_every_language_and_at_every_speed() {
    let plain = run("tour").out;
    for line in ["tour --lang zh", "tour --speed 1e9", "tour --speed max", "tour --color never", "tour -v"] {
        assert_eq!(run(line).out, plain, "{line}");
    }
}

#[test]
fn colours_add_escape_codes_and_change_no_text() {
    let plain = run("tour").out;
    let coloured = run("tour --color always").out;
    assert!(coloured.contains("\u{1b}[38;5;29m"));
    assert_eq!(without_codes(&coloured), plain);
}

#[test]
fn every_colour_is_of_the_palette() {
    let palette = Hue::ALL.map(|hue| format!("38;5;{}", hue.index()));
    for line in
        ["tour --all --color always --narrate --explain", "read glossary --color always", "lessons --color always"]
    {
        let ran = run(line);
        for code in [ran.out, ran.err]
            .iter()
            .flat_map(|text| text.split("\u{1b}[").skip(1))
            .map(|part| part.split_once('m').unwrap().0)
        {
            let color = code.strip_prefix("1;").unwrap_or(code);
            assert!(matches!(color, "0" | "1" | "4") || palette.iter().any(|hue| hue == color), "{line}: {code}");
        }
    }
}

fn hexadecimal(hue: Hue) -> String {
    let [red, green, blue] = hue.rgb();
    format!("#{red:02x}{green:02x}{blue:02x}")
}

#[test]
fn the_pictures_of_the_readme_have_the_palette() {
    let source = std::fs::read_to_string(root().join("player/src/terminal.ts")).unwrap();
    for hue in Hue::ALL {
        let entry = format!("{}: \"{}\"", hue.index(), hexadecimal(hue));
        assert!(source.contains(&entry), "{entry}");
    }
}

/// `lessons/book/traces.py` computes the colours of the book from the terminal's numbers, and `.ci/book` puts traces on the same grounds.
#[test]
fn the_board_has_the_palette_on_white_and_on_black() {
    let style = std::fs::read_to_string(root().join("player/src/style.css")).unwrap();
    let names = ["green", "blue", "red", "grey", "violet", "pink"];
    for (name, hue) in names.into_iter().zip(Hue::ALL) {
        let entry = format!("--{name}: {};", hexadecimal(hue));
        assert_eq!(style.matches(&entry).count(), 1, "{entry}");
        assert_eq!(style.matches(&format!("--{name}:")).count(), 1, "{name} is the same in both themes");
    }
    for ground in ["--back: #fff;", "--back: #000;"] {
        assert!(style.contains(ground), "{ground}");
    }
}

#[test]
fn the_environment_can_ask_for_colours_or_forbid_them() {
    assert!(!run("deltafifo").out.contains('\u{1b}'));
    assert!(finish(command("deltafifo").env("CLICOLOR_FORCE", "1")).out.contains('\u{1b}'));
    assert!(!finish(command("deltafifo").env("CLICOLOR_FORCE", "1").env("NO_COLOR", "1")).out.contains('\u{1b}'));
    assert!(finish(command("deltafifo --color always").env("NO_COLOR", "1")).out.contains('\u{1b}'));
}

#[test]
fn json_has_one_object_per_line_and_contains_the_printed_lines() {
    for row in tour::stops(TourLength::Documents) {
        let mut printed = String::new();
        for line in run(&format!("{} --output json", row.command)).out.lines() {
            let object: serde_json::Value = serde_json::from_str(line).expect(line);
            assert!(object["atMs"].is_u64() && object["event"].is_string(), "{line}");
            if object["event"] == "printed" {
                printed += object["line"].as_str().expect(line);
                printed.push('\n');
            }
        }
        assert_eq!(printed, run(row.command).out, "{}", row.command);
    }
}

#[test]
fn the_tour_in_json_names_each_run_at_its_beginning() {
    let events = run("tour --output json").out;
    let (mut begun, mut parts) = (Vec::new(), Vec::<String>::new());
    for line in events.lines() {
        let object: serde_json::Value = serde_json::from_str(line).expect(line);
        match (object["event"].as_str(), parts.last_mut()) {
            (Some("run"), _) => {
                begun.push(object["command"].as_str().expect(line).to_owned());
                parts.push(format!("{line}\n"));
            }
            (_, part) => *part.expect("the event `run` comes before all other events") += &format!("{line}\n"),
        }
    }
    assert_eq!(begun, tour::stops(TourLength::Documents).iter().map(|row| row.command).collect::<Vec<_>>());
    for (command, part) in begun.iter().zip(parts) {
        assert_eq!(part, run(&format!("{command} --output json")).out, "{command}");
    }
}

#[test]
fn a_closed_standard_output_is_not_an_error() {
    for line in ["", "--help", "deltafifo", "tour", "tour --output json"] {
        let (reader, writer) = pipe().unwrap();
        drop(reader);
        let child = command(line).stdout(writer).stderr(std::process::Stdio::piped()).spawn().unwrap();
        let ended = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!(ended.status.code(), Some(0), "{line}: {said}");
        assert!(!said.contains("error"), "{line}: {said}");
    }
}

#[test]
fn a_closed_standard_error_is_not_an_error() {
    let (reader, writer) = pipe().unwrap();
    drop(reader);
    let child = command("tour").stdout(std::process::Stdio::piped()).stderr(writer).spawn().unwrap();
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(0));
    assert_eq!(String::from_utf8(ended.stdout).unwrap(), run("tour").out);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    for line in ["deltafifo", "--help", "--version", "deltafifo --help", "--help --lang zh"] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let child = command(line).stdout(full).stderr(std::process::Stdio::piped()).spawn().unwrap();
        let ended = child.wait_with_output().unwrap();
        assert_eq!(ended.status.code(), Some(1), "{line}");
        assert!(String::from_utf8_lossy(&ended.stderr).contains("cannot write the output"), "{line}");
    }
}

#[test]
fn the_logs_of_all_crates_go_to_standard_error_with_the_verbose_flag() {
    for (line, log) in [
        ("deltafifo", "DEBUG informer_lab::"),
        ("relist", "WARN kube_informers::"),
        ("stale", "DEBUG kube_testcluster::"),
    ] {
        let ran = run(&format!("{line} -v"));
        assert!(ran.err.contains(log), "{line}: {}", ran.err);
        let usual = run(line).err;
        assert!(!usual.contains("DEBUG ") && !usual.contains("WARN "), "{line}: {usual}");
    }
}

#[test]
fn a_random_seed_is_printed_and_reproduces_the_run() {
    let drawn = run("shared --seed random");
    let flag = drawn.err.lines().find_map(|line| line.strip_prefix("# --seed ")).expect("the seed is printed");
    assert_eq!(run(&format!("shared --seed {flag}")).out, drawn.out);
}

/// This run adds a pod every second.
#[test]
fn a_time_limit_counts_the_virtual_time_of_a_run() {
    assert_eq!(run("shared --step listener --for 2500ms").out.lines().count(), 2);
    assert_eq!(run("shared --step listener --for 0s").out, "");
    assert_eq!(run("shared --step listener --for 1m30s500ms").out.lines().count(), 90);
}

fn without_codes(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once('m').expect("a code ends with m").1)
}

#[test]
fn the_doctor_reports_problems_and_succeeds_without_a_cluster() {
    let ran = finish(command("doctor").env("KUBECONFIG", "/nowhere"));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains("--  cluster   KUBECONFIG names no file that exists"), "{}", ran.out);
    let ran = run("doctor --kubeconfig /nowhere");
    assert_eq!(ran.code, Some(1));
    assert!(ran.out.contains("no  cluster   cannot read the kubeconfig /nowhere"), "{}", ran.out);
}

#[test]
fn every_lesson_has_a_manual_page() {
    let folder = std::env::temp_dir().join(format!("informer-lab-man-{}", std::process::id()));
    let folder = folder.join("made"); // the command makes it
    let ran = finish(command("man").arg(&folder));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    for row in rows() {
        let lesson = row.command.split(' ').next().unwrap();
        assert!(folder.join(format!("informer-lab-{lesson}.1")).exists(), "{lesson}");
    }
    std::fs::remove_dir_all(folder.parent().unwrap()).unwrap();
}

#[test]
fn a_manual_page_is_in_the_users_language() {
    let chinese = run("man --lang zh").out;
    assert!(chinese.contains(".SH 名称\n") && chinese.contains("通过实际运行来学习"), "{chinese}");
    assert!(!chinese.contains("Learn client"), "{chinese}");
    assert!(run("man").out.contains(".SH NAME\n"));
}

/// Runs the program as the script of a shell does, to complete the last word of the line.
fn completed(shell: &str, locale: &str, line: &str) -> Ran {
    let last = line.split(' ').count() - 1;
    let mut asked = command(&format!("-- {line}"));
    asked.env("INFORMER_LAB_COMPLETE", shell).env("_CLAP_COMPLETE_INDEX", last.to_string());
    finish(asked.env("LC_ALL", locale))
}

#[test]
fn the_script_of_each_shell_asks_the_program_for_candidates() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ran = run(&format!("completions {shell}"));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert!(ran.out.contains("INFORMER_LAB_COMPLETE") && ran.out.contains("informer-lab"), "{}", ran.out);
        let candidates = completed(shell, "C", "informer-lab clu").out;
        assert!(candidates.starts_with("cluster"), "{shell}: {candidates}");
    }
    let chapter = completed("fish", "C", "informer-lab read known").out;
    assert!(chapter.starts_with("known-objects\tKnown objects"), "{chapter}");
    let unknown = completed("tcsh", "C", "informer-lab clu");
    assert!(unknown.code == Some(2) && unknown.err.contains("unknown shell"), "{}", unknown.err);
}

#[test]
fn the_descriptions_of_candidates_are_in_the_users_language() {
    let described = |locale| completed("fish", locale, "informer-lab cluster --t").out;
    assert!(described("C").contains("--tls\tServe HTTPS"), "{}", described("C"));
    assert!(described("zh_CN.UTF-8").contains("--tls\t用 HTTPS 提供服务"), "{}", described("zh_CN.UTF-8"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_transcript_that_cannot_be_written_is_an_error_after_the_whole_trace() {
    let ran = run("deltafifo --transcript /dev/full");
    assert_eq!((ran.code, ran.out), (Some(1), run("deltafifo").out));
    assert!(ran.err.contains("the transcript cannot be written: No space left"), "{}", ran.err);
}
