//! The check of a real cluster for `doctor`: its version, and the permissions that the lessons need.

use std::time::Duration;

use anyhow::Result;
use k8s_openapi::api::authorization::v1::{ResourceAttributes, SelfSubjectAccessReview, SelfSubjectAccessReviewSpec};
use k8s_openapi::api::core::v1::Pod;
use kube::api::{ListParams, PostParams};
use kube::{Api, Client};
use tokio::time::timeout;

use super::{Connection, connect, limited, no_answer};
use crate::lab::connect::{explain, forbidden, unreachable};
use crate::lab::settings::Target;

/// A real cluster whose pods can be watched.
pub struct Reached {
    /// The cluster's address.
    pub address: String,
    /// The cluster's version, such as `v1.37.0`.
    pub version: String,
}

/// Connects to a real cluster as a lesson does, and checks that this account may list and watch pods. The connection and
/// the checks may take `limit` each.
///
/// # Errors
/// The kubeconfig cannot be used, the cluster does not answer in time, or a permission is missing.
pub async fn reach_real(target: &Target, namespace: &str, limit: Duration) -> Result<Reached> {
    let Connection { client, address } = connect(target, namespace, Some(limit)).await?;
    let version = check(&limited(&client, namespace), namespace, &address, limit).await?;
    Ok(Reached { address, version })
}

/// Checks that this account may list and watch pods, and returns the cluster's version.
pub(super) async fn check(client: &Client, namespace: &str, address: &str, limit: Duration) -> Result<String> {
    let checked = async {
        let version = client.apiserver_version().await.map_err(|error| unreachable(error, address))?.git_version;
        let pods: Api<Pod> = Api::namespaced(client.clone(), namespace);
        pods.list(&ListParams::default().limit(1)).await.map_err(|error| match error {
            kube::Error::Api(_) => explain(error.into(), namespace),
            error => unreachable(error, address).into(),
        })?;
        let attributes = ResourceAttributes {
            namespace: Some(namespace.to_owned()),
            resource: Some("pods".to_owned()),
            verb: Some("watch".to_owned()),
            ..ResourceAttributes::default()
        };
        let spec = SelfSubjectAccessReviewSpec { resource_attributes: Some(attributes), ..Default::default() };
        let may_watch = SelfSubjectAccessReview { spec, ..Default::default() };
        let reviews: Api<SelfSubjectAccessReview> = Api::all(client.clone());
        // After an error, the server is taken to have no SelfSubjectAccessReviews, and so no authorization to check.
        if let Ok(review) = reviews.create(&PostParams::default(), &may_watch).await
            && review.status.is_some_and(|status| !status.allowed)
        {
            return Err(forbidden(namespace).into());
        }
        Ok(version)
    };
    timeout(limit, checked).await.unwrap_or_else(|_| Err(no_answer(address, limit).into()))
}
