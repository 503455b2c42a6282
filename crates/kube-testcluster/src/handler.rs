//! Handles a request for a resource, from its path to its response, in the order of upstream's checks: find the target
//! and the action, negotiate the form, reserve memory for the answer, run the action, wait for the disk, convert the
//! answer, encode it and compress it.

use std::sync::Arc;

use axum::extract::Request;
use axum::response::Response;
use http::Method;

use crate::action::Action;
use crate::dispatcher::{self, NotAllowed};
use crate::faults::{TargetKind, Verb};
use crate::http::answer::{Answer, Content};
use crate::http::compression::{AcceptedEncoding, compress};
use crate::http::cut_watch::with_cuts;
use crate::http::deadline::{self, LongRunning, finish};
use crate::http::faults;
use crate::http::heavy::{HeavyLimit, SocketThreads, Weight};
use crate::http::negotiation::{Accept, Offers, accept_header, is_pretty};
use crate::http::query::Query;
use crate::http::represent::{Representation, refused_in};
use crate::http::request_info::{self, NoTarget, Target};
use crate::http::response::{broken_request, no_such_path};
use crate::http::response_budget::{OverBudget, Reservation, ResponseBudget, length, too_many_requests};
use crate::http::status::ApiError;
use crate::http::table::IncludeObject;
use crate::store::{Requester, Store};
use crate::verbs::conversion::{self, Conversion};
use crate::verbs::{self, Call};
use kube_controllers::nodes::logs::Logs;
use kube_machinery::kinds::Subresource;

/// The limits that all requests share.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    /// Limits the memory of the responses that wait for their clients.
    pub(crate) budget: Arc<ResponseBudget>,
    /// Limits how many requests do heavy work at a time, so that it does not hold up the other requests.
    pub(crate) heavy: HeavyLimit,
}

/// A request that upstream's router accepts.
struct Routed {
    target: Target,
    action: Action,
    accepted: AcceptedEncoding,
    representation: Representation,
    /// The verb that faults apply to; `None` if they do not apply, as for the cluster's own requests.
    verb: Option<Verb>,
    requester: Requester,
    is_write: bool,
    is_long_running: bool,
    /// True if the request may change the kinds that are served.
    changes_kinds: bool,
}

pub(crate) async fn handle(store: Arc<Store>, logs: Arc<Logs>, limits: &Limits, request: Request) -> Response {
    let query = Query::parse(request.uri());
    let routed = match route(&store, &request, &query) {
        Ok(routed) => routed,
        Err(response) => return *response,
    };
    // Only a request over a socket has this extension, because only such a request may do heavy work on another thread.
    let threads = request.extensions().get::<SocketThreads>().copied();
    // The cluster's own requests are not limited: its components must work even while slow clients fill the budget.
    let is_client = routed.requester == Requester::Client;
    let cost = if is_client && routed.is_write { verbs::cost::of_write(&store, &routed.target, &request) } else { 0 };
    let mut reservation = match is_client.then(|| limits.budget.reserve(cost)).transpose() {
        Ok(reservation) => reservation,
        Err(OverBudget) => return too_many_requests(),
    };
    let conversion = Conversion::from(&routed.target);
    let call = Call { store: store.clone(), target: routed.target.clone(), query, request };
    let answer = limits.heavy.run(Weight::of(threads, cost), run(&routed, &logs, call)).await;
    // The answer is counted before its conversion, because during the conversion both of its forms are in memory.
    if resize(limits, reservation.as_mut(), &routed, answer.is_success(), answer.length()).is_err() {
        return too_many_requests();
    }
    let is_watch_of_client = routed.verb.is_some() && answer.is_watch();
    // Each event of a watch makes a reservation of its own.
    let budget = is_watch_of_client.then(|| limits.budget.clone());
    let weight = Weight::of(threads, answer.length());
    let representation = &routed.representation;
    let encoded = async { representation.respond(conversion::answer(&store, &conversion, answer).await, budget) };
    let mut response = limits.heavy.run(weight, encoded).await;
    if routed.is_long_running {
        response.extensions_mut().insert(LongRunning);
    }
    if is_watch_of_client {
        // The fault `cut-watches` may break the stream.
        return with_cuts(store, routed.target.served, response);
    }
    match resize(limits, reservation.as_mut(), &routed, response.status().is_success(), length(&response)) {
        Ok(()) => compress(routed.accepted, reservation.unwrap_or_default().until_read(response)),
        Err(OverBudget) => too_many_requests(),
    }
}

