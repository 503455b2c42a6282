//! ListWatch: one resource's LIST and WATCH. Upstream: `tools/cache/listwatch.go`.

mod kind;
mod list;
mod splitter;
mod watch;

use std::marker::PhantomData;
use std::sync::Arc;

use futures::future::{BoxFuture, FutureExt};
use http::{Request, header};
use kube_core::{PartialObjectMeta, Resource};
use serde::de::DeserializeOwned;

use self::kind::{Kind, OnKind};
use super::api_error::ApiError;
use super::list_options::ListOptions;
use super::lister_watcher::{ListPage, ListerWatcher, WatchStream};

type Tweak = Arc<dyn Fn(&mut ListOptions) + Send + Sync>;

/// Lists and watches one resource through a `kube::Client`.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use kube_informers::cache::{ListOptions, ListWatch, ListerWatcher};
/// use k8s_openapi::api::core::v1::Pod;
///
/// let pods = ListWatch::<Pod>::namespaced(kube::Client::try_default().await?, "default");
/// for pod in pods.list(ListOptions::default()).await?.items {
///     println!("{}", pod.metadata.name.as_deref().unwrap_or_default());
/// }
/// # Ok(()) }
/// ```
pub struct ListWatch<T> {
    client: kube_client::Client,
    path: String,
    accept: Accept,
    kind: Arc<Kind>,
    description: String,
    tweak: Option<Tweak>,
    object: PhantomData<fn() -> T>,
}

/// What the server is asked for, as media types.
#[derive(Clone, Copy)]
struct Accept {
    list: &'static str,
    watch: &'static str,
}

const OBJECTS: Accept = Accept { list: "application/json, */*", watch: "application/json, */*" };

/// In JSON alone: a server that cannot would send whole objects.
const METADATA: Accept = Accept {
    list: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
    watch: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
};

impl<T: Resource<DynamicType = ()>> ListWatch<T> {
    /// The objects of one namespace.
    pub fn namespaced(client: kube_client::Client, namespace: &str) -> Self {
        Self::of_type(client, Some(namespace), &())
    }

    /// The objects of all namespaces, or of a resource that has none.
    pub fn all(client: kube_client::Client) -> Self {
        Self::of_type(client, None, &())
    }
}

impl<T: Resource> ListWatch<T> {
    /// The objects of a type that is only known when the program runs.
    pub fn of_type(client: kube_client::Client, namespace: Option<&str>, dynamic_type: &T::DynamicType) -> Self {
        let path = T::url_path(dynamic_type, namespace);
        let kind = Arc::new(Kind {
            api_version: T::api_version(dynamic_type).into_owned(),
            kind: T::kind(dynamic_type).into_owned(),
            on_kind: if size_of::<T::DynamicType>() == 0 { OnKind::Checks } else { OnKind::Keeps },
        });
        let plural = T::plural(dynamic_type);
        let description = match namespace {
            Some(namespace) => format!("{plural} in namespace {namespace:?}"),
            None => plural.into_owned(),
        };
        Self { client, path, accept: OBJECTS, kind, description, tweak: None, object: PhantomData }
    }

    /// Lists and watches the same objects, of which the server sends the metadata alone (client-go's `metadata` package):
    /// neither side spends anything on the rest. For controllers that only look at names, labels, annotations and owners.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use kube_informers::cache::{ListWatch, SharedIndexInformer};
    /// use k8s_openapi::api::core::v1::Pod;
    ///
    /// let pods = ListWatch::<Pod>::all(kube::Client::try_default().await?).metadata_only();
    /// let informer = SharedIndexInformer::new(pods);
    /// # Ok(()) }
    /// ```
    ///
    /// With [`read_as`](Self::read_as) behind it, only some of the metadata is kept.
    #[must_use]
    pub fn metadata_only(self) -> ListWatch<PartialObjectMeta<T>> {
        let kind = Kind {
            api_version: "meta.k8s.io/v1".to_owned(),
            kind: "PartialObjectMetadata".to_owned(),
            on_kind: OnKind::Keeps,
        };
        ListWatch { accept: METADATA, ..self.of(kind) }
    }
}

