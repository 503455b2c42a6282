//! Authentication on a TLS listener: a middleware that finds the user of a request by certificate or token, and
//! attaches the user to the request for `access.rs` and the handlers. Upstream: `WithAuthentication`, and the order of
//! authenticators in `pkg/kubeapiserver/authenticator`.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{self, Next};
use axum::response::Response;
use http::header;

use super::attributes::Attributes;
use super::bearer_token::bearer_token;
use super::token_file::Tokens;
use super::{service_account, unrestricted};
use crate::http::guard::is_from_its_own_host;
use crate::http::query::Query;
use crate::http::represent::refused;
use crate::http::response::without_sniffing;
use crate::http::status::ApiError;
use crate::settings::Authorization;
use crate::store::Store;
use crate::tls::ClientCertificate;
use kube_machinery::conventions::user::User;

struct Authenticator {
    store: Arc<Store>,
    tokens: Tokens,
}

/// The error for a request whose credential is not valid.
struct Unknown;

pub(crate) fn with_authentication(router: Router, store: Arc<Store>, tokens: Tokens) -> Router {
    router.layer(middleware::from_fn_with_state(Arc::new(Authenticator { store, tokens }), pass))
}

/// Passes a request on with its user, or answers it with 401 or 403.
async fn pass(State(authenticator): State<Arc<Authenticator>>, mut request: Request, next: Next) -> Response {
    let refuse = |request: &Request, error| refused(request.headers(), &Query::parse(request.uri()), error);
    if !is_from_its_own_host(request.uri(), request.headers()) {
        return refuse(&request, ApiError::foreign_request("the request comes from a web page"));
    }
    let Ok(user) = authenticator.user(&request) else { return refuse(&request, ApiError::unauthorized()) };
    // With RBAC, `access.rs` decides instead.
    if authenticator.store.settings.authorization == Authorization::AlwaysAllow {
        let attributes = Attributes::of(request.method(), request.uri());
        if !unrestricted::allows(&user, &attributes) {
            return without_sniffing(refuse(&request, attributes.forbidden(&user.name, "")));
        }
    }
    request.headers_mut().remove(header::AUTHORIZATION); // handlers must not see the token
    request.extensions_mut().insert(Arc::new(user));
    next.run(request).await
}

impl Authenticator {
    /// Returns the user of a request. A valid certificate wins over a token. An invalid certificate is an error only
    /// without a token.
    fn user(&self, request: &Request) -> Result<User, Unknown> {
        let certificate = request.extensions().get::<ClientCertificate>();
        if let Some(ClientCertificate::Of(user)) = certificate {
            return Ok(user.clone().authenticated());
        }
        match bearer_token(request.headers()) {
            Some(token) => self.owner(token).map(User::authenticated).ok_or(Unknown),
            None if certificate == Some(&ClientCertificate::Unknown) => Err(Unknown),
            None => Ok(User::anonymous()),
        }
    }

    /// Returns the user of a token.
    fn owner(&self, token: &str) -> Option<User> {
        self.tokens.get(token).cloned().or_else(|| service_account::authenticate(&self.store, token))
    }
}
