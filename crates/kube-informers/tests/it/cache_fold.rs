//! Checks over random failures that a handler's notifications, applied in order, always lead to the server's state.

use std::collections::BTreeMap;
use std::time::Duration;

use kube_informers::cache::{
    Batches, Buffer, HandlerOptions, QueueKind, ReflectorOptions, SharedIndexInformer, WatchEvent, WatchList,
};
use tokio::time::sleep;

use crate::cache_shared_informer::{Recorder, Slow, rest, run};
use crate::source::{Source, status};

/// Applies notifications in order to a map of names to versions, and checks that each fits the state before it.
fn fold(notes: Vec<String>) -> BTreeMap<String, String> {
    let mut state = BTreeMap::new();
    let later_add = notes.iter().position(|note| note.starts_with("add ") && !note.ends_with(" initial"));
    let after = &notes[later_add.unwrap_or(notes.len())..];
    assert!(after.iter().all(|note| !note.ends_with(" initial")), "the initial list comes first: {notes:?}");
    for note in notes {
        let words: Vec<&str> = note.split(' ').collect();
        match words[..] {
            ["add", name, version, ..] => drop(state.insert(name.to_owned(), version.to_owned())),
            ["update", name, versions] => {
                let (old, new) = versions.split_once("->").unwrap();
                assert_eq!(state.insert(name.to_owned(), new.to_owned()).as_deref(), Some(old), "{note}");
            }
            ["delete" | "tombstone", name, _] => assert!(state.remove(name).is_some(), "{note}"),
            _ => panic!("{note}"),
        }
    }
    state
}

#[tokio::test(start_paused = true)]
async fn a_handlers_notifications_lead_to_the_servers_state_after_any_failures() {
    for seed in 0..400 {
        let mut random = fastrand::Rng::with_seed(seed);
        let source = Source::default();
        let kinds = [
            QueueKind::DeltaFifo,
            QueueKind::RealFifo(Batches::No),
            QueueKind::RealFifo(Batches::Yes),
            QueueKind::AtomicFifo(Batches::Yes),
        ];
        let kind = kinds[random.usize(0..kinds.len())];
        let watch_list = if random.bool() { WatchList::Yes } else { WatchList::No };
        let options = ReflectorOptions::new().watch_list(watch_list);
        let informer = SharedIndexInformer::builder(source.clone()).queue(kind).reflector(options).build();
        let mut handlers = vec![Recorder::default()];
        informer.add_event_handler(handlers[0].clone()).unwrap();
        let running = run(&informer);
        for _ in 0..random.usize(10..60) {
            let name = ["a", "b", "c", "d"][random.usize(0..4)];
            match random.u8(0..20) {
                0..9 => source.put(name),
                9..14 if source.pods().iter().any(|(known, _)| known == name) => source.delete(name),
                14 => source.hide_changes(),
                15 => source.expire(),
                16 => source.close_watches(),
                17 => source.send(|| WatchEvent::Error(Box::new(status("InternalError", 500)))),
                18 => {
                    let late = Recorder::default();
                    if random.bool() {
                        informer.add_event_handler(late.clone()).unwrap();
                    } else {
                        let coalesced = HandlerOptions::new().buffer(Buffer::Coalesced);
                        informer.add_event_handler_with(Slow(late.clone()), coalesced).unwrap();
                    }
                    handlers.push(late);
                }
                _ => sleep(Duration::from_millis(random.u64(0..3000))).await,
            }
        }
        source.expire(); // the next list shows the changes that were hidden from the watches
        rest().await;
        let server: BTreeMap<_, _> = source.pods().into_iter().collect();
        for handler in handlers {
            assert_eq!(fold(handler.take()), server, "seed {seed}");
        }
        running.stop().await;
    }
}
