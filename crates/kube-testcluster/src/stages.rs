//! What the kubelet does to pods.

mod named;
mod selector;
mod wire;

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;

use super::yaml::{self, FileError};
pub(crate) use selector::PodSelector;
use wire::StagesFile;

/// The steps of the kubelet, each some time after the one before, read from YAML:
///
/// ```yaml
/// run:                     # of every pod that is bound to no node
/// - {after: 150ms, bind: node-1}
/// - {after: 150ms, status: {phase: Running, startTime: $now}}
/// delete:                  # of every pod that is being deleted
/// - {after: 150ms, annotations: {example.com/address: null}}
/// - {after: 150ms, remove: true}
/// lifecycles:              # of the pods that one of these selects, the first that does
/// - name: crash-loop
///   for: [{labels: lab/lifecycle=crash-loop}]
///   run:
///   - {bind: true}
///   - repeat:
///     - {after: 2s, containers: {running: {}}}
///     - {after: 5s, containers: {terminated: {exitCode: 1, reason: Error}}}
/// ```
///
/// A step waits (`after`, by default not at all; `doubling-to` doubles the wait each time round a `repeat`, up to this) and
/// then does one thing:
///
/// - `bind` gives the pod a node: the one that is named or, with `true`, the one that the scheduler finds. A pod that names
///   its node itself is run, too, where the lifecycle has `bind: true`.
/// - `status` is a merge patch of the pod's status, `annotations` one of its annotations.
/// - `containers` is what the container runtime tells of all containers: `waiting: {reason, message}`, `running: {ready}` or
///   `terminated: {exitCode, reason, message}`. Phase, conditions, restart counts and the rest of the status follow from it
///   as on a real node. A `status` beside it is merged into what follows.
/// - `event` writes an Event about the pod: `{reason, message, type, from}`; for each container one, if its message or its
///   `of` speaks of containers.
/// - `log` appends a line to the log of each container.
/// - `steps` does more steps (`steps: []` only waits), `repeat` does steps for ever, or `times` times.
/// - `remove: true` deletes the pod for good.
///
/// In every text `$now` becomes the time, `$podIP` and `$hostIP` the addresses of the pod and its node, `$pod`, `$namespace`,
/// `$uid` and `$node` what they say, `$backoff` the wait with a `doubling-to` in this round; beside `containers`, `event` and
/// `log`, `$container` and `$image` are those of the container. In `containerStatuses`, an entry named `"*"` stands for every
/// container of the pod.
#[derive(Clone, Debug, PartialEq)]
pub struct Stages {
    /// The last one is for every pod.
    lifecycles: Vec<Lifecycle>,
}

/// What some pods go through.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Lifecycle {
    /// Empty for the one of all other pods.
    pub(crate) name: String,
    /// A pod is meant if one of these selects it.
    pub(crate) selectors: Vec<PodSelector>,
    pub(crate) run: Vec<Stage>,
    pub(crate) delete: Vec<Stage>,
}

/// One step: a wait, then one action.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stage {
    pub(crate) wait: Wait,
    pub(crate) action: StageAction,
}

/// How long a step waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wait {
    pub(crate) first: Duration,
    /// Up to where it doubles in each round; none if it does not.
    pub(crate) doubling_to: Option<Duration>,
}

/// What a step does.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum StageAction {
    /// Binds the pod to a node.
    Bind(Binding),
    /// Merges this into the pod's status.
    Status(Value),
    /// Tells what became of the containers, and merges something more into the status.
    Containers(Change, Option<Value>),
    /// Sets annotations, or takes those away that have no value.
    Annotations(BTreeMap<String, Option<String>>),
    /// Writes an Event.
    Event(Notice),
    /// Appends a line to the containers' logs.
    Log(String),
    /// Does steps.
    Steps(Vec<Stage>),
    /// Does steps over and over.
    Repeat(Vec<Stage>, Times),
    /// Deletes the pod for good: grace period 0, and only the pod with this uid.
    Remove,
}

