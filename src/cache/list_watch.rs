//! ListWatch: one resource's LIST and WATCH. Upstream: `tools/cache/listwatch.go`.

use std::future::ready;
use std::marker::PhantomData;
use std::sync::Arc;

use futures::future::{BoxFuture, FutureExt};
use futures::io::AsyncBufReadExt;
use futures::stream::{self, BoxStream, StreamExt};
use http::{Request, header};
use kube::core::watch::Bookmark;
use kube::core::{Resource, Status, TypeMeta};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use tracing::warn;

use super::api_error::ApiError;
use super::list_options::ListOptions;

/// Where a Reflector gets its objects (client-go's `ListerWatcher`). [`ListWatch`] is the one that asks an API server.
pub trait ListerWatcher<T>: Send + Sync {
    /// Asks for one page, or for everything if there is no limit.
    fn list(&self, options: ListOptions) -> BoxFuture<'_, Result<ListPage<T>, ApiError>>;

    /// Opens a watch. The stream ends when the server or the network ends it; dropping it closes the watch.
    fn watch(&self, options: ListOptions) -> BoxFuture<'_, Result<WatchStream<T>, ApiError>>;

    /// Can a watch begin with what exists (a streaming list)? A source that says no is listed instead.
    fn has_watch_list(&self) -> bool {
        true
    }

    /// What is listed and watched, for messages.
    fn description(&self) -> String {
        "objects".to_owned()
    }
}

/// The events of one watch.
pub type WatchStream<T> = BoxStream<'static, WatchEvent<T>>;

/// One page of a list, or the whole list.
#[derive(Debug)]
pub struct ListPage<T> {
    /// The objects, in the order of the answer.
    pub items: Vec<Arc<T>>,
    /// The version of the list, the same on every page of it.
    pub resource_version: String,
    /// How to ask for the next page; nothing on the last one.
    pub continue_token: Option<String>,
}

/// One event of a watch.
#[derive(Debug)]
pub enum WatchEvent<T> {
    /// The object was created, begins to match, or was there when the watch began.
    Added(Arc<T>),
    /// The object changed.
    Modified(Arc<T>),
    /// The object was deleted, or no longer matches: its last state.
    Deleted(Arc<T>),
    /// Every change up to this resourceVersion has been sent.
    Bookmark {
        /// Up to here.
        resource_version: String,
        /// Does it end the initial events of a streaming list?
        initial_events_end: bool,
    },
    /// The watch failed; nothing more comes.
    Error(Box<Status>),
}

impl<T> WatchEvent<T> {
    /// The object that the event is about; none for a bookmark and an error.
    pub fn object(&self) -> Option<&Arc<T>> {
        match self {
            Self::Added(object) | Self::Modified(object) | Self::Deleted(object) => Some(object),
            Self::Bookmark { .. } | Self::Error(_) => None,
        }
    }
}

type Tweak = Arc<dyn Fn(&mut ListOptions) + Send + Sync>;

/// Lists and watches one resource through a `kube::Client`.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use informer_lab::cache::{ListOptions, ListWatch, ListerWatcher};
/// use k8s_openapi::api::core::v1::Pod;
///
/// let pods = ListWatch::<Pod>::namespaced(kube::Client::try_default().await?, "default");
/// for pod in pods.list(ListOptions::default()).await?.items {
///     println!("{}", pod.metadata.name.as_deref().unwrap_or_default());
/// }
/// # Ok(()) }
/// ```
pub struct ListWatch<T> {
    client: kube::Client,
    path: String,
    kind: Arc<Kind>,
    description: String,
    tweak: Option<Tweak>,
    object: PhantomData<fn() -> T>,
}

impl<T: Resource<DynamicType = ()>> ListWatch<T> {
    /// The objects of one namespace.
    pub fn namespaced(client: kube::Client, namespace: &str) -> Self {
        Self::of_type(client, Some(namespace), &())
    }

    /// The objects of all namespaces, or of a resource that has none.
    pub fn all(client: kube::Client) -> Self {
        Self::of_type(client, None, &())
    }
}

impl<T: Resource> ListWatch<T> {
    /// The objects of a type that is only known when the program runs.
    pub fn of_type(client: kube::Client, namespace: Option<&str>, dynamic_type: &T::DynamicType) -> Self {
        let path = T::url_path(dynamic_type, namespace);
        let kind = Arc::new(Kind {
            api_version: T::api_version(dynamic_type).into_owned(),
            kind: T::kind(dynamic_type).into_owned(),
            dynamic: size_of::<T::DynamicType>() != 0,
        });
        let plural = T::plural(dynamic_type);
        let description = match namespace {
            Some(namespace) => format!("{plural} in namespace {namespace:?}"),
            None => plural.into_owned(),
        };
        Self { client, path, kind, description, tweak: None, object: PhantomData }
    }

