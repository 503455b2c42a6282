//! The client: a buffer in front of a service, as in kube-client, so that tasks take turns in the same order.

use std::future::ready;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use bytes::Bytes;
use either::Either;
use futures::future::BoxFuture;
use futures::io::{AsyncBufRead, AsyncBufReadExt};
use futures::{Stream, StreamExt, TryStreamExt};
use http::{Request, Response};
use http_body::{Frame, SizeHint};
use http_body_util::BodyExt;
use http_body_util::combinators::UnsyncBoxBody;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{APIGroupList, APIResourceList};
use kube_core::{Status, WatchEvent};
use serde::de::DeserializeOwned;
use tower::buffer::Buffer;
use tower::{BoxError, Service, ServiceExt};

use crate::{Error, Result};

type Answer = BoxFuture<'static, Result<Response<Body>, BoxError>>;

/// A client of a service in this process. Clones share the service.
#[derive(Clone)]
pub struct Client {
    inner: Buffer<Request<Body>, Answer>,
    default_namespace: String,
}

impl Client {
    /// Makes a client whose requests the service answers.
    pub fn new<S, B>(service: S, default_namespace: impl Into<String>) -> Self
    where
        S: Service<Request<Body>, Response = Response<B>> + Send + 'static,
        S::Future: Send + 'static,
        S::Error: Into<BoxError>,
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
    {
        let service = service.map_response(|response: Response<B>| response.map(Body::wrap)).map_err(Into::into);
        Self { inner: Buffer::new(service.boxed(), 1024), default_namespace: default_namespace.into() }
    }

    pub fn default_namespace(&self) -> &str {
        &self.default_namespace
    }

    /// Sends a request and returns any response, also an error response.
    pub async fn send(&self, request: Request<Body>) -> Result<Response<Body>> {
        let mut service = self.inner.clone();
        let answer = service.ready().await.map_err(Error::Service)?.call(request).await;
        answer.map_err(|error| error.downcast::<Error>().map_or_else(Error::Service, |error| *error))
    }

    /// Sends a request and decodes the response from JSON.
    pub async fn request<T: DeserializeOwned>(&self, request: Request<Vec<u8>>) -> Result<T> {
        serde_json::from_str(&self.request_text(request).await?).map_err(Error::SerdeError)
    }

    pub async fn request_text(&self, request: Request<Vec<u8>>) -> Result<String> {
        let answer = self.granted(request).await?.into_body().collect().await?.to_bytes();
        String::from_utf8(answer.to_vec()).map_err(Error::FromUtf8)
    }

    pub async fn request_stream(&self, request: Request<Vec<u8>>) -> Result<impl AsyncBufRead + use<>> {
        let body = self.granted(request).await?.into_body().into_data_stream();
        Ok(body.map_err(std::io::Error::other).into_async_read())
    }

    /// Returns the groups of the API, without the core group.
    pub async fn list_api_groups(&self) -> Result<APIGroupList> {
        self.discover("/apis").await
    }

    /// Returns the resources of a version of a group, such as `apps/v1`.
    pub async fn list_api_group_resources(&self, version: &str) -> Result<APIResourceList> {
        self.discover(&format!("/apis/{version}")).await
    }

    /// Returns the resources of a version of the core group.
    pub async fn list_core_api_resources(&self, version: &str) -> Result<APIResourceList> {
        self.discover(&format!("/api/{version}")).await
    }

    async fn discover<T: DeserializeOwned>(&self, path: &str) -> Result<T> {
        let request = Request::get(path).body(Vec::new());
        self.request(request.map_err(Error::HttpError)?).await
    }

    pub(crate) async fn request_status<T: DeserializeOwned>(
        &self,
        request: Request<Vec<u8>>,
    ) -> Result<Either<T, Status>> {
        let answer: serde_json::Value = self.request(request).await?;
        let is_status = answer["kind"] == "Status";
        let read = if is_status {
            serde_json::from_value(answer).map(Either::Right)
        } else {
            serde_json::from_value(answer).map(Either::Left)
        };
        read.map_err(Error::SerdeError)
    }

    pub(crate) async fn request_events<K: DeserializeOwned + Clone>(
        &self,
        request: Request<Vec<u8>>,
    ) -> Result<impl Stream<Item = Result<WatchEvent<K>>> + use<K>> {
        let lines = self.request_stream(request).await?.lines();
        Ok(lines.filter_map(|line| {
            ready(match line {
                Ok(line) => event(&line),
                Err(error) => Some(Err(Error::ReadEvents(error))),
            })
        }))
    }

    /// Sends a request. Fails if the response is an error.
    async fn granted(&self, request: Request<Vec<u8>>) -> Result<Response<Body>> {
        let answer = self.send(request.map(Body::from)).await?;
        let code = answer.status();
        if !code.is_client_error() && !code.is_server_error() {
            return Ok(answer);
        }
        let text = answer.into_body().collect().await?.to_bytes();
        let text = String::from_utf8(text.to_vec()).map_err(Error::FromUtf8)?;
        let status = serde_json::from_str::<Status>(&text)
            .unwrap_or_else(|_| Status::failure(text.trim(), "Failed to parse error data").with_code(code.as_u16()));
        Err(Error::Api(status.boxed()))
    }
}

/// Decodes a line of a watch. Returns `None` for an incomplete line, which ends the watch without an error.
fn event<K: DeserializeOwned + Clone>(line: &str) -> Option<Result<WatchEvent<K>>> {
    match serde_json::from_str(line) {
        Ok(event) => Some(Ok(event)),
        Err(error) if error.is_eof() => None,
        Err(error) => Some(Err(match serde_json::from_str::<Status>(line) {
            Ok(status) => Error::Api(status.boxed()),
            Err(_) => Error::SerdeError(error),
        })),
    }
}

/// The body of a request or a response.
#[derive(Debug)]
pub struct Body(UnsyncBoxBody<Bytes, BoxError>);

impl Body {
    pub fn empty() -> Self {
        Self::from(Vec::new())
    }

    fn wrap<B>(body: B) -> Self
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
    {
        Self(body.map_err(Into::into).boxed_unsync())
    }
}

impl From<Vec<u8>> for Body {
    fn from(bytes: Vec<u8>) -> Self {
        Self::wrap(http_body_util::Full::from(bytes))
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>>>> {
        pin!(&mut self.0).poll_frame(context).map_err(Error::Service)
    }

    fn size_hint(&self) -> SizeHint {
        self.0.size_hint()
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_end_stream()
    }
}
