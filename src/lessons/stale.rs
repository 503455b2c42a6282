//! Lesson `stale`: a controller that counts objects in a cache without its own latest writes creates an object twice.
//!
//! Chapter: `lessons/21-staleness`. Trace: `fixtures/traces/stale.txt`.

use std::time::Duration;

use anyhow::Result;
use futures::try_join;
use k8s_openapi::api::core::v1::{Container, Pod, PodSpec};
use kube::Api;
use kube::api::PostParams;
use tokio::time::sleep;

use crate::lab::Lab;
use crate::trace::Style;
use kube_informers::cache::{ListWatch, Reader, SharedIndexInformer};

// ANCHOR: stale
/// Two controllers want one pod each, and look twice at the cache while the watch stands still. The second one waits
/// for its own write in between.
pub async fn run(lab: &Lab) -> Result<()> {
    let pods = ListWatch::<Pod>::namespaced(lab.client(), lab.namespace());
    let informer = lab.informer(SharedIndexInformer::builder(pods));
    let cache = informer.reader();
    let look_twice = async {
        informer.synced().await?;
        lab.print(Style::Synced, "informer synced");
        sleep(Duration::from_secs(1)).await; // by now the scenario has stopped the server's watch cache

        lab.narrate("the server's watch cache stops: no events arrive", "服务端的 watch cache 停住了：收不到任何事件");
        reconcile(lab, &cache, "careless", 0).await?;
        reconcile(lab, &cache, "careless", 1).await?;

        if let Some(version) = reconcile(lab, &cache, "careful", 0).await? {
            lab.print(Style::Updated, "careful: waits until the cache has its own write");
            cache.at_least(&version, Duration::from_secs(10)).await?;
        }
        reconcile(lab, &cache, "careful", 1).await?;
        reconcile(lab, &cache, "careless", 2).await?;
        anyhow::Ok(())
    };
    let look_twice = async { lab.stop().run_until_cancelled(look_twice).await.unwrap_or(Ok(())) };
    let run = async { Ok(informer.clone().run(lab.stop()).await?) };
    try_join!(look_twice, run)?;
    Ok(())
}

/// Counts a controller's pods in the cache, and creates one if there is none. Returns the new pod's version.
async fn reconcile(lab: &Lab, cache: &Reader<Pod>, app: &str, number: u32) -> Result<Option<String>> {
    let is_its_own =
        |pod: &Pod| pod.metadata.labels.as_ref().and_then(|labels| labels.get("app")).is_some_and(|a| a == app);
    let have = cache.list().iter().filter(|pod| is_its_own(pod)).count();
    if have > 0 {
        lab.print(Style::Plain, format_args!("{app}: {have} of 1 pods"));
        return Ok(None);
    }
    let name = format!("{app}-{number}");
    lab.print(Style::Added, format_args!("{app}: {have} of 1 pods, create {name}"));
    let container = Container { name: "main".to_owned(), image: Some("nginx".to_owned()), ..Container::default() };
    let mut pod = Pod { spec: Some(PodSpec { containers: vec![container], ..PodSpec::default() }), ..Pod::default() };
    pod.metadata.name = Some(name);
    pod.metadata.labels = Some([("app".to_owned(), app.to_owned())].into());
    let created = Api::<Pod>::namespaced(lab.client(), lab.namespace()).create(&PostParams::default(), &pod).await?;
    Ok(created.metadata.resource_version)
}
// ANCHOR_END: stale
