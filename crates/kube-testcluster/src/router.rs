//! The way of each request through the server. Discovery and health checks have their own routes; a request for a
//! resource goes through [`handle`]: parse the path, find the handler ([`Action`]), negotiate the form, apply faults,
//! run the handler, wait for the disk, convert and compress the response. `auth/access.rs` runs before.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, any, get};
use futures::FutureExt;
use http::{HeaderMap, Method, StatusCode};

use crate::controllers::custom_resource_definition;
use crate::discovery::{self, openapi};
use crate::faults::{TargetKind, Verb};
use crate::healthz;
use crate::http::compression::{AcceptedEncoding, compress};
use crate::http::cut_watch::with_cuts;
use crate::http::deadline::{deadline_problem, finish};
use crate::http::faults;
use crate::http::field_validation::warn;
use crate::http::heavy::{Threads, Turns, Weight};
use crate::http::negotiation::{Form, Offers, View, is_for_people};
use crate::http::query::Query;
use crate::http::represent::{Events, Representation, in_place_of, refused};
use crate::http::request_info::{self, NoTarget, Target};
use crate::http::response_budget::{self, NoRoom, Reservation, ResponseBudget, too_many_requests};
use crate::http::status::{ApiError, broken_request, no_such_path, plain};
use crate::http::table::IncludeObject;
use crate::scenario::admin;
use crate::settings::{Admin, ManagedFields};
use crate::store::Requester;
use crate::store::Store;
use crate::verbs::conversion::{self, Conversion};
use crate::verbs::{self, Call, subresources};
use kube_controllers::nodes::logs::Logs;
use kube_machinery::kinds::{CUSTOM_RESOURCE_DEFINITIONS, Resource, Serving, Subresource};

pub(crate) fn router(store: Arc<Store>, logs: Arc<Logs>, admin: Admin) -> Router {
    let router = match admin {
        Admin::On => admin::routes(),
        Admin::Off => Router::new(),
    };
    let limits =
        Limits { budget: Arc::new(ResponseBudget::new(store.settings.max_waiting_answers)), turns: Turns::new() };
    let count = from_fn_with_state(limits.budget.clone(), response_budget::count);
    let resources =
        move |State(store): State<Arc<Store>>, request: Request| resource(store, logs.clone(), limits.clone(), request);
    router
        .merge(healthz::routes())
        .route("/metrics", any(async || ApiError::nothing_there("this cluster keeps no metrics")))
        .route("/", any(discovery::index))
        .route("/openapi/v2", any(openapi::v2))
        .route("/openapi/v3", any(openapi::index))
        .route("/openapi/v3/{*name}", any(openapi::v3))
        .merge(with_or_without_slash("/version", get(discovery::version)))
        .merge(with_or_without_slash("/api", get(discovery::core_versions)))
        .merge(with_or_without_slash("/apis", get(discovery::groups)))
        .merge(with_or_without_slash("/api/{version}", get(discovery::core_resources)))
        .merge(with_or_without_slash("/apis/{group}", get(discovery::group)))
        .merge(with_or_without_slash("/apis/{group}/{version}", get(discovery::group_resources)))
        .method_not_allowed_fallback(|| async { ApiError::method_not_allowed() })
        .fallback(resources)
        .layer(count)
        .with_state(store)
}

/// Serves a path also with a slash at its end, as upstream.
fn with_or_without_slash(path: &str, handler: MethodRouter<Arc<Store>>) -> Router<Arc<Store>> {
    // Upstream does not list the allowed methods of a path, as a router of axum would.
    let not_allowed = async |request: Request| {
        refused(request.headers(), &Query::parse(request.uri()), ApiError::method_not_allowed())
    };
    let handler = any(not_allowed).merge(handler);
    Router::new().route(path, handler.clone()).route(&format!("{path}/"), handler)
}

/// The limits that all requests share.
#[derive(Clone, Debug)]
struct Limits {
    budget: Arc<ResponseBudget>,
    turns: Turns,
}

/// Handles a request for a resource. If the handler panics, the client gets a response, and the server continues.
/// Upstream: `WithPanicRecovery`.
async fn resource(store: Arc<Store>, logs: Arc<Logs>, limits: Limits, request: Request) -> Response {
    let (method, uri) = (request.method().clone(), request.uri().clone());
    AssertUnwindSafe(handle(store, logs, &limits, request)).catch_unwind().await.unwrap_or_else(|_| {
        tracing::error!(%method, path = uri.path(), "a request caused a panic");
        let text = "This request caused apiserver to panic. Look in the logs for details.\n";
        plain(StatusCode::INTERNAL_SERVER_ERROR, text)
    })
}

