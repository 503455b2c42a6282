//! ListWatch: the usual source of a Reflector, a resource of an API server. Upstream: `tools/cache/listwatch.go`.

mod kind;
mod list;
mod managed_fields;
mod members;
mod request;
mod splitter;
mod watch;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use kube_client::Api;
use kube_core::{DynamicResourceScope, NamespaceResourceScope, PartialObjectMeta, Resource};

pub(in crate::cache) use self::managed_fields::ManagedFields;
use super::list_options::{ListOptions, Tweak};
use kind::{ItemTypeMeta, Kind};
use request::{Accept, METADATA, OBJECTS};

/// Lists and watches one resource through a `kube::Client` (client-go's `ListWatch`).
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
///
/// Only a namespaced type can be listed in a namespace, so this does not compile:
///
/// ```compile_fail,E0271
/// use kube_informers::cache::ListWatch;
/// use k8s_openapi::api::core::v1::Node;
///
/// fn nodes(client: kube::Client) -> ListWatch<Node> {
///     ListWatch::namespaced(client, "default")
/// }
/// ```
///
/// # The client's own retries
///
/// A `kube::Client` made from a `kube::Config` retries by itself, up to 15 times and for minutes, when the server
/// answers 429, 503 or 504. A Reflector needs one of these answers: after a restart of the server, "too large resource
/// version" tells it to list again without that version. Until the client's retries are used up or
/// [`idle_timeout`](Self::idle_timeout) has passed, the cache is not updated. Informers retry by their own rules, so
/// turn off the client's retries:
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let mut config = kube::Config::infer().await?;
/// config.default_retry = false;
/// let client = kube::Client::try_from(config)?;
/// # Ok(()) }
/// ```
///
/// # Limits
///
/// An object, or an event of a watch, may have 16 MiB, which is client-go's limit for an event. The answer to a refused
/// request may have 1 MiB. A longer object fails the list with
/// [`ApiError::TooLarge`](crate::cache::ApiError::TooLarge), or ends the watch with an error event whose message names
/// the limit. A list may have any number of objects.
pub struct ListWatch<T> {
    client: kube_client::Client,
    path: String,
    accept: Accept,
    kind: Arc<Kind>,
    description: String,
    tweak: Option<Tweak>,
    idle_timeout: Duration,
    object: PhantomData<fn() -> T>,
}

/// The default of [`ListWatch::idle_timeout`]. An API server gives up a request after one minute, so this is longer.
const IDLE_TIMEOUT: Duration = Duration::from_secs(90);

impl<T: Resource<DynamicType = ()>> ListWatch<T> {
    /// Lists and watches the objects of one namespace, or of all namespaces if `namespace` is empty.
    pub fn namespaced(client: kube_client::Client, namespace: &str) -> Self
    where
        T: Resource<Scope = NamespaceResourceScope>,
    {
        Self::of_known_type(client, Some(namespace).filter(|namespace| !namespace.is_empty()))
    }

    /// Lists and watches the objects of all namespaces, or of a cluster-scoped resource.
    pub fn all(client: kube_client::Client) -> Self {
        Self::of_known_type(client, None)
    }

    pub(crate) fn of_known_type(client: kube_client::Client, namespace: Option<&str>) -> Self {
        Self::at(client, T::url_path(&(), namespace), namespace, &(), ItemTypeMeta::AsSent)
    }
}

impl<T: Resource> ListWatch<T> {
    /// Like [`ListWatch::namespaced`], for a type that is known only at run time, such as `DynamicObject`.
    pub fn namespaced_with(client: kube_client::Client, namespace: &str, dynamic_type: &T::DynamicType) -> Self
    where
        T: Resource<Scope = DynamicResourceScope>,
    {
        Self::of_dynamic_type(client, Some(namespace).filter(|namespace| !namespace.is_empty()), dynamic_type)
    }

    /// Like [`ListWatch::all`], for a type that is known only at run time, such as `DynamicObject`.
    pub fn all_with(client: kube_client::Client, dynamic_type: &T::DynamicType) -> Self {
        Self::of_dynamic_type(client, None, dynamic_type)
    }

    pub(crate) fn of_dynamic_type(
        client: kube_client::Client,
        namespace: Option<&str>,
        dynamic_type: &T::DynamicType,
    ) -> Self {
        Self::at(client, T::url_path(dynamic_type, namespace), namespace, dynamic_type, ItemTypeMeta::Filled)
    }

    /// Makes the source of the objects at this path.
    fn at(
        client: kube_client::Client,
        path: String,
        namespace: Option<&str>,
        dynamic_type: &T::DynamicType,
        item_type_meta: ItemTypeMeta,
    ) -> Self {
        let kind = Kind {
            api_version: T::api_version(dynamic_type).into_owned(),
            kind: T::kind(dynamic_type).into_owned(),
            item_type_meta,
            managed_fields: ManagedFields::Kept,
        };
        let plural = T::plural(dynamic_type);
        let description = match namespace {
            Some(namespace) => format!("{plural} in namespace {namespace:?}"),
            None => plural.into_owned(),
        };
        let whole = Self {
            client,
            path,
            accept: OBJECTS,
            kind: Arc::new(kind),
            description,
            tweak: None,
            idle_timeout: IDLE_TIMEOUT,
            object: PhantomData,
        };
        // `PartialObjectMeta` names the kind of the whole object, but is itself only the metadata.
        if T::metadata_api() { whole.into_metadata() } else { whole }
    }

    /// Requests only the metadata of the objects (client-go's `metadata` package).
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
    /// A following [`read_as`](Self::read_as) keeps only a part of the metadata.
    #[must_use]
    pub fn metadata_only(self) -> ListWatch<PartialObjectMeta<T>> {
        self.into_metadata()
    }
}

