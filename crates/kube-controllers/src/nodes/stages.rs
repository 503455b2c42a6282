//! The stages of pods: the script, usually read from YAML, by which the simulated kubelet runs and deletes each pod.
//! Tests choose or write stages to get slow, failing or crashing pods.

mod named;
mod selector;
mod wire;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use kube_machinery::conventions::yaml::{self, FileError};
use kube_machinery::value::Value;
pub(crate) use selector::PodSelector;
use wire::StagesFile;

/// The steps of the kubelet, read from YAML:
///
/// ```yaml
/// run:                     # for every pod that is not bound to a node
/// - {after: 150ms, bind: node-1}
/// - {after: 150ms, status: {phase: Running, startTime: $now}}
/// init:                    # for each init container, one after the other
/// - {containers: {running: {}}}
/// - {after: 1s, containers: {terminated: {exitCode: 0, reason: Completed}}}
/// delete:                  # for every pod that is being deleted
/// - {after: 150ms, annotations: {example.com/address: null}}
/// - {after: 150ms, remove: true}
/// lifecycles:              # for the pods that one of these selects; the first that matches applies
/// - name: crash-loop
///   for: [{labels: lab/lifecycle=crash-loop}]
///   run:
///   - {bind: true}
///   - repeat:
///     - {after: 2s, containers: {running: {}}}
///     - {after: 5s, containers: {terminated: {exitCode: 1, reason: Error}}}
/// ```
///
/// A step waits for the time `after` (default: none) and then does one thing. With `doubling-to`, the wait doubles in
/// each round of a `repeat`, up to that limit. The actions are:
///
/// - `bind` assigns the pod to the node with this name or, with `true`, to the node that the scheduler chooses. With
///   `bind: true` in a lifecycle, the kubelet also runs pods that name their node themselves.
/// - `status` is a merge patch for the pod's status, except that conditions of other types stay. `annotations` is a
///   merge patch for the pod's annotations.
/// - `containers` reports a state of all regular containers, or in `init` of the init container: `waiting: {reason, message}`, `running: {ready}` or `terminated:
///   {exitCode, reason, message}`. Phase, conditions, restart counts and the rest of the status follow from it as on a
///   real node. A `status` beside it is merged into the result.
/// - `event` writes an Event about the pod: `{reason, message, type, from}`. It writes one for each container if `of:
///   containers` is given or the message contains `$container` or `$image`.
/// - `log` appends a line to the log of each container.
/// - `steps` performs a list of steps (`steps: []` only waits). `repeat` repeats a list of steps for ever, or `times`
///   times.
/// - `remove: true` removes the pod.
///
/// Once the pod has a node, the first step after the report of `ContainerCreating` waits until the pod's volumes can be
/// mounted. The next step that is about the containers waits until the steps of `init` have been performed for each init
/// container. One of these steps must report `terminated`. Without `init`, an init container ends at once. A container
/// that ends with another exit code than 0 starts again after a back-off, unless the pod is never restarted. A sidecar
/// runs from the first report that it runs until the pod ends. The first step that needs the regular containers (the
/// Event `Created` or `Started`, or the report that they run) waits until their environment is complete.
///
/// In every text, `$now` stands for the time, `$podIP` and `$hostIP` for the addresses of the pod and its node, `$pod`,
/// `$namespace`, `$uid` and `$node` for the pod's name, namespace, uid and node, and `$backoff` for the wait with
/// `doubling-to` in this round. In `containers`, `event` and `log`, `$container` and `$image` stand for the container's
/// name and image. In `containerStatuses`, an entry named `"*"` stands for every container of the pod.
#[derive(Clone, Debug, PartialEq)]
pub struct Stages {
    /// The lifecycles in the order in which they are tried. The last one applies to all pods that no other one selects.
    lifecycles: Vec<Lifecycle>,
}

/// The label by which a pod chooses one of the named lifecycles.
const LIFECYCLE: &str = "lab/lifecycle";

/// The stages of some pods.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Lifecycle {
    /// Empty for the last lifecycle.
    pub(crate) name: String,
    /// The lifecycle applies to a pod that matches one of these selectors.
    pub(crate) selectors: Vec<PodSelector>,
    pub(crate) run: Arc<[Stage]>,
    /// The stages of each init container.
    pub(crate) init: Arc<[Stage]>,
    pub(crate) delete: Arc<[Stage]>,
}

/// A step: a wait, then one action.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stage {
    pub(crate) wait: Wait,
    pub(crate) action: StageAction,
}

impl Stage {
    /// Returns true if the stage reports that the containers run.
    pub(crate) fn starts_containers(&self) -> bool {
        match &self.action {
            StageAction::Containers(state, _) => matches!(state, ContainerState::Running { .. }),
            StageAction::Status(status) => status["phase"] == "Running",
            StageAction::Steps(inner) | StageAction::Repeat(inner, _) => inner.iter().any(Self::starts_containers),
            _ => false,
        }
    }

