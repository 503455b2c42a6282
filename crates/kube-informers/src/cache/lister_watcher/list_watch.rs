//! ListWatch: one resource's LIST and WATCH. Upstream: `tools/cache/listwatch.go`.

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
use kind::{InItems, Kind};
use request::{Accept, METADATA, OBJECTS};

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
///
/// A namespace is for types that live in one:
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
/// A `kube::Client` that is made from a `kube::Config` asks again by itself, up to 15 times and for minutes, when the server
/// answers 429, 503 or 504. A Reflector never sees these answers, and one of them, "too large resource version", would tell it
/// what to do: after a restart of the server, the cache stands still until the retries are over or
/// [`idle_timeout`](Self::idle_timeout) is. Turn them off in a client for informers, which try again by their own rules:
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let mut config = kube::Config::infer().await?;
/// config.default_retry = false;
/// let client = kube::Client::try_from(config)?;
/// # Ok(()) }
/// ```
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

/// Longer than an API server works on one request, which is a minute.
const IDLE_TIMEOUT: Duration = Duration::from_secs(90);

impl<T: Resource<DynamicType = ()>> ListWatch<T> {
    /// The objects of one namespace; those of all namespaces if it is empty.
    pub fn namespaced(client: kube_client::Client, namespace: &str) -> Self
    where
        T: Resource<Scope = NamespaceResourceScope>,
    {
        Self::of_known_type(client, Some(namespace).filter(|namespace| !namespace.is_empty()))
    }

    /// The objects of all namespaces, or of a resource that has none.
    pub fn all(client: kube_client::Client) -> Self {
        Self::of_known_type(client, None)
    }

    pub(crate) fn of_known_type(client: kube_client::Client, namespace: Option<&str>) -> Self {
        Self::at(client, T::url_path(&(), namespace), namespace, &(), InItems::AsSent)
    }
}

impl<T: Resource> ListWatch<T> {
    /// The objects of one namespace, of a type that is only known when the program runs; those of all namespaces if it is
    /// empty.
    pub fn namespaced_with(client: kube_client::Client, namespace: &str, dynamic_type: &T::DynamicType) -> Self
    where
        T: Resource<Scope = DynamicResourceScope>,
    {
        Self::of_dynamic_type(client, Some(namespace).filter(|namespace| !namespace.is_empty()), dynamic_type)
    }

    /// The objects of all namespaces, or of a resource that has none, of a type that is only known when the program runs.
    pub fn all_with(client: kube_client::Client, dynamic_type: &T::DynamicType) -> Self {
        Self::of_dynamic_type(client, None, dynamic_type)
    }

    pub(crate) fn of_dynamic_type(
        client: kube_client::Client,
        namespace: Option<&str>,
        dynamic_type: &T::DynamicType,
    ) -> Self {
        Self::at(client, T::url_path(dynamic_type, namespace), namespace, dynamic_type, InItems::Filled)
    }

    fn at(
        client: kube_client::Client,
        path: String,
        namespace: Option<&str>,
        dynamic_type: &T::DynamicType,
        in_items: InItems,
    ) -> Self {
        let kind = Kind {
            api_version: T::api_version(dynamic_type).into_owned(),
            kind: T::kind(dynamic_type).into_owned(),
            in_items,
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
        if T::metadata_api() { whole.of_metadata() } else { whole }
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
        self.of_metadata()
    }
}

/// Lists and watches what the [`Api`] does, with its client.
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
/// An [`Api`] of a type that is only known when the program runs does not tell that type: there, use
/// [`ListWatch::namespaced_with`] or [`ListWatch::all_with`].
impl<T: Resource<DynamicType = ()>> From<Api<T>> for ListWatch<T> {
    fn from(api: Api<T>) -> Self {
        let path = api.resource_url().to_owned();
        let namespace = api.namespace().map(str::to_owned);
        Self::at(api.into_client(), path, namespace.as_deref(), &(), InItems::AsSent)
    }
}

impl<T> ListWatch<T> {
    /// Changes the options of every list and watch, last of all. A second tweak comes after the first one.
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

    /// Only the objects whose labels match, as `app=web,tier!=cache`. Of a second selector, both have to match.
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

    /// Only the objects whose fields match, as `metadata.name=web`. Of a second selector, both have to match.
    #[must_use]
    pub fn fields(self, selector: impl Into<String>) -> Self {
        let selector = selector.into();
        self.tweak(move |options| narrow(&mut options.field_selector, &selector))
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
    /// asks again and again, and only [`ReflectorOptions::on_error`](crate::cache::ReflectorOptions::on_error) and the log tell why.
    #[must_use]
    pub fn read_as<P>(self) -> ListWatch<P> {
        self.of()
    }

    /// Lists and watches the same objects without their `metadata.managedFields`: they are cut out of the text of each object before it
    /// is read, and take no memory afterwards. A pod of a ReplicaSet that two managers wrote takes 18 KB without them, and 29 with them.
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

    /// Gives up a list of which nothing comes for this long, neither its beginning nor more of it, and a watch that does not
    /// begin; 90 seconds by default, since an API server gives a request up after 60. They fail with
    /// [`ApiError::Silent`](crate::cache::ApiError::Silent). For the events of a watch, a Reflector has its own limits
    /// ([`ReflectorOptions`](crate::cache::ReflectorOptions)).
    #[must_use]
    pub fn idle_timeout(mut self, timeout: Duration) -> Self {
        self.idle_timeout = timeout;
        self
    }

    fn of_metadata<P>(self) -> ListWatch<P> {
        let kind = Kind {
            api_version: "meta.k8s.io/v1".to_owned(),
            kind: "PartialObjectMetadata".to_owned(),
            in_items: InItems::Filled,
            managed_fields: self.kind.managed_fields,
        };
        ListWatch { accept: METADATA, kind: Arc::new(kind), ..self.of() }
    }

    /// The same, of objects of another type.
    fn of<P>(self) -> ListWatch<P> {
        let Self { client, path, accept, kind, description, tweak, idle_timeout, object: PhantomData } = self;
        ListWatch { client, path, accept, kind, description, tweak, idle_timeout, object: PhantomData }
    }
}

/// Makes a selector match only what `also` matches too.
fn narrow(selector: &mut Option<String>, also: &str) {
    let selector = selector.get_or_insert_default();
    if !selector.is_empty() && !also.is_empty() {
        selector.push(','); // and
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
