//! A custom resource: its definition, and its objects.

use anyhow::Result;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Api;
use kube::api::{DeleteParams, PostParams};
use kube::core::{ApiResource, DynamicObject, GroupVersionKind};
use serde_json::json;

const NAME: &str = "widgets.example.com";

pub(super) fn resource() -> ApiResource {
    ApiResource::from_gvk(&GroupVersionKind::gvk("example.com", "v1", "Widget"))
}

pub(super) async fn define(client: &kube::Client) -> Result<()> {
    let definition: CustomResourceDefinition = serde_json::from_value(json!({
        "metadata": {"name": NAME},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "widgets", "singular": "widget", "kind": "Widget"},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object"}},
            }],
        },
    }))?;
    Api::all(client.clone()).create(&PostParams::default(), &definition).await?;
    Ok(())
}

pub(super) async fn undefine(client: &kube::Client) -> Result<()> {
    Api::<CustomResourceDefinition>::all(client.clone()).delete(NAME, &DeleteParams::default()).await?;
    Ok(())
}

pub(super) async fn create(client: &kube::Client, name: &str) -> Result<()> {
    let widgets = Api::<DynamicObject>::namespaced_with(client.clone(), "default", &resource());
    widgets.create(&PostParams::default(), &DynamicObject::new(name, &resource())).await?;
    Ok(())
}
