//! GET of a pod's `log` (`kubectl logs`). No container really runs: the simulated kubelet moves
//! containers through stages. The stages write the lines of the log, and the kubelet keeps the lines in [`Logs`]. A log belongs to one run of a container, from its start to
//! its end; each restart begins a new run.

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::Body;
use futures::stream;
use http::StatusCode;
use jiff::Timestamp;
use tokio::sync::watch;

use super::container;
use super::log_options::LogOptions;
use crate::http::answer::Answer;
use crate::http::status::ApiError;
use crate::store::Store;
use crate::store::object::{Key, Object, Opened};
use crate::verbs::watcher::Changes;
use crate::verbs::{Call, key};
use kube_controllers::nodes::logs::{Line, Logs};
use kube_machinery::kinds::PODS;
use kube_machinery::value::Value;

/// Returns the lines so far and, with `follow` but without `previous`, the new ones until the container ends.
pub(crate) fn get(call: Call, logs: Arc<Logs>) -> Result<Answer, ApiError> {
    let Call { store, target, query, .. } = call;
    let key = key(&target)?;
    let options = LogOptions::parse(&query, key.name(), store.clock.time())?;
    let pod = store.get(PODS, &key).ok_or_else(|| ApiError::not_found(PODS, key.name()))?.open()?;
    let container = container::choose(&pod, &options.container)?;
    if pod.text("/spec/nodeName").unwrap_or_default().is_empty() {
        return Ok(Answer::log(StatusCode::NO_CONTENT, Body::empty())); // the pod has no node yet, so it has no log
    }
    let run = Run::find(&pod, &container, options.previous).map_err(ApiError::bad_request)?;
    let written = logs.changes(&run.uid);
    let reader = Reader { store, logs, key, options, run, written, sent: 0, remaining: None, has_ended: false };
    Ok(Answer::log(StatusCode::OK, reader.body()))
}

/// A run of a container, whose log is asked for.
struct Run {
    uid: String,
    container: String,
    /// The number of restarts before this run.
    number: u64,
    /// The lines that the log begins with, which no container has written.
    first: Vec<Line>,
}

impl Run {
    /// Returns the run whose log is asked for, or the error if there is none. Upstream: `validateContainerLogStatus` in
    /// `pkg/kubelet`.
    fn find(pod: &Opened, container: &str, previous: bool) -> Result<Self, String> {
        let pod_name = pod.key.name();
        let status = status_of(pod, container)
            .ok_or_else(|| format!("container {container:?} in pod {pod_name:?} is not available"))?;
        let (state, last) = (&status["state"], &status["lastState"]["terminated"]);
        let restarts = status["restartCount"].as_u64().unwrap_or_default();
        // The run that `lastState` describes. While the container waits for a restart, `restartCount` is the number of
        // that run; otherwise that run has the number before it.
        let previous_run = restarts.saturating_sub(u64::from(state["waiting"].is_null()));
        let run = |number: u64, state: &Value| Self {
            uid: pod.summary.uid().to_owned(),
            container: container.to_owned(),
            number,
            first: introduction(pod, container, number, state),
        };
        let waits = |why: &str| Err(format!("container {container:?} in pod {pod_name:?} is waiting to start{why}"));
        if previous {
            return match last.is_object() {
                true => Ok(run(previous_run, last)),
                false => Err(format!("previous terminated container {container:?} in pod {pod_name:?} not found")),
            };
        }
        match state["waiting"]["reason"].as_str() {
            _ if state["running"].is_object() => Ok(run(restarts, &state["running"])),
            _ if state["terminated"].is_object() => Ok(run(restarts, &state["terminated"])),
            _ if last.is_object() => Ok(run(previous_run, last)),
            Some("ErrImagePull") => waits(": image can't be pulled"),
            Some("ImagePullBackOff") => waits(": trying and failing to pull image"),
            Some(reason) => waits(&format!(": {reason}")),
            None => waits(" - no logs yet"),
        }
    }

    /// Returns true if this run of the container is still running.
    fn is_running(&self, pod: Option<&Arc<Object>>) -> bool {
        let Some(Ok(pod)) = pod.filter(|pod| pod.summary.uid() == self.uid).map(Object::open) else { return false };
        status_of(&pod, &self.container).is_some_and(|status| {
            status["state"]["running"].is_object() && status["restartCount"].as_u64().unwrap_or_default() == self.number
        })
    }
}

