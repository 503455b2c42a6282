//! [`Api`], the requests for the objects of one resource, with kube-client's methods.

use std::fmt;
use std::marker::PhantomData;

use either::Either;
use futures::Stream;
use k8s_openapi::api::autoscaling::v1::Scale;
pub use kube_core::params::{
    DeleteParams, GetParams, ListParams, Patch, PatchParams, PostParams, Preconditions, VersionMatch, WatchParams,
};
pub use kube_core::{ApiResource, DynamicObject, ObjectList, ObjectMeta, PartialObjectMeta, TypeMeta, WatchEvent};
use kube_core::{DynamicResourceScope, NamespaceResourceScope, Request, Resource, Status};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{Client, Error, Result};

/// One resource, in one namespace or in all.
pub struct Api<K> {
    request: Request,
    client: Client,
    namespace: Option<String>,
    object: PhantomData<fn() -> K>,
}

impl<K: Resource> Api<K> {
    /// Makes an `Api` for all namespaces, of a type that is only known at run time.
    pub fn all_with(client: Client, of: &K::DynamicType) -> Self {
        Self::at(client, None, of)
    }

    /// Makes an `Api` for one namespace, of a type that is only known at run time.
    pub fn namespaced_with(client: Client, namespace: &str, of: &K::DynamicType) -> Self
    where
        K: Resource<Scope = DynamicResourceScope>,
    {
        Self::at(client, Some(namespace), of)
    }

    fn at(client: Client, namespace: Option<&str>, of: &K::DynamicType) -> Self {
        let request = Request::new(K::url_path(of, namespace));
        Self { request, client, namespace: namespace.map(str::to_owned), object: PhantomData }
    }
}

impl<K: Resource<DynamicType: Default>> Api<K> {
    /// Makes an `Api` for all namespaces.
    pub fn all(client: Client) -> Self {
        Self::at(client, None, &K::DynamicType::default())
    }

    /// Makes an `Api` for one namespace.
    pub fn namespaced(client: Client, namespace: &str) -> Self
    where
        K: Resource<Scope = NamespaceResourceScope>,
    {
        Self::at(client, Some(namespace), &K::DynamicType::default())
    }

    /// Makes an `Api` for the client's namespace.
    pub fn default_namespaced(client: Client) -> Self
    where
        K: Resource<Scope = NamespaceResourceScope>,
    {
        let namespace = client.default_namespace().to_owned();
        Self::namespaced(client, &namespace)
    }
}

impl<K> Api<K> {
    pub fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
    }

    pub fn resource_url(&self) -> &str {
        &self.request.url_path
    }

    pub fn into_client(self) -> Client {
        self.client
    }
}

impl<K: Clone + DeserializeOwned + fmt::Debug> Api<K> {
    pub async fn get(&self, name: &str) -> Result<K> {
        self.ask(self.request.get(name, &GetParams::default())).await
    }

    /// Returns an object, or `None` if it does not exist.
    pub async fn get_opt(&self, name: &str) -> Result<Option<K>> {
        match self.get(name).await {
            Ok(object) => Ok(Some(object)),
            Err(Error::Api(status)) if status.is_not_found() => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub async fn list(&self, params: &ListParams) -> Result<ObjectList<K>> {
        self.ask(self.request.list(params)).await
    }

    pub async fn create(&self, params: &PostParams, object: &K) -> Result<K>
    where
        K: Serialize,
    {
        let object = serde_json::to_vec(object).map_err(Error::SerdeError)?;
        self.ask(self.request.create(params, object)).await
    }

    pub async fn replace(&self, name: &str, params: &PostParams, object: &K) -> Result<K>
    where
        K: Serialize,
    {
        let object = serde_json::to_vec(object).map_err(Error::SerdeError)?;
        self.ask(self.request.replace(name, params, object)).await
    }

    pub async fn replace_status(&self, name: &str, params: &PostParams, object: &K) -> Result<K>
    where
        K: Serialize,
    {
        let object = serde_json::to_vec(object).map_err(Error::SerdeError)?;
        self.ask(self.request.replace_subresource("status", name, params, object)).await
    }

    pub async fn get_scale(&self, name: &str) -> Result<Scale> {
        self.ask(self.request.get_subresource("scale", name)).await
    }

    pub async fn patch<P: Serialize + fmt::Debug>(
        &self,
        name: &str,
        params: &PatchParams,
        patch: &Patch<P>,
    ) -> Result<K> {
        self.ask(self.request.patch(name, params, patch)).await
    }

    pub async fn patch_status<P: Serialize + fmt::Debug>(
        &self,
        name: &str,
        params: &PatchParams,
        patch: &Patch<P>,
    ) -> Result<K> {
        self.ask(self.request.patch_subresource("status", name, params, patch)).await
    }

    pub async fn delete(&self, name: &str, params: &DeleteParams) -> Result<Either<K, Status>> {
        self.client.request_status(self.request.delete(name, params).map_err(Error::BuildRequest)?).await
    }

    /// Watches from a resourceVersion on.
    pub async fn watch(
        &self,
        params: &WatchParams,
        version: &str,
    ) -> Result<impl Stream<Item = Result<WatchEvent<K>>> + use<K>> {
        self.client.request_events(self.request.watch(params, version).map_err(Error::BuildRequest)?).await
    }

    async fn ask<T: DeserializeOwned>(
        &self,
        request: Result<http::Request<Vec<u8>>, kube_core::request::Error>,
    ) -> Result<T> {
        self.client.request(request.map_err(Error::BuildRequest)?).await
    }
}

impl<K> Clone for Api<K> {
    fn clone(&self) -> Self {
        let Self { request, client, namespace, object } = self;
        Self { request: request.clone(), client: client.clone(), namespace: namespace.clone(), object: *object }
    }
}
