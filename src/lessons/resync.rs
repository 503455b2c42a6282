//! Resync: known objects are delivered again as `Sync`, and a handler returns early if nothing has changed.
//!
//! Chapter: `lessons/resync.md`. Traces: `fixtures/traces/resync*.txt`.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use k8s_openapi::api::core::v1::Pod;

use super::pods::{name, style};
use super::queues::queue;
use crate::lab::Era;
use crate::lab::Lab;
use crate::trace::Style;
use kube_informers::cache::{
    Deletion, Delta, Deltas, EventHandler, InitialList, ListWatch, Reflector, Store, meta_namespace_key, process_deltas,
};

/// Watches the pods with a resync every two seconds.
pub async fn run(lab: &Lab) -> Result<()> {
    let store = Arc::new(Store::new(meta_namespace_key::<Pod>).observer(lab.observer()));
    // RealFIFO needs no known objects: a resync queues one SyncAll, for which the consumer repeats its store.
    let queue = queue(lab, (lab.era() == Era::Classic).then(|| store.clone()));
    let pods = ListWatch::<Pod>::namespaced(lab.client(), lab.namespace());
    let reflector = lab.reflector(Reflector::new(pods, queue.clone())).resync(Duration::from_secs(2));

    let fill = async {
        reflector.run(lab.stop()).await;
        queue.close();
        Ok(())
    };
    let empty = async {
        let mut handler = ResyncHandler(lab.clone());
        let mut show_and_handle = |deltas: Deltas<Pod>, initial| {
            for delta in &deltas {
                lab.print(style(delta), shown(delta));
            }
            Ok(process_deltas(&store, deltas, initial, &mut |change| change.deliver(&mut handler))?)
        };
        while let Ok(handled) = queue.pop_with(&mut show_and_handle).await {
            handled.map_err(anyhow::Error::from_boxed)?;
        }
        anyhow::Ok(())
    };
    futures::try_join!(fill, empty)?;
    lab.narrate(
        "a Sync of a known object is an update from it to itself: equal resourceVersions say so.\n\
         The API server is not asked: a resync repeats the store, a relist compares it with the server",
        "已知对象的 Sync 是从它到它自己的更新：resourceVersion 相等就说明了这一点。\n\
         这不会去问 API server：resync 重复 store 的内容，relist 才和服务器比较",
    );
    Ok(())
}

fn shown(delta: &Delta<Pod>) -> String {
    delta.object().map_or_else(|| delta.kind().to_owned(), |pod| format!("{} : {}", delta.kind(), name(pod)))
}

struct ResyncHandler(Lab);

impl EventHandler<Pod> for ResyncHandler {
    fn on_add(&mut self, pod: Arc<Pod>, _initial: InitialList) {
        self.0.print(Style::Added, format_args!("  OnAdd: {}", name(&pod)));
    }

    fn on_update(&mut self, old: Arc<Pod>, new: Arc<Pod>) {
        let [before, after] = [&old, &new].map(|pod| pod.metadata.resource_version.as_deref().unwrap_or_default());
        if before == after {
            self.0.print(Style::Synced, format_args!("  OnUpdate: {} {before} -> {after}, return", name(&new)));
            return;
        }
        self.0.print(Style::Updated, format_args!("  OnUpdate: {} {before} -> {after}, work", name(&new)));
    }

    fn on_delete(&mut self, deletion: Deletion<Pod>) {
        let pod = deletion.object().map(|pod| name(pod)).unwrap_or_default();
        self.0.print(Style::Deleted, format_args!("  OnDelete: {pod}"));
    }
}
