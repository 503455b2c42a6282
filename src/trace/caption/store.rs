//! Captions of the store's events.

use super::Sentence;
use super::counted::{object, objects};
use crate::trace::narrator::short;
use crate::trace::picture::Pipeline;
use crate::trace::record::What;

pub(super) fn caption(what: &What, after: &Pipeline) -> Option<Sentence> {
    let (number, number_zh) = objects(after.store.len());
    Some(match what {
        What::Stored { key, resource_version, old, .. } => {
            let (name, name_zh) = object(key, Some(resource_version));
            let (how, how_zh) = match old {
                None => ("new in the store".to_owned(), "新存入 store".to_owned()),
                Some(old) if old == resource_version => {
                    ("stored again, unchanged".to_owned(), "再次存入 store，没有变化".to_owned())
                }
                Some(old) => (format!("stored in place of version {old}"), format!("存入 store，替换版本 {old}")),
            };
            (
                format!("{name}: {how}; the store has {number}."),
                format!("{name_zh}：{how_zh}；store 里有 {number_zh}。"),
            )
        }
        What::Removed { key, old: Some(old), .. } => {
            let (name, name_zh) = object(key, Some(old));
            (
                format!("{name}: removed from the store, which has {number} now."),
                format!("{name_zh}：从 store 移除，store 里还有 {number_zh}。"),
            )
        }
        What::Removed { key, old: None, .. } => (
            format!("{}: the store does not have it, so nothing is removed.", short(key)),
            format!("{}：store 里本来就没有，无需移除。", short(key)),
        ),
        What::Replaced { .. } => (
            format!("The list takes the place of the whole store, which has {number} now."),
            format!("list 替换整个 store，现在有 {number_zh}。"),
        ),
        _ => return None,
    })
}
