//! The setting of a trial: a cluster, a scenario that changes it, and a load balancer. Runs a program in it.
//! The time is virtual, so that a trial takes milliseconds and ends in the same way each time.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use informer_lab::exercises::judging::{End, EntryKind, Journal, Outcome};
use k8s_openapi::api::core::v1::Pod;
use kube::Api;
use kube::api::ListParams;
use kube_informers::cache::{BoxError, with_causes};
use kube_testcluster::{Admin, Cluster, Controllers, Scenario, Stages, pods_from_yaml};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::outside::{Balancer, Behaviour};
use crate::trial::Trial;

/// A program of a learner, which should run until the trial stops it.
pub type Program = fn(Trial) -> LocalBoxFuture<'static, Result<(), BoxError>>;

/// The virtual time that a program has to return after the trial stops it.
const GRACE: Duration = Duration::from_secs(30);

/// The cluster of a trial, and the changes that happen in it.
pub struct Setting {
    /// The pods at the start, as YAML.
    pub pods: &'static str,
    pub nodes: usize,
    /// The stages through which the simulated kubelet takes a pod.
    pub stages: Stages,
    /// The faults that are active from the start.
    pub faults: &'static [&'static str],
    /// The scenario, as YAML.
    pub scenario: String,
    /// The virtual time after which the trial stops the program.
    pub lasts: Duration,
    pub balancer: Behaviour,
}

impl Default for Setting {
    /// Returns the setting of a cluster without pods, in which nothing happens for ten seconds.
    fn default() -> Self {
        Self {
            pods: "",
            nodes: 0,
            stages: Stages::none(),
            faults: &[],
            scenario: "[]".to_owned(),
            lasts: Duration::from_secs(10),
            balancer: Behaviour::default(),
        }
    }
}

impl Setting {
    /// Runs a program from its start to its end, in virtual time.
    pub fn run(self, program: Program) -> Outcome {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.expect("a runtime without I/O always starts").block_on(self.run_async(program))
    }

    async fn run_async(self, program: Program) -> Outcome {
        let scenario =
            Scenario::from_yaml(&self.scenario, "scenario.yaml").expect("a test parses the scenario of every exercise");
        let cluster = self.start();
        let client = cluster.client("default");
        let (journal, stop) = (Journal::begin(), CancellationToken::new());
        let writes = journal.clone();
        cluster.observe_writes(move |write| writes.note(EntryKind::Written(write)));
        let balancer = Balancer::new(self.balancer, journal.clone());
        let trial = Trial::new(&cluster, stop.clone(), journal.clone(), balancer);

        let stop_in_time = async {
            let steps = scenario
                .play(client.clone(), "default", |step| journal.note(EntryKind::Step(fault_name(&step.to_string()))));
            let (performed, ()) = tokio::join!(steps, sleep(self.lasts));
            if let Err(error) = performed {
                journal.note(EntryKind::Step(format!("({error})"))); // for example, the program has already deleted the pod
            }
            stop.cancel();
            sleep(GRACE).await;
        };
        let ended = tokio::select! {
            biased;
            ended = AssertUnwindSafe(async { program(trial).await }).catch_unwind() => Some(ended),
            () = stop_in_time => None,
        };
        let end = match ended {
            None => End::Never,
            Some(Err(panic)) => End::Panicked(message(&*panic)),
            Some(Ok(Err(error))) => End::Failed(with_causes(&*error).to_string()),
            Some(Ok(Ok(()))) if !stop.is_cancelled() => End::Early(journal.now()),
            Some(Ok(Ok(()))) => End::Stopped,
        };
        let entries = journal.take();
        cluster.faults().end_all(); // so that the following list succeeds
        let pods: Api<Pod> = Api::default_namespaced(client);
        let pods = pods.list(&ListParams::default()).await.expect("the cluster answers").items;
        cluster.shutdown().await;
        Outcome { entries, pods, end }
    }

    /// Starts the cluster with its pods, nodes and faults. Its seed and its start time are fixed, so all trials are
    /// alike.
    fn start(&self) -> Cluster {
        let pods =
            if self.pods.is_empty() { Ok(Vec::new()) } else { pods_from_yaml(self.pods, "pods.yaml", "default") };
        let mut builder = Cluster::builder()
            .seed(1)
            .started_at("2023-05-01T10:00:00Z".parse().expect("the constant is a valid time"))
            .admin(Admin::On)
            .controllers(Controllers::Housekeeping)
            .stages(self.stages.clone())
            .pods(pods.expect("a test parses the pods of every exercise"));
        if self.nodes > 0 {
            builder = builder.nodes(self.nodes);
        }
        let cluster = builder.start();
        for fault in self.faults {
            cluster.faults().start(fault.parse().expect("a test parses the faults of every exercise"));
        }
        cluster
    }
}

fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "(no text)".to_owned())
}

/// Shortens a step that starts a fault to the fault's name, because its command is a request to a path that real clusters do not have.
fn fault_name(step: &str) -> String {
    let fault = step.split_once("{\"fault\":\"").and_then(|(_, rest)| rest.split_once('"'));
    fault.map_or_else(|| step.to_owned(), |(fault, _)| format!("(fault {fault})"))
}

#[cfg(test)]
mod tests {
    use futures::future::pending;

    use super::*;

    fn end(program: Program) -> End {
        Setting::default().run(program).end
    }

    #[test]
    fn a_program_runs_until_it_is_stopped() {
        let waits = end(|trial| trial.stop().cancelled_owned().map(Ok).boxed_local());
        assert_eq!(waits, End::Stopped);
        assert_eq!(end(|_| async { Ok(()) }.boxed_local()), End::Early(Duration::ZERO));
    }

    #[test]
    fn a_program_that_ignores_the_stop_is_ended() {
        assert_eq!(end(|_| pending().boxed_local()), End::Never);
    }

    #[test]
    fn a_panic_and_an_error_are_reported() {
        let panics = end(|_| async { panic!("not like this") }.boxed_local());
        assert_eq!(panics, End::Panicked("not like this".to_owned()));
        let fails = end(|_| async { Err("no access".into()) }.boxed_local());
        assert_eq!(fails, End::Failed("no access".to_owned()));
    }
}
