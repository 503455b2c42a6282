//! Reads stages from YAML: the types that are deserialized, and their conversion to [`Stages`], which reports mistakes
//! with file and line.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_saphyr::{Location, Spanned};

use super::{
    Binding, ContainerState, Lifecycle, Notice, PodSelector, Stage, StageAction, Stages, Subject, Times, Wait,
};
use kube_machinery::conventions::yaml::{self, FileError};
use kube_machinery::kinds::PODS;
use kube_machinery::kinds::field_selector::Fields;
use kube_machinery::value::Value;
use kube_selectors::LabelSelector;

/// The stages of init containers in a file that has none.
const INIT: &str = include_str!("init.yaml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StagesFile {
    #[serde(default)]
    run: Vec<Spanned<WireStage>>,
    init: Option<Spanned<Vec<Spanned<WireStage>>>>,
    #[serde(default)]
    delete: Vec<Spanned<WireStage>>,
    #[serde(default)]
    lifecycles: Vec<Spanned<WireLifecycle>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireLifecycle {
    name: String,
    r#for: Vec<Spanned<WireSelector>>,
    run: Option<Vec<Spanned<WireStage>>>,
    init: Option<Spanned<Vec<Spanned<WireStage>>>>,
    delete: Option<Vec<Spanned<WireStage>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireSelector {
    labels: Option<String>,
    annotations: Option<String>,
    fields: Option<String>,
    image: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireStage {
    after: Option<Spanned<String>>,
    #[serde(rename = "doubling-to")]
    doubling_to: Option<Spanned<String>>,
    bind: Option<Value>,
    status: Option<Value>,
    containers: Option<WireContainerState>,
    annotations: Option<BTreeMap<String, Option<String>>>,
    event: Option<WireNotice>,
    log: Option<String>,
    steps: Option<Vec<Spanned<WireStage>>>,
    repeat: Option<Vec<Spanned<WireStage>>>,
    times: Option<u32>,
    remove: Option<bool>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum WireContainerState {
    Waiting(WireWaiting),
    Running(WireRunning),
    Terminated(WireTerminated),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireWaiting {
    reason: String,
    message: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireRunning {
    ready: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct WireTerminated {
    exit_code: i64,
    reason: String,
    message: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireNotice {
    r#type: Option<String>,
    reason: String,
    message: String,
    from: Option<String>,
    of: Option<WireSubject>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum WireSubject {
    Pod,
    Containers,
}

impl StagesFile {
    pub(super) fn stages(self, file: &str) -> Result<Stages, FileError> {
        let init = match self.init {
            Some(init) => init_stages(init, file)?,
            None => stages(yaml::read(INIT, "init.yaml", "the stages of an init container")?, "init.yaml")?,
        };
        let others = Lifecycle::everything(stages(self.run, file)?, init, stages(self.delete, file)?);
        let lifecycles = self.lifecycles.into_iter().map(|lifecycle| self::lifecycle(lifecycle, &others, file));
        Ok(Stages::of(lifecycles.collect::<Result<_, _>>()?, others))
    }
}

/// Converts a lifecycle. If it omits `run`, `init` or `delete`, that part is taken from `others`, the lifecycle of all other
/// pods.
fn lifecycle(wire: Spanned<WireLifecycle>, others: &Lifecycle, file: &str) -> Result<Lifecycle, FileError> {
    let WireLifecycle { name, r#for, run, init, delete } = wire.value;
    if name.is_empty() || r#for.is_empty() {
        let problem = "expected a lifecycle with a name and for: a list of selectors";
        return Err(FileError::at(file, wire.referenced, problem));
    }
    let selectors = r#for.into_iter().map(|selector| self::selector(selector, file)).collect::<Result<_, _>>()?;
    let own = |steps: Option<_>, default: &Arc<[Stage]>| match steps {
        Some(steps) => stages(steps, file).map(Arc::from),
        None => Ok(default.clone()),
    };
    let init = init.map_or_else(|| Ok(others.init.clone()), |init| init_stages(init, file).map(Arc::from))?;
    Ok(Lifecycle { name, selectors, run: own(run, &others.run)?, init, delete: own(delete, &others.delete)? })
}

fn selector(wire: Spanned<WireSelector>, file: &str) -> Result<PodSelector, FileError> {
    let problem = |problem: String| FileError::at(file, wire.referenced, problem);
    let WireSelector { labels, annotations, fields, image } = &wire.value;
    if labels.is_none() && annotations.is_none() && fields.is_none() && image.is_none() {
        return Err(problem("expected a selector with labels, annotations, fields or image".into()));
    }
    let read = |text: &Option<String>| {
        let text = text.as_deref().unwrap_or_default();
        text.parse::<LabelSelector>().map_err(|error| problem(format!("{error}")))
    };
    let fields = Fields::parse(fields.as_deref().unwrap_or_default(), PODS).map_err(problem)?;
    Ok(PodSelector { labels: read(labels)?, annotations: read(annotations)?, fields, image: image.clone() })
}

/// Converts the steps of an init container. If no step ended it, its pod would never come to the regular containers.
fn init_stages(steps: Spanned<Vec<Spanned<WireStage>>>, file: &str) -> Result<Vec<Stage>, FileError> {
    let at = steps.referenced;
    let stages = stages(steps.value, file)?;
    if !stages.iter().any(Stage::ends_containers) {
        let problem = "expected init to end the container, by a step with containers: terminated, or no init at all";
        return Err(FileError::at(file, at, problem));
    }
    Ok(stages)
}

fn stages(steps: Vec<Spanned<WireStage>>, file: &str) -> Result<Vec<Stage>, FileError> {
    steps.into_iter().map(|step| stage(step, file)).collect()
}

fn stage(wire: Spanned<WireStage>, file: &str) -> Result<Stage, FileError> {
    let at = wire.referenced;
    let mut wire = wire.value;
    let wait = wait(&wire, at, file)?;
    let problem = |problem: String| FileError::at(file, at, problem);
    if wire.status.as_ref().is_some_and(|status| !status.is_object()) {
        return Err(problem("expected status to be a mapping, such as {phase: Running}".into()));
    }
    let mut actions: Vec<StageAction> = Vec::new();
    if let Some(bind) = wire.bind.take() {
        actions.push(StageAction::Bind(binding(&bind).ok_or_else(|| {
            problem("expected bind to be the name of a node, or true for the one that the scheduler finds".into())
        })?));
    }
    // A `status` beside `containers` belongs to that action, and is no action of its own.
    actions
        .extend(wire.containers.take().map(|change| StageAction::Containers(self::change(change), wire.status.take())));
    actions.extend(wire.status.take().map(StageAction::Status));
    actions.extend(wire.annotations.take().map(StageAction::Annotations));
    actions.extend(wire.event.take().map(|event| StageAction::Event(notice(event))));
    actions.extend(wire.log.take().map(StageAction::Log));
    if let Some(steps) = wire.steps.take() {
        actions.push(StageAction::Steps(stages(steps, file)?));
    }
    let times = wire.times.map_or(Times::Forever, Times::Only);
    if let Some(steps) = wire.repeat.take() {
        let steps = stages(steps, file)?;
        if times == Times::Forever && !waits(&steps) {
            return Err(problem("expected a repetition without times to wait somewhere, such as after: 1s".into()));
        }
        actions.push(StageAction::Repeat(steps, times));
    } else if wire.times.is_some() {
        return Err(problem("expected times only beside repeat".into()));
    }
    match wire.remove {
        Some(true) => actions.push(StageAction::Remove),
        Some(false) => return Err(problem("expected remove: true, or no remove at all".into())),
        None => {}
    }
    let found = actions.len();
    match (actions.pop(), found) {
        (Some(action), 1) => Ok(Stage { wait, action }),
        _ => Err(problem(format!(
            "expected a step with exactly one of bind, status, containers, annotations, event, log, steps, repeat and \
             remove, found {found}"
        ))),
    }
}

fn wait(wire: &WireStage, at: Location, file: &str) -> Result<Wait, FileError> {
    let read = |text: &Option<Spanned<String>>| text.as_ref().map(|text| yaml::duration(text, file)).transpose();
    let (first, doubling_to) = (read(&wire.after)?.unwrap_or_default(), read(&wire.doubling_to)?);
    match doubling_to {
        Some(most) if most < first || first.is_zero() => {
            Err(FileError::at(file, at, "expected doubling-to beside a shorter after that is not zero"))
        }
        _ => Ok(Wait { first, doubling_to }),
    }
}

/// Returns true if the steps take time.
fn waits(steps: &[Stage]) -> bool {
    steps.iter().any(|step| {
        let inside = match &step.action {
            StageAction::Repeat(_, Times::Only(0)) => false,
            StageAction::Steps(steps) | StageAction::Repeat(steps, _) => waits(steps),
            _ => false,
        };
        step.wait.first > Duration::ZERO || inside
    })
}

fn binding(bind: &Value) -> Option<Binding> {
    match bind {
        Value::Bool(true) => Some(Binding::Scheduled),
        Value::String(node) if !node.is_empty() => Some(Binding::Node(node.clone().into())),
        _ => None,
    }
}

fn change(wire: WireContainerState) -> ContainerState {
    match wire {
        WireContainerState::Waiting(WireWaiting { reason, message }) => ContainerState::Waiting { reason, message },
        WireContainerState::Running(WireRunning { ready }) => ContainerState::Running { ready: ready.unwrap_or(true) },
        WireContainerState::Terminated(WireTerminated { exit_code, reason, message }) => {
            ContainerState::Terminated { exit_code, reason, message }
        }
    }
}

fn notice(wire: WireNotice) -> Notice {
    // A message about one container needs an Event for each container.
    let speaks_of_containers = ["$container", "$image"].iter().any(|name| wire.message.contains(name));
    let of = match wire.of {
        Some(WireSubject::Containers) => Subject::Containers,
        None if speaks_of_containers => Subject::Containers,
        Some(WireSubject::Pod) | None => Subject::Pod,
    };
    Notice {
        kind: wire.r#type.unwrap_or_else(|| "Normal".to_owned()),
        reason: wire.reason,
        message: wire.message,
        from: wire.from.unwrap_or_else(|| "kubelet".to_owned()),
        of,
    }
}