    /// Changes the options of every list and watch, last of all.
    #[must_use]
    pub fn tweak(mut self, tweak: impl Fn(&mut ListOptions) + Send + Sync + 'static) -> Self {
        self.tweak = Some(Arc::new(tweak));
        self
    }

    fn request(
        &self,
        mut options: ListOptions,
        query: fn(&ListOptions) -> String,
    ) -> Result<Request<Vec<u8>>, ApiError> {
        if let Some(tweak) = &self.tweak {
            tweak(&mut options);
        }
        let query = query(&options);
        let uri = if query.is_empty() { self.path.clone() } else { format!("{}?{query}", self.path) };
        Request::get(uri)
            .header(header::ACCEPT, "application/json, */*")
            .body(Vec::new())
            .map_err(|error| ApiError::Client(kube::Error::HttpError(error)))
    }
}

impl<T: Resource + DeserializeOwned + Send + Sync + 'static> ListerWatcher<T> for ListWatch<T> {
    fn list(&self, options: ListOptions) -> BoxFuture<'_, Result<ListPage<T>, ApiError>> {
        async move {
            let request = self.request(options, ListOptions::list_query)?;
            let text = self.client.request_text(request).await?;
            let list: ListBody<'_> = serde_json::from_str(&text).map_err(ApiError::Decode)?;
            if !list.kind.ends_with("List") {
                return Err(ApiError::NotAList(list.kind));
            }
            let items = list.items.unwrap_or_default();
            let items = items.into_iter().map(|item| self.kind.decode_item(item.get()).map(Arc::new));
            Ok(ListPage {
                items: items.collect::<Result<_, _>>().map_err(ApiError::Decode)?,
                resource_version: list.metadata.resource_version,
                continue_token: list.metadata.r#continue.filter(|token| !token.is_empty()),
            })
        }
        .boxed()
    }

    fn watch(&self, options: ListOptions) -> BoxFuture<'_, Result<WatchStream<T>, ApiError>> {
        async move {
            let mut request = self.request(options, ListOptions::watch_query)?;
            // A server that compresses a watch holds events back until a block is full.
            request.headers_mut().insert(header::ACCEPT_ENCODING, header::HeaderValue::from_static("identity"));
            let kind = self.kind.clone();
            let lines = self.client.request_stream(request).await?.lines();
            let lines =
                lines.scan((), |(), line| ready(line.inspect_err(|error| warn!("the watch ended: {error}")).ok()));
            let events = lines.filter_map(move |line| ready(decode(&line, &kind)));
            Ok(stop_after_error(events).boxed())
        }
        .boxed()
    }

    fn description(&self) -> String {
        self.description.clone()
    }
}

/// A list whose items are read one by one: objects are decoded in one way only, which the compiler has to make but once.
#[derive(Deserialize)]
struct ListBody<'a> {
    /// `PodList`, or `List`; a Table, say, is not what was asked for.
    kind: String,
    metadata: ListBodyMeta,
    #[serde(borrow)]
    items: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ListBodyMeta {
    #[serde(default)]
    resource_version: String,
    r#continue: Option<String>,
}

/// What is listed and watched.
struct Kind {
    api_version: String,
    kind: String,
    /// The Rust type takes objects of every kind, and finds it in the object.
    dynamic: bool,
}