/// Lists and watches the same objects as the [`Api`], with its client.
///
/// ```no_run
/// # fn example(client: kube::Client) {
/// use kube_informers::cache::{ListWatch, SharedIndexInformer};
/// use k8s_openapi::api::core::v1::Pod;
///
/// let pods: kube::Api<Pod> = kube::Api::default_namespaced(client);
/// let informer = SharedIndexInformer::new(ListWatch::from(pods));
/// # }
/// ```
///
/// For a type that is known only at run time, use [`ListWatch::namespaced_with`] or [`ListWatch::all_with`].
impl<T: Resource<DynamicType = ()>> From<Api<T>> for ListWatch<T> {
    fn from(api: Api<T>) -> Self {
        let path = api.resource_url().to_owned();
        let namespace = api.namespace().map(str::to_owned);
        Self::at(api.into_client(), path, namespace.as_deref(), &(), ItemTypeMeta::AsSent)
    }
}

impl<T> ListWatch<T> {
    /// Adds a function that changes the options of every list and watch just before the request (client-go's
    /// `TweakListOptionsFunc`). Several functions run in the order in which they were added.
    #[must_use]
    pub fn tweak(mut self, tweak: impl Fn(&mut ListOptions) + Send + Sync + 'static) -> Self {
        self.tweak = Some(match self.tweak.take() {
            None => Arc::new(tweak),
            Some(first) => Arc::new(move |options| {
                first(options);
                tweak(options);
            }),
        });
        self
    }

    /// Restricts the objects by a label selector, such as `app=web,tier!=cache`, in addition to earlier selectors.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use kube_informers::cache::ListWatch;
    /// use k8s_openapi::api::core::v1::Pod;
    ///
    /// let client = kube::Client::try_default().await?;
    /// let running = ListWatch::<Pod>::all(client).labels("app=web").fields("status.phase=Running");
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn labels(self, selector: impl Into<String>) -> Self {
        let selector = selector.into();
        self.tweak(move |options| narrow(&mut options.label_selector, &selector))
    }

    /// Restricts the objects by a field selector, such as `metadata.name=web`, in addition to earlier selectors.
    #[must_use]
    pub fn fields(self, selector: impl Into<String>) -> Self {
        let selector = selector.into();
        self.tweak(move |options| narrow(&mut options.field_selector, &selector))
    }

    /// Decodes each object as a `P`, a type with only the fields that the program needs. The other fields are skipped
    /// during decoding and take no memory. A typical pod takes less than 2 KB as the type below, and 39 KB as a `Pod`.
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
    /// If an object cannot be decoded as a `P`, its list or watch fails, and the informer retries without end.
    #[must_use]
    pub fn read_as<P>(self) -> ListWatch<P> {
        self.with_type()
    }

    /// Drops `metadata.managedFields` from each object's text before decoding, to save memory. A pod of a ReplicaSet
    /// with two field managers takes 18 KB without them and 29 KB with them.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use kube_informers::cache::{ListWatch, SharedIndexInformer};
    /// use k8s_openapi::api::core::v1::Pod;
    ///
    /// let pods = ListWatch::<Pod>::all(kube::Client::try_default().await?).without_managed_fields();
    /// let informer = SharedIndexInformer::new(pods);
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn without_managed_fields(self) -> Self {
        let kind = Kind { managed_fields: ManagedFields::Skipped, ..Kind::clone(&self.kind) };
        Self { kind: Arc::new(kind), ..self }
    }

    /// Sets the time for which the server may send nothing at the start of a watch, or before or within a list. After
    /// this time the request fails with [`ApiError::Silent`](crate::cache::ApiError::Silent).
    ///
    /// The default is 90 seconds, because an API server gives up a request after 60. Once a watch has begun, the
    /// Reflector's own limits apply ([`ReflectorOptions`](crate::cache::ReflectorOptions)).
    #[must_use]
    pub fn idle_timeout(mut self, timeout: Duration) -> Self {
        self.idle_timeout = timeout;
        self
    }

    /// Requests only the metadata of the same objects.
    fn into_metadata<P>(self) -> ListWatch<P> {
        let kind = Kind {
            api_version: "meta.k8s.io/v1".to_owned(),
            kind: "PartialObjectMetadata".to_owned(),
            item_type_meta: ItemTypeMeta::Filled,
            managed_fields: self.kind.managed_fields,
        };
        ListWatch { accept: METADATA, kind: Arc::new(kind), ..self.with_type() }
    }

    /// Changes the type of the objects and keeps everything else.
    fn with_type<P>(self) -> ListWatch<P> {
        let Self { client, path, accept, kind, description, tweak, idle_timeout, object: PhantomData } = self;
        ListWatch { client, path, accept, kind, description, tweak, idle_timeout, object: PhantomData }
    }
}

/// Adds the requirements of `also` to a selector.
fn narrow(selector: &mut Option<String>, also: &str) {
    let selector = selector.get_or_insert_default();
    if !selector.is_empty() && !also.is_empty() {
        selector.push(','); // a comma means "and"
    }
    selector.push_str(also);
}

impl<T> Clone for ListWatch<T> {
    fn clone(&self) -> Self {
        Self {
            client: self.client.clone(),
            path: self.path.clone(),
            accept: self.accept,
            kind: self.kind.clone(),
            description: self.description.clone(),
            tweak: self.tweak.clone(),
            idle_timeout: self.idle_timeout,
            object: PhantomData,
        }
    }
}

impl<T> fmt::Debug for ListWatch<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ListWatch")
            .field("path", &self.path)
            .field("kind", &self.kind)
            .field("idle_timeout", &self.idle_timeout)
            .finish_non_exhaustive()
    }
}