    /// Returns true if the stage reports that the containers have ended.
    fn ends_containers(&self) -> bool {
        match &self.action {
            StageAction::Containers(state, _) => matches!(state, ContainerState::Terminated { .. }),
            StageAction::Repeat(_, Times::Only(0)) => false,
            StageAction::Steps(inner) | StageAction::Repeat(inner, _) => inner.iter().any(Self::ends_containers),
            _ => false,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wait {
    pub(crate) first: Duration,
    /// The limit up to which the wait doubles in each round; `None` if it does not double.
    pub(crate) doubling_to: Option<Duration>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum StageAction {
    Bind(Binding),
    /// Merges this into the pod's status.
    Status(Value),
    /// Reports a state of the containers, and merges a value into the status.
    Containers(ContainerState, Option<Value>),
    /// Sets annotations, and removes those without a value.
    Annotations(BTreeMap<String, Option<String>>),
    Event(Notice),
    /// Appends a line to the containers' logs.
    Log(String),
    Steps(Vec<Stage>),
    Repeat(Vec<Stage>, Times),
    /// Removes the pod: grace period 0, and the uid as a precondition.
    Remove,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Binding {
    Node(String),
    Scheduled,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Times {
    Only(u32),
    Forever,
}

/// The state of a pod's containers, as a container runtime reports it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ContainerState {
    /// The containers do not run, for this reason.
    Waiting { reason: String, message: Option<String> },
    /// The containers run. A container that fails its readiness probe is not ready.
    Running { ready: bool },
    /// The containers that ran have ended.
    Terminated { exit_code: i64, reason: String, message: Option<String> },
}

/// The content of an Event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Notice {
    pub(crate) kind: String,
    pub(crate) reason: String,
    pub(crate) message: String,
    pub(crate) from: String,
    pub(crate) of: Subject,
}

/// The subject of an Event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    Pod,
    /// One Event for each container.
    Containers,
}

/// Returns the wait that doubles in each round, for this round; `None` if there is no such wait.
pub(crate) fn backoff(stages: &[Stage], round: u32) -> Option<Duration> {
    stages.iter().find_map(|stage| match &stage.action {
        _ if stage.wait.doubling_to.is_some() => Some(stage.wait.in_round(round)),
        StageAction::Steps(stages) => backoff(stages, round),
        _ => None,
    })
}

impl Wait {
    /// Returns the wait in the n-th round, counted from 0.
    pub(crate) fn in_round(self, round: u32) -> Duration {
        match self.doubling_to {
            None => self.first,
            Some(most) => self.first.saturating_mul(2_u32.saturating_pow(round)).min(most),
        }
    }
}

impl Default for Stages {
    /// Returns the stages of an ordinary pod: the pod is bound, its container is created, the network reports its
    /// address, and the pod runs. On deletion the container ends, then the address is removed, then the pod. Each step
    /// comes 150 ms after the one before.
    fn default() -> Self {
        const DEFAULT: &str = include_str!("stages/default.yaml");
        Self::from_yaml(DEFAULT, "default.yaml").expect("the embedded stages are tested")
    }
}

impl Stages {
    /// Returns stages without any step, so the kubelet leaves pods as they are.
    pub fn none() -> Self {
        Self::of(Vec::new(), Lifecycle::everything(Vec::new(), Vec::new(), Vec::new()))
    }

    /// Parses stages from YAML; `name` is the file's name for error messages.
    ///
    /// # Errors
    /// The text is not YAML, or has an unknown key, a step without exactly one action, an invalid selector or duration,
    /// an endless repetition without a wait, or an `init` that does not end the container.
    pub fn from_yaml(text: &str, name: &str) -> Result<Self, FileError> {
        let expected = "the stages of a kubelet: the keys run and delete, each a list of steps, and lifecycles";
        yaml::read::<StagesFile>(text, name, expected)?.stages(name)
    }

    fn of(mut lifecycles: Vec<Lifecycle>, others: Lifecycle) -> Self {
        lifecycles.push(others);
        Self { lifecycles }
    }

    pub(crate) fn of_pod(&self, pod: &Value) -> &Lifecycle {
        let (others, selective) = self.lifecycles.split_last().expect("the last one is for every pod");
        let selects = |lifecycle: &&Lifecycle| lifecycle.selectors.iter().any(|selector| selector.matches(pod));
        selective.iter().find(selects).unwrap_or(others)
    }

    /// Returns a sentence about a pod whose label `lab/lifecycle` no lifecycle selects, because a value with a typo
    /// would otherwise have no effect in silence.
    pub(crate) fn unknown_lifecycle(&self, pod: &Value) -> Option<String> {
        let chosen = pod["metadata"]["labels"][LIFECYCLE].as_str()?;
        let selects = |lifecycle: &Lifecycle, value| {
            lifecycle.selectors.iter().any(|selector| selector.selects_by_label(LIFECYCLE, value, pod))
        };
        if self.lifecycles.iter().any(|lifecycle| selects(lifecycle, chosen)) {
            return None;
        }
        let names = self.lifecycles.iter().filter(|lifecycle| selects(lifecycle, &lifecycle.name));
        let names: Vec<_> = names.map(|lifecycle| lifecycle.name.as_str()).collect();
        let known = if names.is_empty() { "the stages have none".to_owned() } else { names.join(", ") };
        Some(format!("The label {LIFECYCLE} names no lifecycle: {chosen:?}. Known lifecycles: {known}"))
    }

    /// Returns true if any pods need the scheduler.
    pub(crate) fn schedules(&self) -> bool {
        self.lifecycles.iter().any(Lifecycle::schedules)
    }
}

impl Lifecycle {
    /// Returns the lifecycle of all pods that no other lifecycle selects.
    fn everything(
        run: impl Into<Arc<[Stage]>>,
        init: impl Into<Arc<[Stage]>>,
        delete: impl Into<Arc<[Stage]>>,
    ) -> Self {
        let (name, selectors) = (String::new(), Vec::new());
        Self { name, selectors, run: run.into(), init: init.into(), delete: delete.into() }
    }

    /// Returns true if the stages let the scheduler choose the node.
    pub(crate) fn schedules(&self) -> bool {
        fn any(stages: &[Stage]) -> bool {
            stages.iter().any(|stage| match &stage.action {
                StageAction::Bind(binding) => *binding == Binding::Scheduled,
                StageAction::Steps(stages) | StageAction::Repeat(stages, _) => any(stages),
                _ => false,
            })
        }
        any(&self.run)
    }
}
