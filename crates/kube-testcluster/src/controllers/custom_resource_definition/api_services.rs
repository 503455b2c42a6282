//! Keeps an APIService object for each group and version that custom resource definitions serve, as `kubectl get
//! apiservices` shows them. Runs whenever a definition of the group changes. Upstream:
//! `crdRegistrationController` of kube-apiserver's `pkg/controlplane/controller/crdregistration`, and
//! `autoRegisterController` of kube-aggregator.

use std::collections::BTreeSet;

use crate::admission::Gate;
use crate::controllers::housekeeping::is_gone_or_changed;
use crate::http::status::ApiError;
use crate::store::Store;
use crate::store::filter::Filter;
use crate::verbs::create::create_own;
use crate::verbs::delete::remove;
use crate::verbs::delete_options::{DeleteOptions, PropagationPolicy};
use crate::verbs::list::everything;
use crate::verbs::ownership::Component;
use kube_machinery::kinds::api_service::{for_definition, is_of_definition};
use kube_machinery::kinds::{API_SERVICES, CUSTOM_RESOURCE_DEFINITIONS};

/// Creates the missing APIServices of a group, and deletes those whose version no definition serves any more. Does
/// nothing in a cluster without the objects that kube-apiserver creates.
pub(super) async fn sync(store: &Store, group: &str) -> Result<(), ApiError> {
    if !store.settings.has_system_objects() {
        return Ok(());
    }
    let mut missing = served(store, group)?;
    for api in everything(store, API_SERVICES, &Filter::default()).objects {
        let opened = api.open()?;
        let value = &opened.value;
        if value["spec"]["group"] != group {
            continue;
        }
        let version = value["spec"]["version"].as_str().unwrap_or_default();
        if missing.remove(version) || !is_of_definition(value) {
            continue;
        }
        let options = DeleteOptions::of_controller(None, PropagationPolicy::Background);
        unless_gone_or_changed(remove(store, API_SERVICES, &api.key, &options, &Gate::open()).await.map(drop))?;
    }
    for version in missing {
        let api = for_definition(group, &version);
        unless_gone_or_changed(create_own(Component::SERVER, store, API_SERVICES, None, api).await.map(drop))?;
    }
    Ok(())
}

/// Returns the versions that the definitions of a group serve, established or not.
fn served(store: &Store, group: &str) -> Result<BTreeSet<String>, ApiError> {
    let mut versions = BTreeSet::new();
    for definition in everything(store, CUSTOM_RESOURCE_DEFINITIONS, &Filter::default()).objects {
        let opened = definition.open()?;
        let spec = &opened.value["spec"];
        if spec["group"] == group {
            let all = spec["versions"].as_array().into_iter().flatten();
            let served = all.filter(|version| version["served"] == true);
            versions.extend(served.filter_map(|version| version["name"].as_str().map(ToOwned::to_owned)));
        }
    }
    Ok(versions)
}

/// Ignores the errors that say that another writer was faster.
fn unless_gone_or_changed(result: Result<(), ApiError>) -> Result<(), ApiError> {
    match result {
        Err(error) if !is_gone_or_changed(&error) && !error.is_already_exists() => Err(error),
        _ => Ok(()),
    }
}