/// Checks that the client accepts an encoding that upstream's router knows. Requests for custom resources do not pass
/// that router.
fn check_route(target: &Target, headers: &HeaderMap, offers: Offers) -> Result<(), ApiError> {
    if target.served.custom.is_some() { Ok(()) } else { Form::check_route(headers, offers) }
}

/// Handles a request for a resource, in the order of the checks that upstream makes.
async fn handle(store: Arc<Store>, logs: Arc<Logs>, limits: &Limits, request: Request) -> Response {
    let query = Query::parse(request.uri());
    let refuse = |error| refused(request.headers(), &query, error);
    let parsed = request_info::parse(request.uri().path(), &store.catalog());
    if let Some(problem) = timeout_problem(&parsed, request.uri().path(), &query) {
        return refuse(ApiError::bad_request(problem));
    }
    let target = match parsed {
        Ok(target) => target,
        Err(NoTarget::NoSuchPath) => return no_such_path(),
        Err(NoTarget::BadEscape) => return broken_request(),
        Err(NoTarget::NoSuchResource) => return refuse(ApiError::unknown_resource()),
        Err(NoTarget::NoSuchSubresource(resource, name)) => {
            return warned_early(&resource, refuse(ApiError::not_found(&resource, &name)));
        }
    };
    let method = match request.method() {
        // Upstream treats HEAD on custom resources as a GET without a body. For other kinds, its router does not know
        // HEAD.
        &Method::HEAD if target.served.custom.is_some() => Method::GET,
        method => method.clone(),
    };
    let Some(action) = Action::of(&method, &target) else {
        // Upstream's handler of custom resources delegates methods that need a namespace to the next handler, which
        // answers `404 page not found`.
        let is_passed_on = target.served.custom.is_some() && target.is_of_all_namespaces();
        return if is_passed_on {
            no_such_path()
        } else {
            warned_early(
                &target.served,
                refuse(no_action(&method, &target, request.headers(), store.settings.managed_fields)),
            )
        };
    };
    let served = target.served.clone();
    let early = &served;
    let refuse = move |error| warned_early(early, refuse(error)); // by value, so that no borrow of the request outlives it
    if let Err(error) = action.check(request.headers(), &target, store.settings.managed_fields) {
        return refuse(error);
    }
    let accepted = AcceptedEncoding::of(request.headers());
    let offers = if target.name.is_none() && method == Method::GET { Offers::Streams } else { Offers::Objects };
    let form =
        check_route(&target, request.headers(), offers).and_then(|()| Form::negotiate(request.headers(), &target));
    let form = match form {
        Ok(form) => form,
        Err(error) => return refuse(error),
    };
    let include = IncludeObject::read(query.get("includeObject").unwrap_or_default());
    let representation = Representation {
        form,
        errors: Form::of_errors(request.headers()),
        resource: served.clone(),
        include: include.clone().unwrap_or_default(),
        pretty: is_for_people(request.headers(), &query),
        clock: store.clock,
    };
    let conversion = Conversion::from(&target);
    let requester = Requester::of(request.extensions());
    let changes_definitions = target.resource == CUSTOM_RESOURCE_DEFINITIONS && method != Method::GET;
    let definition = target.name.clone();
    let verb = Verb::of(&method, target_kind(&target, &query)).filter(|_| requester == Requester::Client);
    let is_write = method != Method::GET && !is_long_running(&target, &query);
    let threads = request.extensions().get::<Threads>().copied();
    let is_client = requester == Requester::Client; // the writes of the cluster itself take no room and no turn
    let cost = if is_client && is_write { verbs::cost::of_write(&store, &target, &request) } else { 0 };
    let counts = is_client.then(|| limits.budget.reserve(cost));
    let mut reservation = match counts.transpose() {
        Ok(reservation) => reservation,
        Err(NoRoom) => return too_many_requests(),
    };
    let answer = async {
        if let Some(verb) = verb {
            faults::apply(&store.faults, &target.resource, verb).await?;
        }
        let timeout = query.get("timeout").map(ToOwned::to_owned);
        let handled = action.run(&logs, Call { store: store.clone(), target, query, request });
        if is_write { finish(timeout.as_deref(), handled).await } else { handled.await }
    };
    let answer = limits.turns.run(Weight::of(threads, cost), answer).await.unwrap_or_else(IntoResponse::into_response);
    // A failed deletion of a collection may have removed some objects before.
    let removes_many = method == Method::DELETE && definition.is_none();
    if changes_definitions && (answer.status().is_success() || removes_many) {
        apply_definitions(&store, definition).await;
    }
    // No response leaves the server before the writes that it may show are on the disk.
    let answer = match store.flushed().await {
        Ok(()) => answer,
        Err(why) => ApiError::internal(why.as_ref()).into_response(),
    };
    // The room for an answer is taken before it is converted, as both forms are in memory then.
    if let Some(reservation) = &mut reservation
        && let Err(NoRoom) = make_room(&limits.budget, reservation, is_write, &answer)
    {
        return too_many_requests();
    }
    let answer = match include {
        Err(error) if matches!(form.view, View::Table(_)) && answer.status().is_success() => {
            in_place_of(answer.headers(), error)
        }
        _ => answer,
    };
    let counts_events = verb.is_some() && answer.extensions().get::<Events>().is_some();
    let answer = if counts_events { limits.budget.count_events(answer) } else { answer };
    let weight = Weight::of(threads, response_budget::length(&answer));
    let converted = async { representation.of(conversion::answer(&store, &conversion, answer).await).await };
    let answer = warned(&served, limits.turns.run(weight, converted).await);
    if counts_events {
        return with_cuts(store, served, answer);
    }
    let Some(mut reservation) = reservation else { return compress(accepted, answer) };
    match make_room(&limits.budget, &mut reservation, is_write, &answer) {
        Ok(()) => compress(accepted, reservation.until_read(answer)),
        Err(NoRoom) => too_many_requests(),
    }
}

