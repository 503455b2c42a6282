//! Tests how long Event objects are kept, and how many.

use serde_json::json;

use crate::support::api::{Api, quiet};

/// Upstream: `--event-ttl`, one hour by default. Each write restarts the time.
#[tokio::test(start_paused = true)]
async fn an_event_expires_an_hour_after_its_last_write() {
    const EVENTS: &str = "/api/v1/namespaces/default/events";
    let minutes = |n: u64| tokio::time::sleep(std::time::Duration::from_secs(60 * n));
    let cluster = quiet().start(); // kept until the end: dropping it would end the watch
    let api = Api::new(&cluster);
    for name in ["once", "twice"] {
        let event = json!({"metadata": {"name": name}, "involvedObject": {"namespace": "default"}});
        assert_eq!(api.post(EVENTS, &event).await.status, 201);
    }
    let mut watch = api.watch_at(&format!("{EVENTS}?watch=true&timeoutSeconds=36000")).await;
    assert_eq!(watch.short_events().await, ["ADDED once", "ADDED twice"]);
    minutes(40).await;
    assert_eq!(api.merge(&format!("{EVENTS}/twice"), &json!({"count": 2})).await.status, 200);
    assert_eq!(watch.short_events().await, ["MODIFIED twice"]);
    minutes(21).await;
    let seen = watch.short_events().await;
    assert_eq!(
        (seen, watch.ended),
        (vec!["DELETED once".to_owned()], false),
        "the event expires without any other request"
    );
    assert_eq!(api.get(EVENTS).await.names(), ["twice"]);
    minutes(40).await;
    assert_eq!(api.get(EVENTS).await.names(), [""; 0]);
    assert_eq!(api.get("/api/v1/namespaces").await.names().len(), 4, "only events expire");
}

#[tokio::test(start_paused = true)]
async fn at_most_max_events_are_kept() {
    const EVENTS: &str = "/api/v1/namespaces/default/events";
    let api = Api::new(&quiet().max_events(3).start());
    for n in 0..10 {
        let event = json!({"metadata": {"name": format!("e{n}")}, "involvedObject": {"namespace": "default"}});
        assert_eq!(api.post(EVENTS, &event).await.status, 201);
    }
    assert_eq!(api.get(EVENTS).await.names(), ["e7", "e8", "e9"]);
}

#[tokio::test(start_paused = true)]
async fn a_frequently_updated_event_counts_once_and_events_without_a_ttl_are_limited_too() {
    const EVENTS: &str = "/api/v1/namespaces/default/events";
    let api = Api::new(&quiet().max_events(3).event_ttl(std::time::Duration::MAX).start());
    let create = async |name: &str| {
        let event = json!({"metadata": {"name": name}, "involvedObject": {"namespace": "default"}});
        assert_eq!(api.post(EVENTS, &event).await.status, 201);
    };
    create("hot").await;
    create("quiet").await;
    for count in 2..20 {
        assert_eq!(api.merge(&format!("{EVENTS}/hot"), &json!({"count": count})).await.status, 200);
    }
    for name in ["short-1", "short-2", "short-3"] {
        create(name).await;
        assert_eq!(api.delete(&format!("{EVENTS}/{name}")).await.status, 200);
    }
    assert_eq!(api.get(EVENTS).await.names(), ["hot", "quiet"]);
    create("new-1").await;
    create("new-2").await;
    assert_eq!(
        api.get(EVENTS).await.names(),
        ["hot", "new-1", "new-2"],
        "of four events, the one with the oldest last write is dropped"
    );
}
