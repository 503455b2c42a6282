//! The summary that `step --predict` prints when the user leaves.

use super::session::Session;
use crate::lessons::{rows, tour::learners_stops};
use crate::trace::{Lang, Record};

/// Returns the summary, if the record had questions.
pub(super) fn outcome(session: &Session) -> Option<String> {
    let tally = session.tally();
    if tally.questions == 0 {
        return None;
    }
    let (right, answered, skipped, left) = (tally.right, tally.answered, tally.skipped, tally.questions - tally.met());
    let lang = session.lang;
    let mut lines = vec![match lang {
        Lang::En if answered == 0 => format!("Predictions: none answered · skipped: {skipped} · not reached: {left}"),
        Lang::Zh if answered == 0 => format!("预测：一题没答 · 跳过 {skipped} 题 · 还没遇到 {left} 题"),
        Lang::En => format!("Predictions: {right} of {answered} right · skipped: {skipped} · not reached: {left}"),
        Lang::Zh => format!("预测：答了 {answered} 题，对 {right} 题 · 跳过 {skipped} 题 · 还没遇到 {left} 题"),
    }];
    let stepped = session.records.iter().rev().find_map(Record::header).map(|header| header.command.as_str());
    let row = stepped.and_then(|command| rows().find(|row| row.command == command));
    if let Some(row) = row {
        let why = lang.pick("Why it is so", "为什么是这样");
        lines.push(format!("{why}{}informer-lab read {}", lang.pick(": ", "："), row.chapter));
        let stops = learners_stops();
        let following = stops.iter().skip_while(|stop| stop.command != row.command).nth(1);
        lines.extend(following.map(|next| {
            let word = lang.pick("Next", "下一个");
            format!("{word}{}informer-lab step --predict {}", lang.pick(": ", "："), next.command)
        }));
    }
    Some(lines.join("\n"))
}