/// Changes a reservation to the length of the answer. If there is no room, a write that is done keeps its answer and the
/// reservation that it has.
fn make_room(
    budget: &ResponseBudget,
    reservation: &mut Reservation,
    is_write: bool,
    answer: &Response,
) -> Result<(), NoRoom> {
    match budget.resize(reservation, response_budget::length(answer)) {
        Err(NoRoom) if is_write && answer.status().is_success() => Ok(()),
        resized => resized,
    }
}

/// Returns the error for a malformed timeout. Upstream's filter checks it before the path is resolved.
fn timeout_problem(parsed: &Result<Target, NoTarget>, path: &str, query: &Query) -> Option<String> {
    let is_long_running = match parsed {
        Ok(target) => is_long_running(target, query),
        Err(NoTarget::BadEscape) => true, // upstream refuses it before any filter
        Err(_) => request_info::would_stream(path, query.flag("watch").unwrap_or_default()),
    };
    query.get("timeout").filter(|_| !is_long_running).and_then(deadline_problem)
}

/// Returns the error for a method that the path does not allow. Upstream's handler of custom resources has messages of
/// its own for these, and checks the media type of a patch before the name.
fn no_action(method: &Method, target: &Target, headers: &HeaderMap, managed_fields: ManagedFields) -> ApiError {
    if target.served.custom.is_some() {
        let verb = match *method {
            Method::GET | Method::POST | Method::PUT | Method::PATCH | Method::DELETE if target.watch => Some("watch"),
            Method::POST if target.subresource.is_some() => Some("create"),
            Method::DELETE if target.subresource.is_some() => Some("delete"),
            Method::GET | Method::POST | Method::PUT | Method::PATCH | Method::DELETE => None,
            _ => Some(""),
        };
        if let Some(verb) = verb {
            return ApiError::method_not_supported(&target.served, verb);
        }
    }
    if target.served.custom.is_none() || target.name.is_some() {
        return ApiError::method_not_allowed();
    }
    let nameless = || ApiError::bad_request("name must be provided");
    match *method {
        Method::PUT => nameless(),
        Method::PATCH => {
            verbs::patch::check_media_type(headers, &target.resource, managed_fields).err().unwrap_or_else(nameless)
        }
        _ => ApiError::method_not_allowed(),
    }
}

fn warned(resource: &Resource, answer: Response) -> Response {
    match resource.warning() {
        Some(warning) => warn(answer, &[warning.to_owned()]),
        None => answer,
    }
}

/// Adds the warning to a response of a request that is refused early. Upstream's router, which refuses such requests
/// for built-in kinds, adds none.
fn warned_early(resource: &Resource, answer: Response) -> Response {
    if resource.custom.is_some() { warned(resource, answer) } else { answer }
}

/// Brings CustomResourceDefinitions to the state that a write asks for, before the client gets the response.
async fn apply_definitions(store: &Store, name: Option<String>) {
    match name {
        Some(name) => custom_resource_definition::apply(store, &name).await,
        None => custom_resource_definition::apply_all(store).await,
    }
}

/// Returns true if the request has no time limit. Upstream: `BasicLongRunningRequestCheck`.
fn is_long_running(target: &Target, query: &Query) -> bool {
    let streams =
        [Subresource::Log, Subresource::Exec, Subresource::Attach, Subresource::PortForward].map(Option::Some);
    target_kind(target, query) == TargetKind::Events || streams.contains(&target.subresource)
}

