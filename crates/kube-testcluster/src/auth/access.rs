//! The middleware that runs before every handler: finds the user of a request, replaces the user by the impersonated
//! one (`kubectl --as`), and refuses requests that the user may not make. On a TLS listener, `authentication.rs` runs
//! before it and has found the user already. Upstream: `WithImpersonation` and `WithAuthorization`, which follow
//! `WithAuthentication`.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{self, Next};
use axum::response::Response;
use http::Extensions;

use super::attributes::{Attributes, verb};
use super::authorization::Authorizer;
use super::bearer_token::bearer_token;
use super::impersonation::{impersonate, wanted_user};
use super::service_account;
use crate::http::flow_control;
use crate::http::query::Query;
use crate::http::represent::refused;
use crate::http::response::without_sniffing;
use crate::http::status::ApiError;
use crate::settings::Authorization;
use crate::store::Store;
use kube_machinery::conventions::user::User;

/// The state of the middleware.
struct Access {
    store: Arc<Store>,
    authorizer: Arc<Authorizer>,
    /// The user of a request without a credential, on a listener without authentication.
    administrator: Arc<User>,
}

/// The user and authorizer of a client's request, for permission checks that need the written object. Requests of the
/// cluster itself have none.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    pub(crate) user: Arc<User>,
    pub(crate) authorizer: Arc<Authorizer>,
    /// The verb of the request, such as `patch`.
    pub(super) verb: &'static str,
}

/// The verb of a request, for the checks that need the written object.
#[derive(Clone, Copy)]
struct Verb(&'static str);

impl Caller {
    pub(crate) fn of(extensions: &Extensions) -> Option<Self> {
        let authorizer = extensions.get::<Arc<Authorizer>>()?.clone();
        let verb = extensions.get::<Verb>().map_or("", |verb| verb.0);
        Some(Self { user: extensions.get::<Arc<User>>()?.clone(), authorizer, verb })
    }
}

pub(crate) fn with_authorization(router: Router, store: Arc<Store>) -> Router {
    let authorizer = Arc::new(Authorizer::new(&store));
    // Admission policies ask the same authorizer, by the CEL variable `authorizer`. `set` does not fail, because a
    // cluster makes its router only once.
    let _ = store.authorizer.set(authorizer.clone());
    let access = Access { store, authorizer, administrator: Arc::new(User::admin()) };
    router.layer(middleware::from_fn_with_state(Arc::new(access), pass))
}

/// Passes a request on to the handlers, or answers it with the refusal.
async fn pass(State(access): State<Arc<Access>>, mut request: Request, next: Next) -> Response {
    let user = match access.identify(&mut request) {
        Ok(user) => user,
        Err(error) => return answered(&request, error),
    };
    // As upstream, the headers of API priority and fairness are also on a 403, but not on a 401: the user comes first.
    let classifies = flow_control::classifies(request.uri().path());
    let answer = match user.map_or(Ok(()), |user| access.authorize(&mut request, user)) {
        Ok(()) => next.run(request).await,
        Err(error) => answered(&request, error),
    };
    if classifies { flow_control::classified(answer) } else { answer }
}

/// Returns the response to a refused request. Upstream: `RespondWithError`, and `Unauthorized` for invalid credentials.
fn answered(request: &Request, error: ApiError) -> Response {
    let is_unauthorized = error.is_unauthorized();
    let response = refused(request.headers(), &Query::parse(request.uri()), error);
    // As upstream, only a 401 lacks the header `X-Content-Type-Options`.
    if is_unauthorized { response } else { without_sniffing(response) }
}

impl Access {
    /// Returns the user whose permissions are checked: the impersonated one, or else the user of the request. Returns
    /// `None` if every request is allowed and this one impersonates no user.
    fn identify(&self, request: &mut Request) -> Result<Option<Arc<User>>, ApiError> {
        let wanted = wanted_user(request.headers_mut())?;
        if wanted.is_none() && self.store.settings.authorization == Authorization::AlwaysAllow {
            return Ok(None);
        }
        let user = self.user(request)?;
        match wanted {
            Some(wanted) => Ok(Some(Arc::new(impersonate(&self.authorizer, &user, wanted)?))),
            None => Ok(Some(user)),
        }
    }

    /// Checks what the user asks for, and attaches the user and the authorizer for the handlers.
    fn authorize(&self, request: &mut Request, user: Arc<User>) -> Result<(), ApiError> {
        self.authorizer.check(&user, &Attributes::of(request.method(), request.uri()))?;
        let verb = Verb(verb(request.method()));
        request.extensions_mut().insert(verb);
        request.extensions_mut().insert(user);
        request.extensions_mut().insert(self.authorizer.clone());
        Ok(())
    }

    /// Returns the user of a request: the one that authentication has found, or the owner of its token, or the
    /// administrator.
    fn user(&self, request: &Request) -> Result<Arc<User>, ApiError> {
        if let Some(user) = request.extensions().get::<Arc<User>>() {
            return Ok(user.clone());
        }
        match bearer_token(request.headers()) {
            Some(token) => {
                service_account::authenticate(&self.store, token).map(Arc::new).ok_or_else(ApiError::unauthorized)
            }
            None => Ok(self.administrator.clone()),
        }
    }
}
