//! The start page, which `informer-lab` prints without a subcommand, and the list of `informer-lab lessons`.

use anyhow::Result;

use super::catalog::{Origin, rows_by_chapter};
use crate::console::{Console, Ended, show};
use crate::trace::Printer;

/// A command with its description in English and Chinese.
type Line = (&'static str, &'static str, &'static str);

const BEGIN: [Line; 2] = [
    ("read architecture", "start here: the parts of an informer", "从这里开始：informer 由哪些组件构成"),
    ("tour", "then: every lesson in turn, with a pause after each", "然后：依次运行每一课，每课之后停一下"),
];

/// The line below the tutorials' lessons.
const BEYOND: Line = (
    "lessons",
    "all of them: resync, relist, late, workqueue and more",
    "全部课程：resync、relist、late、workqueue、controller 等",
);

const TOOLS: [Line; 7] = [
    ("step LESSON", "a lesson one event at a time; --predict asks you first", "逐个事件看一课；--predict 先让你预测"),
    ("board LESSON", "the same as an animation, in a browser", "同样的过程，在浏览器里看动画"),
    ("eras LESSON", "a lesson in 2023 and today, side by side", "同一课，2023 年与今天并排比较"),
    ("replay FILE", "print a run again that --record FILE has kept", "重放用 --record FILE 录下的运行"),
    ("break", "ten programs to fix; check judges them (needs a clone)", "修好十个程序；用 check 检查（需要克隆仓库）"),
    ("cluster", "the built-in API server, for kubectl and for tests", "内置 API server，供 kubectl 和测试使用"),
    ("doctor", "check the terminal, language, kubeconfig and cluster", "检查终端、语言、kubeconfig 和集群"),
];

/// Prints the start page in the language of the narration. It fits a terminal of 80 columns and 24 lines.
///
/// # Errors
/// Standard output cannot be written.
pub fn menu(console: &Console) -> Result<Ended> {
    show(&menu_text(&console.printer), console)
}

/// Prints the list of every lesson.
///
/// # Errors
/// Standard output cannot be written.
pub fn all(console: &Console) -> Result<Ended> {
    show(&all_text(&console.printer), console)
}

/// The width of the column of commands.
const WIDTH: usize = 17;

fn menu_text(printer: &Printer) -> String {
    let row = |(command, en, zh): Line| printer.labelled(&format!("  {command:WIDTH$} "), printer.pick(en, zh));
    let mut text = printer.labelled(
        "",
        printer.pick(
            "Kubernetes informers, one lesson at a time. No cluster needed: informer-lab ...",
            "Kubernetes 的 informer，一课一课学，不需要集群：informer-lab ……",
        ),
    );
    text.push('\n');
    text.extend(BEGIN.map(row));
    text += printer.pick("\nThe tutorials' lessons, in the order of the book:\n", "\n教程里的课程，按书的顺序：\n");
    let lessons = rows_by_chapter().into_iter().filter(|row| row.is_of_the_tutorials() && row.is_main());
    text.extend(lessons.map(|lesson| row((lesson.command, lesson.en, lesson.zh))));
    text += &row(BEYOND);
    text.push('\n');
    text.extend(TOOLS.map(row));
    text += &printer.labelled(
        "",
        printer.pick("COMMAND --help explains a command and its options.", "命令后面加 --help，可查看它的说明和选项。"),
    );
    text
}

fn all_text(printer: &Printer) -> String {
    let rows = rows_by_chapter();
    let width = rows.iter().map(|row| row.command.len()).max().unwrap_or_default();
    let mut text = printer.labelled(
        "",
        printer.pick(
            "Every lesson, with the number of its chapter (informer-lab read NUMBER).\n\
             Known objects: the objects that the consumer of a queue already has, usually its store. \
             The queue looks objects up there.\n\
             Tombstone: a deletion that the watch missed. The queue concludes it from a list that lacks the object.",
            "全部课程；行首是章号，用 informer-lab read 章号 阅读那一章。\n\
             known objects：队列的消费者手里已有的对象，通常就是它的 store，队列可以去查。\n\
             tombstone：watch 漏掉的删除，队列发现 list 里少了这个对象，由此推断出来。",
        ),
    );
    text.push('\n');
    let mut last = "";
    for row in rows {
        let chapter = row.chapter_number();
        let number = if chapter == last { "" } else { chapter };
        last = chapter;
        let label = format!("  {number:2}  {:width$}  ", row.command);
        text += &printer.labelled(&label, printer.pick(row.en, row.zh));
        if let Origin::Program(go) = row.origin {
            let below = printer.labelled(&" ".repeat(width + 8), go);
            text += &format!("{}\n", printer.aside(below.trim_end()));
        }
    }
    text
}