fn status_of<'a>(pod: &'a Opened, container: &str) -> Option<&'a Value> {
    let lists = ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"];
    let mut statuses = lists.iter().flat_map(|list| pod.value["status"][list].as_array().into_iter().flatten());
    statuses.find(|status| status["name"] == container)
}

/// Returns the first lines of a log, which say that the container is simulated.
fn introduction(pod: &Opened, container: &str, run: u64, state: &Value) -> Vec<Line> {
    let time: Timestamp =
        state["startedAt"].as_str().and_then(|time| time.parse().ok()).unwrap_or(Timestamp::UNIX_EPOCH);
    let lists = ["containers", "initContainers", "ephemeralContainers"];
    let mut specs = lists.iter().flat_map(|list| pod.value["spec"][list].as_array().into_iter().flatten());
    let spec = specs.find(|spec| spec["name"] == container).cloned().unwrap_or_default();
    let words: Vec<&str> = ["command", "args"]
        .iter()
        .flat_map(|field| spec[field].as_array().into_iter().flatten())
        .filter_map(Value::as_str)
        .collect();
    let command = if words.is_empty() { "that of its image".to_owned() } else { words.join(" ") };
    let image = spec["image"].as_str().unwrap_or_default();
    [
        format!("container {container} of pod {} is not real: nothing runs in the cluster of informer-lab", pod.key),
        format!("image {image}, command {command}, restarts {run}, started at {time}"),
    ]
    .map(|text| Line { number: 0, run, time, text })
    .to_vec()
}

/// The response body: the log of one run.
struct Reader {
    store: Arc<Store>,
    logs: Arc<Logs>,
    key: Key,
    options: LogOptions,
    run: Run,
    /// Notified about every new line of the pod.
    written: watch::Receiver<()>,
    /// The number of the last line that was sent.
    sent: u64,
    /// The number of bytes that may still be sent; `None` without a limit.
    remaining: Option<usize>,
    /// True if the container has ended or the server stops, so no line will follow.
    has_ended: bool,
}

impl Reader {
    /// Returns the lines so far as a body and, with `follow`, the later ones as a stream.
    fn body(mut self) -> Body {
        self.remaining = self.options.limit;
        let mut first = self.run.first.clone();
        first.extend(self.lines());
        self.sent = first.iter().map(|line| line.number).max().unwrap_or_default();
        let first = self.options.select(first);
        let text = self.text_of(&first);
        if !self.options.follow || self.options.previous {
            return Body::from(text);
        }
        let beginning = (!text.is_empty()).then_some(text);
        Body::from_stream(stream::unfold((self, beginning), |(mut reader, beginning)| async move {
            let text = match beginning {
                Some(text) => text,
                None => reader.next().await?,
            };
            Some((Ok::<_, Infallible>(text), (reader, None)))
        }))
    }

    /// Waits for new lines, and returns them as text; `None` at the end of the body.
    async fn next(&mut self) -> Option<String> {
        loop {
            if self.has_ended || self.remaining == Some(0) {
                return None;
            }
            // The order matters: subscribe before checking the container, so that its end is not missed, and read the
            // lines last, so that no line before the end is missed.
            let mut changes = Changes::of(&self.store, PODS, &self.key).ok()?;
            self.has_ended = !self.run.is_running(self.store.get(PODS, &self.key).as_ref()) || self.store.lock().closed;
            let new = self.lines();
            if let Some(last) = new.last() {
                self.sent = last.number;
                return Some(self.text_of(&new));
            }
            if !self.has_ended {
                tokio::select! {
                    _ = self.written.changed() => {}
                    () = changes.next() => {}
                }
            }
        }
    }

    /// Returns the lines that have not been sent yet.
    fn lines(&self) -> Vec<Line> {
        self.logs.lines(&self.run.uid, &self.run.container, self.run.number, self.sent)
    }

    /// Returns the lines as text, up to the limit.
    fn text_of(&mut self, lines: &[Line]) -> String {
        let mut text: String = lines.iter().map(|line| self.options.show(line)).collect();
        if let Some(remaining) = &mut self.remaining {
            let end = (0..=text.len().min(*remaining)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
            text.truncate(end);
            *remaining -= end;
        }
        text
    }
}