/// Which node a pod gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Binding {
    Node(String),
    /// The one that the scheduler finds.
    Scheduled,
}

/// How often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Times {
    Only(u32),
    Forever,
}

/// What became of a pod's containers, as a container runtime tells it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Change {
    /// They do not run yet, or not at present, and this is why.
    Waiting { reason: String, message: Option<String> },
    /// They run. What does not pass its readiness probe is not ready.
    Running { ready: bool },
    /// Those that ran have ended.
    Terminated { exit_code: i64, reason: String, message: Option<String> },
}

/// An Event to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Notice {
    pub(crate) kind: String,
    pub(crate) reason: String,
    pub(crate) message: String,
    pub(crate) from: String,
    pub(crate) of: Subject,
}

/// What an Event is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    Pod,
    /// Each container has its own.
    Containers,
}

/// The wait that doubles, as long as it is in a round.
pub(crate) fn backoff(stages: &[Stage], round: u32) -> Option<Duration> {
    stages.iter().find_map(|stage| match &stage.action {
        _ if stage.wait.doubling_to.is_some() => Some(stage.wait.in_round(round)),
        StageAction::Steps(stages) => backoff(stages, round),
        _ => None,
    })
}

impl Wait {
    /// How long in the n-th round, counted from 0.
    pub(crate) fn in_round(self, round: u32) -> Duration {
        match self.doubling_to {
            None => self.first,
            Some(most) => self.first.saturating_mul(2_u32.saturating_pow(round)).min(most),
        }
    }
}

impl Default for Stages {
    /// A pod is bound, its container is created, the network says its address, it runs; on deletion the container ends, the
    /// address goes, and the pod is removed. Each step comes 150 ms after the one before.
    fn default() -> Self {
        const DEFAULT: &str = include_str!("../../../fixtures/stages/default.yaml");
        Self::from_yaml(DEFAULT, "default.yaml").expect("the embedded stages are tested")
    }
}

impl Stages {
    /// A kubelet that does nothing: pods stay as they are.
    pub fn none() -> Self {
        Self::of(Vec::new(), Lifecycle::everything(Vec::new(), Vec::new()))
    }

    /// Reads the stages from YAML; `name` is the file's name for messages.
    ///
    /// # Errors
    /// If the text is not YAML, has an unknown key, a step without exactly one action, a selector or a duration that is none,
    /// or an endless repetition that never waits.
    pub fn from_yaml(text: &str, name: &str) -> Result<Self, FileError> {
        let expected = "the stages of a kubelet: the keys run and delete, each a list of steps, and lifecycles";
        yaml::read::<StagesFile>(text, name, expected)?.stages(name)
    }

    fn of(mut lifecycles: Vec<Lifecycle>, others: Lifecycle) -> Self {
        lifecycles.push(others);
        Self { lifecycles }
    }

    /// What a pod goes through: the first lifecycle that is meant for it. The pod is only made for selectors to look at.
    pub(crate) fn of_pod(&self, pod: impl FnOnce() -> Value) -> &Lifecycle {
        let (others, selective) = self.lifecycles.split_last().expect("the last one is for every pod");
        if selective.is_empty() {
            return others;
        }
        let pod = pod();
        let selects = |lifecycle: &&Lifecycle| lifecycle.selectors.iter().any(|selector| selector.matches(&pod));
        selective.iter().find(selects).unwrap_or(others)
    }

    /// Whether some pods need a scheduler.
    pub(crate) fn schedules(&self) -> bool {
        self.lifecycles.iter().any(Lifecycle::schedules)
    }
}

impl Lifecycle {
    fn everything(run: Vec<Stage>, delete: Vec<Stage>) -> Self {
        Self { name: String::new(), selectors: Vec::new(), run, delete }
    }

    /// Whether the scheduler finds the nodes of these pods.
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