/// Finds the target, the action and the form of a request, or returns the response that refuses it.
fn route(store: &Store, request: &Request, query: &Query) -> Result<Routed, Box<Response>> {
    let (headers, path) = (request.headers(), request.uri().path());
    let header = accept_header(headers);
    let accept = Accept::parse(&header);
    let errors = accept.form_of_errors();
    let refuse = |error| Box::new(refused_in(errors, headers, query, error));
    let parsed = request_info::parse(path, &store.catalog());
    if let Some(problem) = timeout_problem(&parsed, path, query) {
        return Err(refuse(ApiError::bad_request(problem)));
    }
    let target = parsed.map_err(|why| match why {
        NoTarget::NoSuchPath => Box::new(no_such_path()),
        NoTarget::BadEscape => Box::new(broken_request()),
        NoTarget::NoSuchResource => refuse(ApiError::unknown_resource()),
        NoTarget::NoSuchSubresource(resource, name) => {
            let refused = refuse(ApiError::not_found(&resource, &name));
            dispatcher::with_early_warning(&resource, refused)
        }
    })?;
    let refuse = |error| dispatcher::with_early_warning(&target.served, refuse(error));
    let method = dispatcher::method(request.method(), &target.served);
    let managed_fields = store.settings.managed_fields;
    let action = Action::of(&method, &target).ok_or_else(|| {
        match dispatcher::not_allowed(&method, &target, headers, managed_fields) {
            NotAllowed::NoSuchPath => Box::new(no_such_path()),
            NotAllowed::Refused(error) => refuse(error),
        }
    })?;
    action.check(headers, &target, managed_fields).map_err(refuse)?;
    let offers = if target.name.is_none() && method == Method::GET { Offers::Streams } else { Offers::Objects };
    dispatcher::check_accept(&target.served, &accept, offers).map_err(refuse)?;
    let refuse = |error| dispatcher::with_warning(&target.served, Box::new(refused_in(errors, headers, query, error)));
    let representation = Representation {
        form: accept.form(&target).map_err(refuse)?,
        errors,
        resource: target.served.clone(),
        subresource: target.subresource,
        include: IncludeObject::read(query.get("includeObject").unwrap_or_default()),
        pretty: is_pretty(headers, query),
        clock: store.clock,
    };
    let requester = Requester::of(request.extensions());
    let is_long_running = is_long_running(&target, query);
    Ok(Routed {
        action,
        accepted: AcceptedEncoding::of(headers),
        representation,
        verb: Verb::of(&method, target_kind(&target, query)).filter(|_| requester == Requester::Client),
        requester,
        is_write: method != Method::GET && !is_long_running,
        is_long_running,
        changes_kinds: target.resource.defines_kinds() && method != Method::GET,
        target,
    })
}

/// Runs the action, and waits until the writes that the answer may show are on the disk.
async fn run(routed: &Routed, logs: &Arc<Logs>, call: Call) -> Answer {
    let store = call.store.clone();
    let timeout = call.query.get("timeout").map(ToOwned::to_owned);
    let acted = async {
        if let Some(verb) = routed.verb {
            faults::apply(&store.faults, &routed.target.resource, verb).await?;
        }
        let acted = routed.action.run(logs, call);
        if routed.is_write { finish(timeout.as_deref(), acted).await } else { acted.await }
    };
    let mut answer = Answer::from(acted.await);
    // The deletion of a collection may have removed some objects before it failed.
    let may_have_written = answer.is_success() || routed.action == Action::DeleteCollection;
    if routed.changes_kinds && may_have_written {
        store.refresh_definitions(routed.target.name.as_deref()).await;
    }
    if let Err(why) = store.flushed().await {
        answer = Answer::from(ApiError::internal(why.as_ref()));
    }
    if let Content::Error(error) = &mut answer.content {
        error.name_as_requested(&routed.target);
    }
    answer.with_warnings(routed.target.served.warning().map(ToOwned::to_owned))
}

/// Changes the reservation of an answer to its length. A write that has succeeded keeps its answer and its reservation
/// even if the budget is too small for the length: without an answer, the client would repeat the write.
fn resize(
    limits: &Limits,
    reservation: Option<&mut Reservation>,
    routed: &Routed,
    is_success: bool,
    length: u64,
) -> Result<(), OverBudget> {
    let Some(reservation) = reservation else { return Ok(()) };
    match limits.budget.resize(reservation, length) {
        Err(OverBudget) if routed.is_write && is_success => Ok(()),
        resized => resized,
    }
}

/// Returns the error for a malformed timeout. Upstream's filter checks it before the path is resolved.
fn timeout_problem(parsed: &Result<Target, NoTarget>, path: &str, query: &Query) -> Option<String> {
    let is_long_running = match parsed {
        Ok(target) => is_long_running(target, query),
        // Upstream refuses such a path before any filter, so the timeout is not checked.
        Err(NoTarget::BadEscape) => true,
        Err(_) => request_info::would_stream(path, query.flag("watch").unwrap_or_default()),
    };
    query.get("timeout").filter(|_| !is_long_running).and_then(deadline::timeout_problem)
}

/// Returns true if the request has no time limit. Upstream: `BasicLongRunningRequestCheck`.
fn is_long_running(target: &Target, query: &Query) -> bool {
    let streams =
        [Subresource::Log, Subresource::Exec, Subresource::Attach, Subresource::PortForward].map(Option::Some);
    target_kind(target, query) == TargetKind::Events || streams.contains(&target.subresource)
}

/// Returns the kind of the request's target, which decides the verb.
fn target_kind(target: &Target, query: &Query) -> TargetKind {
    match &target.name {
        _ if target.watch => TargetKind::Events,
        Some(_) => TargetKind::Object,
        None if query.flag("watch").unwrap_or_default() => TargetKind::Events,
        None => TargetKind::Collection,
    }
}