impl Kind {
    /// Reads an item of a list. Items do not say their kind where the list does.
    fn decode_item<T: DeserializeOwned>(&self, text: &str) -> serde_json::Result<T> {
        let says_kind = || serde_json::from_str::<TypeMeta>(text).is_ok_and(|types| !types.kind.is_empty());
        match text.strip_prefix('{') {
            Some(rest) if self.dynamic && !says_kind() => {
                let comma = if rest.trim_start().starts_with('}') { "" } else { "," };
                let (api_version, kind) = (&self.api_version, &self.kind);
                serde_json::from_str(&format!(r#"{{"apiVersion":"{api_version}","kind":"{kind}"{comma}{rest}"#))
            }
            _ => serde_json::from_str(text),
        }
    }

    fn is_other(&self, text: &str) -> bool {
        serde_json::from_str::<TypeMeta>(text).is_ok_and(|types| types.kind != self.kind)
    }
}

/// One line of a watch.
#[derive(Deserialize)]
struct Line<'a> {
    r#type: &'a str,
    #[serde(borrow)]
    object: &'a RawValue,
}

/// Reads one line of a watch. An object of another kind and an event of an unknown type are skipped; a line that cannot be
/// read is an error event, except that a line cut off by the end of the stream is only the end of the stream.
fn decode<T: DeserializeOwned>(line: &str, kind: &Kind) -> Option<WatchEvent<T>> {
    match try_decode(line, kind) {
        Ok(event) => event,
        Err(error) if error.is_eof() => None,
        Err(error) => Some(WatchEvent::Error(Box::new(
            Status::failure(&format!("unable to decode an event from the watch stream: {error}"), "InternalError")
                .with_code(500),
        ))),
    }
}

fn try_decode<T: DeserializeOwned>(line: &str, kind: &Kind) -> serde_json::Result<Option<WatchEvent<T>>> {
    let Line { r#type, object } = serde_json::from_str(line)?;
    let text = object.get();
    let event: fn(Arc<T>) -> WatchEvent<T> = match r#type {
        "ADDED" => WatchEvent::Added,
        "MODIFIED" => WatchEvent::Modified,
        "DELETED" => WatchEvent::Deleted,
        "BOOKMARK" => return serde_json::from_str(text).map(|bookmark: Bookmark| Some(bookmark.into())),
        "ERROR" => return serde_json::from_str(text).map(|status| Some(WatchEvent::Error(status))),
        unknown => {
            warn!("a watch event of the unknown type {unknown} was skipped");
            return Ok(None);
        }
    };
    // A fixed type notices another kind by itself; looking at each object twice would only cost time.
    let decoded = if kind.dynamic && kind.is_other(text) { None } else { Some(serde_json::from_str(text)) };
    match decoded {
        Some(Ok(object)) => Ok(Some(event(Arc::new(object)))),
        Some(Err(error)) if !kind.is_other(text) => Err(error),
        None | Some(Err(_)) => {
            warn!("a watch event was skipped: its object is no {}", kind.kind);
            Ok(None)
        }
    }
}

impl<T> From<Bookmark> for WatchEvent<T> {
    fn from(Bookmark { metadata, .. }: Bookmark) -> Self {
        let end = metadata.annotations.get("k8s.io/initial-events-end");
        Self::Bookmark {
            initial_events_end: end.is_some_and(|value| value == "true"),
            resource_version: metadata.resource_version,
        }
    }
}

/// Nothing comes after an error.
fn stop_after_error<T>(events: impl stream::Stream<Item = WatchEvent<T>>) -> impl stream::Stream<Item = WatchEvent<T>> {
    events.scan(false, |failed, event| {
        let over = std::mem::replace(failed, matches!(event, WatchEvent::Error(_)));
        ready((!over).then_some(event))
    })
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::Pod;
    use kube::core::DynamicObject;

    use super::*;

    fn pods() -> Kind {
        Kind { api_version: "v1".into(), kind: "Pod".into(), dynamic: false }
    }

    #[test]
    fn an_item_of_a_list_has_a_kind_where_the_type_needs_one() {
        let kind = Kind { dynamic: true, ..pods() };
        for item in [r#"{"metadata":{"name":"a"}}"#, r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}"#] {
            let object: DynamicObject = kind.decode_item(item).unwrap();
            assert_eq!(object.types, Some(TypeMeta { api_version: "v1".into(), kind: "Pod".into() }));
            assert_eq!(object.metadata.name.as_deref(), Some("a"));
        }
    }

    #[test]
    fn an_object_of_another_kind_is_skipped_where_the_type_takes_every_kind() {
        let line = r#"{"type":"ADDED","object":{"kind":"Service","apiVersion":"v1","metadata":{"name":"a"}}}"#;
        assert!(decode::<DynamicObject>(line, &Kind { dynamic: true, ..pods() }).is_none());
    }

    #[test]
    fn a_bookmark_without_containers_can_be_read() {
        let line = r#"{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"7",
            "annotations":{"k8s.io/initial-events-end":"true"}},"spec":{"containers":null},"status":{}}}"#;
        let event = decode::<Pod>(line, &pods());
        assert!(matches!(event, Some(WatchEvent::Bookmark { resource_version, initial_events_end: true })
            if resource_version == "7"));
    }

    #[test]
    fn an_object_of_another_kind_is_skipped() {
        let line = r#"{"type":"ADDED","object":{"kind":"Service","apiVersion":"v1","metadata":{"name":"a"}}}"#;
        assert!(decode::<Pod>(line, &pods()).is_none());
    }

    #[test]
    fn a_line_that_was_cut_off_is_the_end_of_the_stream() {
        assert!(decode::<Pod>(r#"{"type":"ADDED","obj"#, &pods()).is_none());
    }

    #[test]
    fn a_line_that_is_not_json_is_an_error_event() {
        assert!(matches!(decode::<Pod>("<html>", &pods()), Some(WatchEvent::Error(status)) if status.code == 500));
    }
}
