//! Captions: a sentence on each event that names what moved: the object with its version, the change, the handler, and
//! how many wait. `informer-lab step` and the page of `informer-lab board` show it; the record of a run contains it for
//! the page.

mod counted;
mod handlers;
mod queue;
mod reflector;
mod store;
mod work;

use super::narrator::short;
use super::picture::Picture;
use super::record::{Record, What};
use counted::object;

/// A sentence in English and Chinese.
pub(crate) type Sentence = (String, String);

/// Returns the caption of an event, given the picture after it; `None` for the program's own words.
pub(crate) fn caption(record: &Record, after: &Picture) -> Option<Sentence> {
    let pipeline = after.pipeline_of(record.of.as_deref());
    Some(match &record.what {
        What::Run(_) | What::Line { .. } | What::Narration { .. } | What::Unknown => return None,
        What::Committed { change, key, resource_version, hidden } => {
            committed(change, &object(key, Some(resource_version)), *hidden)
        }
        What::Listed { .. }
        | What::ListFailed { .. }
        | What::Watching { .. }
        | What::WatchFailed { .. }
        | What::Watched { .. }
        | What::Relisting { .. }
        | What::Resynced {}
        | What::Synced {} => reflector::caption(record, pipeline)?,
        What::Queued { .. } | What::Merged { .. } | What::Dropped { .. } | What::Popped { .. } => {
            queue::caption(&record.what, pipeline)?
        }
        What::Stored { .. } | What::Removed { .. } | What::Replaced { .. } => store::caption(&record.what, pipeline)?,
        What::Joined { .. }
        | What::Notified { .. }
        | What::Coalesced { .. }
        | What::Calling { .. }
        | What::Called { .. } => handlers::caption(&record.what, pipeline)?,
        What::WorkAdded { .. } | What::WorkTaken { .. } | What::WorkDone { .. } | What::WorkDelayed { .. } => {
            work::caption(record, &after.work)?
        }
    })
}

/// Returns the caption, unless one of the narrator's sentences on the event already names its object.
pub(crate) fn caption_beside<'a>(
    record: &Record,
    after: &Picture,
    said: impl IntoIterator<Item = &'a str>,
) -> Option<Sentence> {
    let key = record.what.key().map(short);
    let is_named = said.into_iter().any(|sentence| key.is_none_or(|key| sentence.contains(key)));
    if is_named { None } else { caption(record, after) }
}

fn committed(change: &str, object: &Sentence, hidden: bool) -> Sentence {
    let (done, done_zh) = match change {
        "existing" => ("on the API server since before the run", "运行开始前就在 API server 上"),
        "created" => ("created on the API server", "在 API server 上创建"),
        "deleted" => ("deleted on the API server", "在 API server 上删除"),
        _ => ("changed on the API server", "在 API server 上修改"),
    };
    let (client, client_zh) = match hidden {
        true => ("A fault hides this from every watch.", "故障使所有 watch 都收不到。"),
        false => ("The client does not know it yet.", "客户端还不知道。"),
    };
    (format!("{}: {done}. {client}", object.0), format!("{}：{done_zh}。{client_zh}", object.1))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::trace::{Recorder, WaitingDelta};

    fn listed(recorder: &mut Recorder) -> Record {
        event(recorder, What::Listed { resource_version: "9".to_owned(), objects: Vec::new() })
    }

    fn event(recorder: &mut Recorder, what: What) -> Record {
        recorder.informer_event(Duration::ZERO, Recorder::BY_HAND, "core::Pod", what)
    }

    fn watched(recorder: &mut Recorder, key: &str, version: &str) -> Record {
        let [kind, key, resource_version] = ["MODIFIED", key, version].map(str::to_owned);
        event(recorder, What::Watched { kind, key, resource_version })
    }

    fn queued(recorder: &mut Recorder, key: &str, delta: &str) -> Record {
        let [queue, key] = ["DeltaFIFO", key].map(str::to_owned);
        event(recorder, What::Queued { queue, key, known_objects: false, delta: WaitingDelta::named(delta) })
    }

    fn caption_of(record: &Record) -> (&str, &str) {
        let caption = record.caption.as_ref().expect("the event has a caption");
        (&caption.en, &caption.zh)
    }

    #[test]
    fn a_caption_names_the_object_its_version_the_delta_and_how_many_wait() {
        let recorder = &mut Recorder::default();
        watched(recorder, "default/nettool", "9");
        let first = queued(recorder, "default/nettool", "Updated");
        assert_eq!(
            caption_of(&first),
            ("nettool (version 9): Updated queued, one waiting.", "nettool（版本 9）：Updated 入队，1 个在等。")
        );
        watched(recorder, "default/web", "10");
        let second = queued(recorder, "default/web", "Added");
        assert_eq!(caption_of(&second).0, "web (version 10): Added queued, 2 waiting.");
        watched(recorder, "default/nettool", "11");
        let same_slot = queued(recorder, "default/nettool", "Updated");
        assert_eq!(
            caption_of(&same_slot).0,
            "nettool (version 11): Updated queued behind its Updated, in the same slot; 2 waiting."
        );
        let deltas = vec![WaitingDelta::named("Updated"), WaitingDelta::named("Updated")];
        let [queue, key] = ["DeltaFIFO", "default/nettool"].map(str::to_owned);
        let popped = event(recorder, What::Popped { queue, key, deltas, initial: false });
        assert_eq!(
            caption_of(&popped),
            (
                "nettool (version 11): Updated, Updated popped, one waiting.",
                "nettool（版本 11）：pop 出 Updated、Updated，1 个在等。"
            )
        );
    }

    #[test]
    fn a_sentence_of_the_narrator_that_names_the_object_takes_the_place_of_the_caption() {
        let recorder = &mut Recorder::default();
        let dropped = event(recorder, What::Dropped { key: "default/nettool".to_owned(), known_objects: false });
        assert!(dropped.caption.is_none() && dropped.said[0].en.starts_with("Deleted of nettool is dropped"));
        listed(recorder);
        let sync = queued(recorder, "default/nettool", "Sync");
        assert!(sync.said[0].en.starts_with("this Sync comes from the first list"), "{:?}", sync.said);
        assert_eq!(caption_of(&sync).0, "nettool: Sync queued, one waiting.");
    }
}