impl<T> ListWatch<T> {
    /// Changes the options of every list and watch, last of all.
    #[must_use]
    pub fn tweak(mut self, tweak: impl Fn(&mut ListOptions) + Send + Sync + 'static) -> Self {
        self.tweak = Some(Arc::new(tweak));
        self
    }

    /// Lists and watches the same objects, but reads each as a `P`, a type that has only the fields a program wants: the
    /// others are skipped while an answer is decoded, and take no memory. A typical pod read as below takes less than 2 KB,
    /// where a `Pod` takes 39.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use kube_informers::cache::{ListWatch, Meta, Object, SharedIndexInformer, SlimMeta};
    /// use k8s_openapi::api::core::v1::Pod;
    /// use serde::Deserialize;
    ///
    /// #[derive(Debug, Deserialize)]
    /// struct Placed {
    ///     metadata: SlimMeta,
    ///     spec: Spec,
    /// }
    ///
    /// #[derive(Debug, Deserialize)]
    /// #[serde(rename_all = "camelCase")]
    /// struct Spec {
    ///     node_name: Option<Box<str>>,
    /// }
    ///
    /// impl Object for Placed {
    ///     fn meta(&self) -> Meta<'_> {
    ///         self.metadata.meta()
    ///     }
    /// }
    ///
    /// let pods = ListWatch::<Pod>::all(kube::Client::try_default().await?).read_as::<Placed>();
    /// let informer = SharedIndexInformer::new(pods);
    /// # Ok(()) }
    /// ```
    ///
    /// An object that cannot be read as a `P` fails the list or the watch that brings it, as any that cannot be read does: the informer
    /// asks again and again, and only [`ReflectorOptions::on_error`](super::ReflectorOptions::on_error) and the log tell why.
    #[must_use]
    pub fn read_as<P>(self) -> ListWatch<P> {
        let on_kind = if self.kind.on_kind == OnKind::Checks { OnKind::Ignores } else { self.kind.on_kind };
        let kind = Kind { on_kind, ..Kind::clone(&self.kind) };
        self.of(kind)
    }

    /// The same, of objects of another kind or type.
    fn of<P>(self, kind: Kind) -> ListWatch<P> {
        let Self { client, path, accept, kind: _, description, tweak, object: PhantomData } = self;
        ListWatch { client, path, accept, kind: Arc::new(kind), description, tweak, object: PhantomData }
    }

    fn request(
        &self,
        mut options: ListOptions,
        query: fn(&ListOptions) -> String,
        accept: &'static str,
    ) -> Result<Request<Vec<u8>>, ApiError> {
        if let Some(tweak) = &self.tweak {
            tweak(&mut options);
        }
        let query = query(&options);
        let uri = if query.is_empty() { self.path.clone() } else { format!("{}?{query}", self.path) };
        Request::get(uri)
            .header(header::ACCEPT, accept)
            .body(Vec::new())
            .map_err(|error| ApiError::Client(error.into()))
    }
}

impl<T: DeserializeOwned + Send + Sync + 'static> ListerWatcher<T> for ListWatch<T> {
    fn list(&self, options: ListOptions) -> BoxFuture<'_, Result<ListPage<T>, ApiError>> {
        async move {
            let request = self.request(options, ListOptions::list_query, self.accept.list)?;
            list::read(self.client.request_stream(request).await?, &self.kind).await
        }
        .boxed()
    }

    fn watch(&self, options: ListOptions) -> BoxFuture<'_, Result<WatchStream<T>, ApiError>> {
        async move {
            let mut request = self.request(options, ListOptions::watch_query, self.accept.watch)?;
            // A server that compresses a watch holds events back until a block is full.
            request.headers_mut().insert(header::ACCEPT_ENCODING, header::HeaderValue::from_static("identity"));
            Ok(watch::events(self.client.request_stream(request).await?, self.kind.clone()))
        }
        .boxed()
    }

    fn description(&self) -> String {
        self.description.clone()
    }
}
