//! GET of ComponentStatus (`kubectl get componentstatuses`): the health of the cluster's components. Nothing is stored:
//! the objects are computed for each request. Upstream: `pkg/registry/core/componentstatus`, and
//! `componentStatusStorage` in `pkg/registry/core/rest`.

use std::borrow::Cow;

use http::StatusCode;

use super::Call;
use super::list::Selectors;
use super::list_options::ListOptions;
use crate::http::answer::Answer;
use crate::http::status::ApiError;
use crate::settings::{Controllers, Kubelets, Settings};
use kube_machinery::kinds::field_selector::Selectable;
use kube_machinery::value::{Value, json};

/// A component, with its problem if it is not healthy.
struct ProbedComponent {
    name: &'static str,
    problem: Option<String>,
}

pub(crate) fn get_or_list(call: &Call) -> Result<Answer, ApiError> {
    let Call { store, target, query, .. } = call;
    let components = components(&store.settings);
    let api_version = target.served.api_version();
    if let Some(name) = &target.name {
        let found = components.iter().find(|component| component.name == name);
        // As upstream, this has code 500, not 404.
        let found = found.ok_or_else(|| ApiError::internal(format!("Component not found: {name}")))?;
        let mut component = found.status();
        component["kind"] = target.served.kind().into();
        component["apiVersion"] = api_version.into();
        return Ok(Answer::value(StatusCode::OK, component));
    }
    let options = ListOptions::parse(query)?;
    let selectors = Selectors::parse(&options)?;
    options.validate(store.settings.streams_lists())?;
    let filter = selectors.filter(&target.served, None)?;
    if options.watch {
        return Err(ApiError::method_not_supported(&target.served, "watch"));
    }
    let is_asked_for =
        |component: &&ProbedComponent| filter.labels.matches_values(|_| None) && filter.fields.matches(*component);
    let items: Vec<Value> = components.iter().filter(is_asked_for).map(ProbedComponent::status).collect();
    let list = json!({"kind": target.served.list_kind(), "apiVersion": api_version, "metadata": {}, "items": items});
    Ok(Answer::value(StatusCode::OK, list))
}

/// Returns the components. Upstream probes each at its port, so a component that this cluster does not run gets the
/// error of a closed port.
fn components(settings: &Settings) -> [ProbedComponent; 3] {
    let at = |name, port, runs: bool| {
        let refused = format!("dial tcp 127.0.0.1:{port}: connect: connection refused");
        let problem = format!("Get \"https://127.0.0.1:{port}/healthz\": {refused}");
        ProbedComponent { name, problem: Some(problem).filter(|_| !runs) }
    };
    [
        at("controller-manager", 10257, settings.controllers != Controllers::None),
        ProbedComponent { name: "etcd-0", problem: None },
        at("scheduler", 10259, settings.kubelets == Kubelets::Run),
    ]
}

impl ProbedComponent {
    fn status(&self) -> Value {
        let healthy = if self.problem.is_none() { "True" } else { "False" };
        let message = self.problem.as_deref().unwrap_or("ok");
        let condition = json!({"type": "Healthy", "status": healthy, "message": message});
        json!({"metadata": {"name": self.name}, "conditions": [condition]})
    }
}

impl Selectable for ProbedComponent {
    fn name(&self) -> &str {
        self.name
    }

    fn namespace(&self) -> Option<&str> {
        None
    }

    fn field(&self, _: usize) -> Option<Cow<'_, str>> {
        None
    }
}