/// Returns what kind of target the request has, which decides its verb.
fn target_kind(target: &Target, query: &Query) -> TargetKind {
    match &target.name {
        _ if target.watch => TargetKind::Events,
        Some(_) => TargetKind::Object,
        None if query.flag("watch").unwrap_or_default() => TargetKind::Events,
        None => TargetKind::Collection,
    }
}

/// Returns true if the subresource is read and written as the whole object, even if a write changes only a part.
fn is_whole(subresource: Option<Subresource>) -> bool {
    use Subresource::{Approval, EphemeralContainers, Resize, Status};
    matches!(subresource, None | Some(Approval | EphemeralContainers | Resize | Status))
}

/// The handler of a request. As in upstream's router, only the path and the method decide it; headers are checked
/// later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Bind,
    Connect,
    Create,
    Delete,
    DeleteCollection,
    Evict,
    Get,
    GetComponents,
    GetScale,
    ListOrWatch,
    Log,
    Patch,
    PatchScale,
    RequestToken,
    Review,
    Update,
    UpdateScale,
}

impl Action {
    /// Returns `None` if the path does not allow the method.
    fn of(method: &Method, target: &Target) -> Option<Self> {
        let all_namespaces = target.is_of_all_namespaces();
        match target.resource.serving {
            Serving::Stored => {}
            Serving::Review => return (method == Method::POST).then_some(Self::Review),
            Serving::Computed => return (method == Method::GET).then_some(Self::GetComponents),
        }
        Some(match (&target.name, target.subresource, method) {
            (_, None, &Method::GET) if target.watch => Self::ListOrWatch,
            _ if target.watch => return None,
            (None, None, &Method::GET) => Self::ListOrWatch,
            (None, None, &Method::POST) if !all_namespaces => Self::Create,
            // Upstream's handler of custom resources checks only the method.
            (Some(_), None, &Method::POST) if target.served.custom.is_some() => Self::Create,
            (None, None, &Method::DELETE)
                if !all_namespaces && target.resource.verbs().contains(&"deletecollection") =>
            {
                Self::DeleteCollection
            }
            (Some(_), subresource, &Method::GET) if is_whole(subresource) => Self::Get,
            (Some(_), Some(Subresource::Finalize), &Method::PUT) => Self::Update,
            (Some(_), subresource, &Method::PUT) if is_whole(subresource) => Self::Update,
            (Some(_), subresource, &Method::PATCH) if is_whole(subresource) => Self::Patch,
            (Some(_), None, &Method::DELETE) => Self::Delete,
            (Some(_), Some(Subresource::Scale), &Method::GET) => Self::GetScale,
            (Some(_), Some(Subresource::Scale), &Method::PUT) => Self::UpdateScale,
            (Some(_), Some(Subresource::Scale), &Method::PATCH) => Self::PatchScale,
            (Some(_), Some(Subresource::Log), &Method::GET) => Self::Log,
            (Some(_), Some(Subresource::Binding), &Method::POST) => Self::Bind,
            (Some(_), Some(Subresource::Eviction), &Method::POST) => Self::Evict,
            (Some(_), Some(Subresource::Token), &Method::POST) => Self::RequestToken,
            (
                Some(_),
                Some(Subresource::Attach | Subresource::Exec | Subresource::PortForward),
                &Method::GET | &Method::POST,
            ) => Self::Connect,
            _ => return None,
        })
    }

    /// Refuses a patch whose media type is not a patch.
    fn check(self, headers: &HeaderMap, target: &Target, managed_fields: ManagedFields) -> Result<(), ApiError> {
        match self {
            Self::Patch | Self::PatchScale => verbs::patch::check_media_type(headers, &target.resource, managed_fields),
            _ => Ok(()),
        }
    }

    async fn run(self, logs: &Arc<Logs>, call: Call) -> Result<Response, ApiError> {
        match self {
            Self::Bind => subresources::binding::bind(call).await,
            Self::Connect => subresources::stream::connect(call).await,
            Self::Create => verbs::create::create(call).await,
            Self::Delete => verbs::delete::delete(call).await,
            Self::DeleteCollection => verbs::delete::delete_collection(call).await,
            Self::Evict => subresources::eviction::evict(call).await,
            Self::Get => verbs::get::get(call).await,
            Self::GetComponents => verbs::component_status::get_or_list(&call),
            Self::GetScale => subresources::scale::get(call).await,
            Self::ListOrWatch => verbs::list::list_or_watch(call).await,
            Self::Log => subresources::log::get(call, logs.clone()),
            Self::Patch => verbs::patch::patch(call).await,
            Self::PatchScale => subresources::scale::patch(call).await,
            Self::RequestToken => subresources::token::request(call).await,
            Self::Review => verbs::review::review(call).await,
            Self::Update => verbs::update::update(call).await,
            Self::UpdateScale => subresources::scale::update(call).await,
        }
    }
}
