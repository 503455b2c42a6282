//! A trial of a program in Go: a cluster on a loopback port, the program as a process, and the script, which changes
//! the cluster and waits for what the program does about it. The time is real, so a script waits for events and never
//! for a time, except when it gives a program the time for an event that a wrong program lacks.

use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::{Context, Result};
use k8s_openapi::api::core::v1::Pod;
use kube::Api;
use kube::api::ListParams;
use kube_testcluster::{Cluster, Controllers, Era, Scenario, Stages, Step, pods_from_yaml, serve_until};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::gate::Gate;
use super::outside::{self, Outside};
use super::process::Process;
use super::script::Script;
use crate::cluster::KubeconfigFile;
use crate::exercises::ProgramLanguage;
use crate::exercises::judging::{Entry, EntryKind, Journal, Outcome, Verdict, backends};

/// The time within which a program has to do what wrong and right programs do.
const PATIENCE: Duration = Duration::from_secs(20);

/// The time within which a program has to do what only a right program does.
const SETTLES_WITHIN: Duration = Duration::from_secs(5);

/// The cluster and the outside world of a trial, for its script.
pub(super) struct Trial {
    cluster: Cluster,
    pub(super) outside: Arc<Outside>,
}

/// The program has not done in time what the script waited for. The judge then finds the mistake.
#[derive(Debug)]
pub(super) struct NotSeen;

/// Runs a program from its start to its end, and judges it.
///
/// # Errors
/// The port, the kubeconfig or the process cannot be made.
pub(super) async fn run(script: &Script, file: &Path) -> Result<Verdict> {
    let trial = Trial::start(script);
    let listener = TcpListener::bind("127.0.0.1:0").context("cannot listen on a loopback port")?;
    listener.set_nonblocking(true).context("cannot listen without blocking")?;
    let address = listener.local_addr().context("cannot listen")?;
    let listener = tokio::net::TcpListener::from_std(listener).context("cannot listen")?;
    let kubeconfig = KubeconfigFile::write(address, None)?;
    let router = outside::routes(&trial.outside, trial.cluster.router());
    let stop = CancellationToken::new();
    let server = tokio::spawn(serve_until(router, listener, stop.clone().cancelled_owned()));

    let outside = format!("http://{address}{}", outside::PATH);
    let journal = trial.outside.journal.clone();
    let mut process = Process::start(file, kubeconfig.path(), &outside, journal).context("cannot start the program")?;
    let ended = tokio::select! {
        ended = process.ended() => Some(ended),
        // If the program does not do what the script waits for, the judge finds that.
        _ = (script.play)(&trial) => None,
    };
    trial.outside.open_all();
    let end = match ended {
        Some(end) => end,
        None => process.stop().await,
    };
    let entries = trial.outside.journal.take();
    let pods = trial.pods().await;
    stop.cancel();
    server.await.context("the server of the cluster panicked")?;
    trial.cluster.shutdown().await;
    Ok(Verdict::of(&Outcome { entries, pods, end }, script.judge, ProgramLanguage::Go))
}

impl Trial {
    /// Starts the cluster. No kubelet changes its pods, so every change is one of the script or of the program.
    fn start(script: &Script) -> Self {
        let mut builder = Cluster::builder()
            .seed(1)
            .era(Era::Modern)
            .controllers(Controllers::Housekeeping)
            .stages(Stages::none())
            .pods(pods_from_yaml(script.pods, "pods.yaml", "default").expect("a test parses the pods of every script"));
        if script.nodes > 0 {
            builder = builder.nodes(script.nodes);
        }
        let (cluster, journal) = (builder.start(), Journal::begin());
        let writes = journal.clone();
        cluster.observe_writes(move |write| writes.note(EntryKind::Written(write)));
        Self { cluster, outside: Arc::new(Outside::new(journal)) }
    }

    /// Performs steps of a scenario, such as `run: web-4`, at once.
    pub(super) async fn steps(&self, steps: impl IntoIterator<Item = impl AsRef<str>>) -> Result<(), NotSeen> {
        let steps: String = steps.into_iter().map(|step| format!("- {{at: 0s, {}}}\n", step.as_ref())).collect();
        let scenario = Scenario::from_yaml(&steps, "script.yaml").expect("a script has valid steps");
        let journal = &self.outside.journal;
        let note = |step: &Step| journal.note(EntryKind::Step(step.to_string()));
        // A step fails if the program has already deleted the pod, for example.
        scenario.play(self.cluster.client("default"), "default", note).await.map_err(|error| {
            journal.note(EntryKind::Step(format!("({error})")));
            NotSeen
        })
    }

    /// Begins a fault, and notes its name as a step.
    pub(super) fn fault(&self, fault: &str) {
        let name = fault.split(':').next().unwrap_or(fault);
        self.outside.journal.note(EntryKind::Step(format!("(fault {name})")));
        self.cluster.faults().start(fault.parse().expect("a script has valid faults"));
    }

    pub(super) fn end_faults(&self) {
        self.cluster.faults().end_all();
    }

    /// Sets whether the load balancer refuses every change.
    pub(super) fn set_balancer_down(&self, is_down: bool) {
        let state = if is_down { "(the load balancer is down)" } else { "(the load balancer works again)" };
        self.outside.journal.note(EntryKind::Step(state.to_owned()));
        self.outside.balancer_is_down.store(is_down, Ordering::SeqCst);
    }

    /// Waits until the program has done something that wrong and right programs do.
    pub(super) async fn until(&self, condition: impl Fn(&[Entry]) -> bool) -> Result<(), NotSeen> {
        timeout(PATIENCE, self.outside.journal.until(condition)).await.map_err(|_| NotSeen)
    }

    /// Waits until the program has done something that only a right program does, but not for long.
    pub(super) async fn settle(&self, condition: impl Fn(&[Entry]) -> bool) {
        let _ = timeout(SETTLES_WITHIN, self.outside.journal.until(condition)).await;
    }

    /// Waits until a call has reached a closed gate.
    pub(super) async fn reaches(&self, gate: &Gate) -> Result<(), NotSeen> {
        timeout(PATIENCE, gate.wait_until_reached()).await.map_err(|_| NotSeen)
    }

    /// Waits until the load balancer has these backends.
    pub(super) async fn until_backends(&self, wanted: &[String]) -> Result<(), NotSeen> {
        self.until(|entries| wanted.iter().all(|backend| backends(entries).contains(backend))).await
    }

    /// Waits until the backends are exactly these, but not for long.
    pub(super) async fn settle_backends(&self, wanted: &[String]) {
        self.settle(|entries| backends(entries).iter().eq(wanted.iter())).await;
    }

    /// Returns the uids of the pods that exist now, sorted.
    pub(super) async fn uids(&self) -> Vec<String> {
        let mut uids: Vec<_> = self.pods().await.into_iter().filter_map(|pod| pod.metadata.uid).collect();
        uids.sort();
        uids
    }

    /// Returns the uid of a pod, or nothing if it does not exist.
    pub(super) async fn uid_of(&self, name: &str) -> Vec<String> {
        let pods = self.pods().await.into_iter();
        pods.filter(|pod| pod.metadata.name.as_deref() == Some(name)).filter_map(|pod| pod.metadata.uid).collect()
    }

    /// Returns the pods that exist now. Ends all faults, so that the list succeeds.
    async fn pods(&self) -> Vec<Pod> {
        self.end_faults();
        let pods: Api<Pod> = Api::default_namespaced(self.cluster.client("default"));
        pods.list(&ListParams::default()).await.expect("the cluster answers").items
    }
}
