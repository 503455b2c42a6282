//! Captions of a Reflector's events: lists, watches and resyncs.

use super::Sentence;
use super::counted::{object, objects};
use crate::trace::explain::{reason_en, reason_zh};
use crate::trace::picture::Pipeline;
use crate::trace::record::{Cause, Record, What};

pub(super) fn caption(record: &Record, after: &Pipeline) -> Option<Sentence> {
    Some(match &record.what {
        What::Listed { resource_version, objects: listed } => {
            let (number, number_zh) = objects(listed.len());
            (
                format!("The list has {number}, at version {resource_version}. The watch continues from there."),
                format!("list 返回 {number_zh}，版本 {resource_version}，watch 从这个版本继续。"),
            )
        }
        What::ListFailed { .. } => (
            "The LIST failed. The Reflector waits and tries again.".to_owned(),
            "LIST 失败，Reflector 稍后重试。".to_owned(),
        ),
        What::Watching { resource_version } => watching(resource_version, record.cause),
        What::WatchFailed { .. } => {
            let (known, known_zh) = match &after.seen {
                Some(seen) => (
                    format!("The last version that the Reflector knows is {seen}."),
                    format!("Reflector 所知的最新版本是 {seen}。"),
                ),
                None => ("The Reflector knows no version yet.".to_owned(), "Reflector 还不知道任何版本。".to_owned()),
            };
            (format!("The WATCH failed. {known}"), format!("WATCH 失败。{known_zh}"))
        }
        What::Watched { kind, key, resource_version } => {
            let (en, zh) = object(key, Some(resource_version));
            (format!("{en}: the watch brings {kind}."), format!("{zh}：watch 送来 {kind}。"))
        }
        What::Relisting { reason } => (
            format!("The Reflector gives up the watch and lists again, because {}.", reason_en(reason)),
            format!("Reflector 放弃这个 watch，重新 list，原因：{}。", reason_zh(reason)),
        ),
        What::Resynced {} => {
            let (number, number_zh) = objects(after.store.len());
            (
                format!("A resync begins, with {number} of the store. It sends no request to the API server."),
                format!("resync 开始，store 里有 {number_zh}，不向 API server 发请求。"),
            )
        }
        What::Synced {} => synced(after),
        _ => return None,
    })
}

fn watching(version: &str, cause: Option<Cause>) -> Sentence {
    match (version, cause) {
        ("", _) => (
            "A WATCH is open, as a streaming list: it sends the existing objects first.".to_owned(),
            "WATCH 已建立，这是 streaming list：先送来已有的对象。".to_owned(),
        ),
        (version, Some(Cause::Timer)) => (
            format!(
                "The last watch has ended. The next WATCH continues from version {version}, the last that the Reflector knows."
            ),
            format!("上一个 watch 结束了，新的 WATCH 从 Reflector 所知的最新版本 {version} 继续。"),
        ),
        (version, _) => (
            format!("A WATCH is open from version {version}: the server sends every later change."),
            format!("WATCH 从版本 {version} 开始，服务端送来之后的每个变化。"),
        ),
    }
}

fn synced(after: &Pipeline) -> Sentence {
    let (why, why_zh) = match (after.lists, after.listed.len()) {
        (0, _) => ("there is no first list to wait for", "没有首次 list 要等"),
        (_, 0) => ("the first list has no objects", "首次 list 里没有对象"),
        (_, _) => ("the consumer takes the last delta of the first list", "消费者正取走首次 list 的最后一个 Delta"),
    };
    (format!("HasSynced is true: {why}."), format!("HasSynced 为 true：{why_zh}。"))
}
