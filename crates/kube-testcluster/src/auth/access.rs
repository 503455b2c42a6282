//! Finds out as whom a request is sent, and refuses what they may not do. Upstream: `WithImpersonation` and `WithAuthorization`, which
//! stand behind `WithAuthentication`.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{self, Next};
use axum::response::Response;
use http::Extensions;

use super::attributes::Attributes;
use super::authorization::Authorizer;
use super::bearer_token::bearer_token;
use super::impersonation::{Impersonation, wanted_user};
use super::service_account;
use crate::http::query::Query;
use crate::http::represent::refused;
use crate::http::status::{ApiError, without_sniffing};
use crate::settings::Authorization;
use crate::store::Store;
use kube_machinery::conventions::user::User;

/// What stands before the API.
struct Access {
    store: Arc<Store>,
    authorizer: Arc<Authorizer>,
    impersonation: Impersonation,
    /// Who asks without a credential where none is asked for.
    administrator: Arc<User>,
}

/// Who asks, for those checks that need to know what is written. A request of the cluster itself has none.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    pub(crate) user: Arc<User>,
    pub(crate) authorizer: Arc<Authorizer>,
}

impl Caller {
    pub(crate) fn of(extensions: &Extensions) -> Option<Self> {
        let authorizer = extensions.get::<Arc<Authorizer>>()?.clone();
        Some(Self { user: extensions.get::<Arc<User>>()?.clone(), authorizer })
    }
}

/// Puts impersonation and authorization before the API.
pub(crate) fn with_authorization(router: Router, store: Arc<Store>) -> Router {
    let authorizer = Arc::new(Authorizer::new(&store));
    let _ = store.authorizer.set(authorizer.clone()); // that of another listener decides alike
    let access =
        Access { store, authorizer, impersonation: Impersonation::default(), administrator: Arc::new(User::admin()) };
    router.layer(middleware::from_fn_with_state(Arc::new(access), pass))
}

async fn pass(State(access): State<Arc<Access>>, mut request: Request, next: Next) -> Response {
    match access.admit(&mut request) {
        Ok(()) => next.run(request).await,
        Err(error) => answered(&request, error),
    }
}

/// The answer to a request that is not admitted. Upstream: `RespondWithError`, and `Unauthorized` for somebody unknown.
fn answered(request: &Request, error: ApiError) -> Response {
    let is_known = !error.is_unauthorized();
    let response = refused(request.headers(), &Query::parse(request.uri()), error);
    if is_known { without_sniffing(response) } else { response }
}

impl Access {
    fn admit(&self, request: &mut Request) -> Result<(), ApiError> {
        let wanted = wanted_user(request.headers_mut())?;
        if wanted.is_none() && self.store.settings.authorization == Authorization::AlwaysAllow {
            return Ok(());
        }
        let mut user = self.user(request)?;
        let asked = Attributes::of(request.method(), request.uri());
        if let Some(wanted) = wanted {
            user = Arc::new(self.impersonation.check(&self.authorizer, &user, &wanted, &asked)?);
        }
        self.authorizer.check(&user, &asked)?;
        request.extensions_mut().insert(user);
        request.extensions_mut().insert(self.authorizer.clone());
        Ok(())
    }

    /// Who sends the request: who is known already, then the owner of its token, then who may do everything.
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
