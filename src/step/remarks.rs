//! The lines below the trace: the help of the keys, or the open question with its choices, or the remarks on the event.

use super::fit::cut;
use super::predict::Question;
use super::session::Session;
use crate::trace::{What, fitting, hanging, is_drawn};

/// The program's own sentence on the first frame of a run. The player has the same.
pub const INTRODUCTION: (&str, &str) =
    ("Each frame is one event. The box that it changed is marked.", "每一帧是一个事件。它改变的部分有标记。");

/// Returns the lines, wrapped to the width; at most `most` of them.
pub(super) fn remark_lines(session: &Session, width: usize, most: usize) -> Vec<String> {
    let texts = match session.question() {
        _ if session.helps => vec![help(session)],
        Some(question) => asked(session, question),
        None => remarks(session),
    };
    let room = width * most;
    let lines = texts.iter().flat_map(|text| text.split('\n')).flat_map(|text| {
        let text = cut(text, room);
        match text.starts_with(' ') {
            true => hanging(&text, width), // a choice
            false => fitting(&text, width).into_iter().map(|line| text[line].to_owned()).collect(),
        }
    });
    lines.take(most).collect()
}

fn help(session: &Session) -> String {
    let text = session.lang.pick(
        "Enter or → the next event · b or ← back · n the next event of this kind\n/ search a key · g first, G last · 1 to 4 answer · q quit\n† a tombstone: a deletion whose final state is unknown",
        "回车或 → 下一个事件 · b 或 ← 返回 · n 下一个同类事件\n/ 按 key 查找 · g 第一个 · G 最后一个 · 1 到 4 回答 · q 退出\n† tombstone：最终状态未知的删除",
    );
    text.to_owned()
}

fn asked(session: &Session, question: &Question) -> Vec<String> {
    let lang = session.lang;
    let choices = (1..).zip(&question.choices).map(|(number, (en, zh))| format!("  {number}  {}", lang.pick(en, zh)));
    std::iter::once(format!("? {}", lang.pick(&question.text.0, &question.text.1))).chain(choices).collect()
}

fn remarks(session: &Session) -> Vec<String> {
    let mut texts: Vec<String> = session.verdict.clone().into_iter().collect();
    texts.extend(session.narration());
    if let (true, Some(What::Line { text, .. })) = (texts.is_empty(), session.record().map(|record| &record.what)) {
        let printed = match is_drawn(text) {
            true => session.lang.pick("The lesson prints a drawing: the one above.", "本课打印了一幅图，就在上面。"),
            false => {
                session.lang.pick("The lesson prints a line: the last one above.", "本课打印了一行，就是上面最后一行。")
            }
        };
        texts.push(printed.to_owned());
    }
    texts
}

/// Returns the line of keys.
pub(super) fn key_line(session: &Session) -> String {
    let lang = session.lang;
    match session.question().filter(|_| !session.helps) {
        Some(question) => {
            let keys =
                lang.pick("answer  Enter skip  ? help  q quit  b back", "回答  回车 跳过  ? 按键  q 退出  b 返回");
            format!("1-{} {keys}", question.choices.len())
        }
        None => lang
            .pick(
                "Enter next  ? help  q quit  b back  n same  / find  g G ends",
                "回车 前进  ? 按键  q 退出  b 返回  n 同类  / 查找  g G 首尾",
            )
            .to_owned(),
    }
}
