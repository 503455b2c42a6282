//! Finds the handler of a request. As in upstream's router, only the path and the method decide it; headers are checked
//! later.

use std::sync::Arc;

use http::{HeaderMap, Method};

use crate::http::answer::Answer;
use crate::http::request_info::Target;
use crate::http::status::ApiError;
use crate::settings::ManagedFields;
use crate::verbs::{self, Call, subresources};
use kube_controllers::nodes::logs::Logs;
use kube_machinery::kinds::{Dispatcher, Serving, Subresource};

/// Returns true if the subresource is read and written as the whole object, even if a write changes only a part.
fn is_whole(subresource: Option<Subresource>) -> bool {
    use Subresource::{Approval, EphemeralContainers, Resize, Status};
    matches!(subresource, None | Some(Approval | EphemeralContainers | Resize | Status))
}

/// The handler of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
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
    /// Returns the handler of a method on a path; `None` if the path does not allow the method.
    pub(crate) fn of(method: &Method, target: &Target) -> Option<Self> {
        let all_namespaces = target.is_of_all_namespaces();
        match target.resource.serving {
            Serving::Stored => {}
            Serving::Review => return (method == Method::POST).then_some(Self::Review),
            Serving::Computed => return (method == Method::GET).then_some(Self::GetComponents),
        }
        Some(match (&target.name, target.subresource, method) {
            // `target.watch` is the old form of a path, such as `/api/v1/watch/pods`, which only GET may use.
            (_, None, &Method::GET) if target.watch => Self::ListOrWatch,
            _ if target.watch => return None,
            (None, None, &Method::GET) => Self::ListOrWatch,
            (None, None, &Method::POST) if !all_namespaces => Self::Create,
            // Upstream's handler of custom resources checks only the method, so a POST to the path of an object
            // creates.
            (Some(_), None, &Method::POST) if target.served.dispatcher == Dispatcher::CrdHandler => Self::Create,
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

    /// Refuses a patch whose media type is no patch format.
    pub(crate) fn check(
        self,
        headers: &HeaderMap,
        target: &Target,
        managed_fields: ManagedFields,
    ) -> Result<(), ApiError> {
        match self {
            Self::Patch | Self::PatchScale => verbs::patch::check_media_type(headers, &target.resource, managed_fields),
            _ => Ok(()),
        }
    }

    pub(crate) async fn run(self, logs: &Arc<Logs>, call: Call) -> Result<Answer, ApiError> {
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
