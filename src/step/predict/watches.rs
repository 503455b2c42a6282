//! Questions on a watch: what follows its end or its failure, and how a change that a fault hides from it is found. Each
//! function returns its question, or `None` if the situation was asked about before or no later event has the answer.
//!
//! As in client-go, the Reflector opens a watch that has ended again, from the last version that it knows. It does the
//! same after a refused connection and after 429. It lists only if the server no longer has the changes since that
//! version (410), or if an error does not say whether the server has them.

use super::choices::Choices;
use super::{Moment, SituatedQuestion};
use crate::trace::{Cause, Record, What, cause_in_chinese, short};

pub(super) fn question_at(moment: &Moment<'_>) -> Option<SituatedQuestion> {
    match &moment.record.what {
        What::WatchFailed { error } => failed(moment, error),
        What::Committed { hidden: true, key, resource_version, .. } => hidden(moment, key, resource_version),
        _ => ends(moment),
    }
}

/// Asks what follows an open watch that ends next.
fn ends(moment: &Moment<'_>) -> Option<SituatedQuestion> {
    let seen = moment.pipeline.seen.as_deref().filter(|_| moment.pipeline.watching)?;
    let next = moment.later_events().find(|next| !matches!(next.what, What::Committed { .. }))?;
    if !matches!(next.what, What::Watching { .. }) || next.cause != Some(Cause::Timer) {
        return None;
    }
    let situation = moment.new_situation("watch ends")?;
    let text = (
        "Next, the server ends this watch, as it ends each watch after some time. What does the Reflector do?"
            .to_owned(),
        "接下来，服务端结束这个 watch，每个 watch 过一段时间都会这样。Reflector 会做什么？".to_owned(),
    );
    let reason = (
        "it knows the last version that it received, so it misses nothing and needs no list.",
        "它知道自己收到的最新版本，什么也没漏，不需要 list。",
    );
    Some(SituatedQuestion::unordered(situation, text, after_the_watch(seen, 0), reason))
}

/// Asks what follows a watch that could not be opened, or ended with an error.
fn failed(moment: &Moment<'_>, error: &str) -> Option<SituatedQuestion> {
    let next = moment.later_events().find(|next| is_request(next))?;
    let (answer, reason) = match &next.what {
        What::Listed { .. } => return no_streaming_list(moment),
        What::Watching { .. } => (
            0,
            (
                "it knows the last version that it received, so it misses nothing and needs no list.",
                "它知道自己收到的最新版本，什么也没漏，不需要 list。",
            ),
        ),
        _ if is_expired(error) => (
            1,
            (
                "the server no longer has the changes since that version (410), so only a list has the present state.",
                "服务端已经没有那个版本之后的变化（410），只有 list 能给出现在的状态。",
            ),
        ),
        _ => (
            1,
            (
                "this error does not say whether the server still has the changes since that version, so it lists. \
                 After a refused connection or a 429 it watches again from its version.",
                "这个错误没有说明服务端是否还有那个版本之后的变化，所以重新 list。若是连接被拒绝或 429，则从所知的版本继续 watch。",
            ),
        ),
    };
    let seen = moment.pipeline.seen.as_deref()?;
    let situation = moment.new_situation(format!("watch failed {}", reason.0))?;
    let error_zh = cause_in_chinese(error).unwrap_or_else(|| error.to_owned());
    let text = (
        format!("The WATCH failed ({error}). What does the Reflector do next?"),
        format!("WATCH 失败（{error_zh}）。Reflector 接下来会做什么？"),
    );
    Some(SituatedQuestion::unordered(situation, text, after_the_watch(seen, answer), reason))
}

/// Returns true if an error says that the server's history does not reach back to the version. The error's text is all
/// that a record has of it.
fn is_expired(error: &str) -> bool {
    error.contains("too old") || error.contains("expired")
}

fn is_request(record: &Record) -> bool {
    matches!(record.what, What::Listed { .. } | What::Relisting { .. } | What::Watching { .. })
}

fn after_the_watch(seen: &str, answer: usize) -> Choices {
    let again = format!("It watches again from version {seen}, the last that it knows.");
    let again_zh = format!("从版本 {seen}（它所知的最新版本）继续 watch。");
    Choices::of(
        [
            (again.as_str(), again_zh.as_str()),
            ("It lists everything, and watches from there.", "全部重新 list，再从那里 watch。"),
            ("It watches from now on; changes in between are lost.", "从现在开始 watch，其间的变化就丢了。"),
        ],
        answer,
    )
}

/// Asks what follows if the server refuses a streaming list.
fn no_streaming_list(moment: &Moment<'_>) -> Option<SituatedQuestion> {
    let situation = moment.new_situation("no streaming list")?;
    let text = (
        "The server refuses a streaming list, in which a WATCH sends the existing objects. What does the Reflector do?"
            .to_owned(),
        "服务端拒绝 streaming list（由 WATCH 送来已有的对象）。Reflector 会做什么？".to_owned(),
    );
    let choices = Choices::of(
        [
            (
                "It falls back to a LIST, as before streaming lists.",
                "退回到普通的 LIST，和没有 streaming list 时一样。",
            ),
            ("It asks for a streaming list again and again.", "一直重试 streaming list。"),
            ("It watches without a list, and the store stays as it is.", "不 list，直接 watch，store 保持原样。"),
        ],
        0,
    );
    let reason = (
        "an older server has no streaming lists, and a LIST brings the same objects.",
        "旧的服务端没有 streaming list，而 LIST 给出同样的对象。",
    );
    Some(SituatedQuestion::unordered(situation, text, choices, reason))
}

/// Asks how a hidden write is found.
fn hidden(moment: &Moment<'_>, key: &str, version: &str) -> Option<SituatedQuestion> {
    // An open watch only goes forward; a watch that is opened later may begin before the change.
    let situation = moment.new_situation(format!("hidden {}", moment.pipeline.watching))?;
    let is_watched = |what: &What| match what {
        What::Watched { key: watched, resource_version, .. } => watched == key && resource_version == version,
        _ => false,
    };
    // Informers of this kind may have another name, such as `SlimPod`.
    let mut later = moment.rest_of_run().map(|next| &next.what);
    let found = later.find(|what| is_watched(what) || matches!(what, What::Listed { .. }));
    let answer = match found {
        Some(What::Watched { .. }) => 0,
        Some(_) => 1,
        None => 2,
    };
    let name = short(key);
    let text = (
        format!("A fault hides this change of {name} from the watch. How does the Reflector find it?"),
        format!("由于故障，watch 没有收到 {name} 的这次变化。Reflector 会怎么发现它？"),
    );
    let choices = Choices::of(
        [
            ("A later watch event delivers it.", "之后的 watch 事件会送来。"),
            ("The next list shows the new state.", "下一次 list 会显示新的状态。"),
            ("It does not find it in this run.", "这次运行中不会发现。"),
        ],
        answer,
    );
    let reason = match answer {
        0 => ("the next watch began at a version before the change.", "下一个 watch 从这次变化之前的版本开始。"),
        1 => (
            "a watch only goes forward, but a list has the whole state.",
            "watch 只会往后发，不会回头补发；list 则有全部状态。",
        ),
        _ => (
            "an open watch only goes forward, and no list follows.",
            "已建立的 watch 只会往后发，不会回头补发，之后也没有 list。",
        ),
    };
    Some(SituatedQuestion::unordered(situation, text, choices, reason))
}
