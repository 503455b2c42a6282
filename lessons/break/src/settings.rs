//! The settings of the exercises: for each, a situation in which its mistake has a visible effect. In most exercises
//! the program keeps a load balancer (`outside/balancer.rs`) in step with the pods. A setting can make the balancer
//! slow, or take it down.

use std::time::Duration;

use informer_lab::exercises::judging::judges::{self, THREE_PODS};
use kube_testcluster::Stages;

use crate::outside::Behaviour;
use crate::setting::Setting;

/// A scenario that creates a pod and deletes it. In between, the kubelet and the scheduler change it several times.
pub fn updates() -> Setting {
    let scenario = "[{at: 1s, run: nettool}, {at: 4s, delete: nettool}]".to_owned();
    Setting { stages: Stages::default(), scenario, lasts: Duration::from_secs(8), ..Setting::default() }
}

/// A scenario that deletes one pod while the watch works. It deletes a second pod while the watch sends no events. Then
/// it compacts the history and ends the watch, so only the relist reveals the second deletion.
pub fn tombstone() -> Setting {
    let scenario = "
- {at: 2s, delete: web-1}
- {at: 4s, fault: 'hide-events:resource=pods,for=1s'}
- {at: 4500ms, delete: web-2}
- {at: 5s, fault: compact}
- {at: 5500ms, fault: 'drop-watches:resource=pods'}
";
    Setting { pods: THREE_PODS, scenario: scenario.to_owned(), lasts: Duration::from_secs(15), ..Setting::default() }
}

/// A scenario that changes three pods twice a second for half a minute, which is faster than the program's handler.
pub fn slow() -> Setting {
    let steps = (1..=judges::slow::TICKS).flat_map(|tick| {
        let at = (judges::slow::EVERY * tick).as_millis();
        (1..=3).map(move |n| format!("- {{at: {at}ms, label: web-{n}, set: {{tick: '{tick}'}}}}\n"))
    });
    Setting { pods: THREE_PODS, scenario: steps.collect(), lasts: Duration::from_secs(45), ..Setting::default() }
}

/// Pods with and without a password. Nothing changes, because the initial list already shows the mistake.
pub fn mutate() -> Setting {
    Setting { pods: judges::mutate::PODS, ..Setting::default() }
}

/// A cluster with a pod on each of two nodes, and a third pod on a node that does not exist. Listing the nodes takes
/// two seconds.
pub fn sync() -> Setting {
    Setting {
        pods: judges::sync::PODS,
        nodes: 2,
        faults: &["delay:resource=nodes,by=2s,times=4"],
        ..Setting::default()
    }
}

/// A scenario that creates a pod and deletes another while the load balancer is down. The trial then lasts for three
/// resyncs of the program, which has a period of 30 seconds.
pub fn resync() -> Setting {
    let scenario = "[{at: 5s, run: web-4}, {at: 6s, delete: web-1}]".to_owned();
    let down = Duration::from_secs(4)..Duration::from_secs(8);
    let balancer = Behaviour { down, ..Behaviour::default() };
    Setting { pods: THREE_PODS, scenario, lasts: Duration::from_secs(100), balancer, ..Setting::default() }
}

/// A scenario that deletes a pod while the program still processes its list. Later it creates another pod and deletes a
/// third.
pub fn gap() -> Setting {
    let scenario = "[{at: 1500ms, delete: web-1}, {at: 10s, run: web-4}, {at: 12s, delete: web-2}]".to_owned();
    let balancer = Behaviour { takes: Duration::from_secs(1), ..Behaviour::default() };
    Setting { pods: THREE_PODS, scenario, lasts: Duration::from_secs(20), balancer, ..Setting::default() }
}

/// A scenario that deletes a pod and creates another of the same name while the watch sends no events, so only the
/// relist shows the new pod.
pub fn recreated() -> Setting {
    let scenario = "
- {at: 4s, fault: 'hide-events:resource=pods,for=1s'}
- {at: 4300ms, delete: web-2}
- {at: 4600ms, run: web-2}
- {at: 5s, fault: compact}
- {at: 5500ms, fault: 'drop-watches:resource=pods'}
- {at: 10s, delete: web-1}
";
    Setting { pods: THREE_PODS, scenario: scenario.to_owned(), lasts: Duration::from_secs(15), ..Setting::default() }
}

/// A scenario that deletes two pods, ten seconds apart. Just after the first deletion, the API server's watch cache
/// lags behind for four seconds.
pub fn stale() -> Setting {
    let scenario = "
- {at: 10100ms, delete: web-1}
- {at: 10200ms, fault: 'lag:resource=pods,for=4s'}
- {at: 20100ms, delete: web-2}
";
    Setting { pods: THREE_PODS, scenario: scenario.to_owned(), lasts: Duration::from_secs(30), ..Setting::default() }
}

/// A scenario that creates a pod and deletes another, so that each consumer of the program must see both.
pub fn shared() -> Setting {
    let scenario = "[{at: 2s, run: web-4}, {at: 4s, delete: web-1}]".to_owned();
    Setting { pods: THREE_PODS, scenario, ..Setting::default() }
}
