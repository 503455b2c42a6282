//! Gives the user ada the permission to list and watch pods, and takes it away.

use anyhow::Result;
use k8s_openapi::api::rbac::v1::{PolicyRule, Role, RoleBinding, RoleRef, Subject};
use kube::Api;
use kube::api::{DeleteParams, ObjectMeta, PostParams};

const NAME: &str = "reads-pods";

pub(super) async fn grant(admin: &kube::Client, namespace: &str) -> Result<()> {
    let metadata = ObjectMeta { name: Some(NAME.to_owned()), ..ObjectMeta::default() };
    let rule = PolicyRule {
        api_groups: Some(vec![String::new()]),
        resources: Some(vec!["pods".to_owned()]),
        verbs: vec!["list".to_owned(), "watch".to_owned()],
        ..PolicyRule::default()
    };
    let role = Role { metadata: metadata.clone(), rules: Some(vec![rule]) };
    let group = "rbac.authorization.k8s.io".to_owned();
    let binding = RoleBinding {
        metadata,
        role_ref: RoleRef { api_group: Some(group.clone()), kind: "Role".to_owned(), name: NAME.to_owned() },
        subjects: Some(vec![Subject {
            api_group: Some(group),
            kind: "User".to_owned(),
            name: "ada".to_owned(),
            ..Subject::default()
        }]),
    };
    Api::namespaced(admin.clone(), namespace).create(&PostParams::default(), &role).await?;
    Api::namespaced(admin.clone(), namespace).create(&PostParams::default(), &binding).await?;
    Ok(())
}

pub(super) async fn revoke(admin: &kube::Client, namespace: &str) -> Result<()> {
    Api::<RoleBinding>::namespaced(admin.clone(), namespace).delete(NAME, &DeleteParams::default()).await?;
    Ok(())
}
