//! `informer-lab cluster --tls`: the server's certificate, the client certificate in the kubeconfig, and the tokens that
//! the server accepts. The authority is made anew at each start, or kept in the folder of `--data`.

use anyhow::Result;
use kube_testcluster::{Authority, SecureServing};

use super::ClusterSettings;
use super::files;
use super::kubeconfig_file::Credentials;
use crate::trace::Failure;

/// The name of the authority that signs the certificates.
const AUTHORITY: &str = "informer-lab";

/// The user in the kubeconfig, and its group.
const ADMIN: (&str, &str) = ("kubernetes-admin", "system:masters");

/// Returns the TLS settings of the server and the credentials for the kubeconfig, or `None` without `--tls`.
pub(super) fn secure_serving(settings: &ClusterSettings) -> Result<Option<(SecureServing, Credentials)>> {
    if !settings.tls {
        return Ok(None);
    }
    let authority = match &settings.data {
        Some(folder) => Authority::kept_in(folder, AUTHORITY)?,
        None => Authority::new(AUTHORITY)?,
    };
    let server = authority.server(names(settings)).map_err(|error| {
        let names = settings.tls_san.join(", ");
        Failure::new((format!("no certificate for {names}"), format!("无法为 {names} 签发证书")))
            .because(error)
            .next(("give names and addresses, such as lab.example.com", "请指定域名或地址，例如 lab.example.com"))
    })?;
    let serving = SecureServing::new(&server)?.client_ca(authority.certificate())?;
    let mut serving = serving.service_account_key(authority.secret());
    if let Some(file) = files::input_file(settings.token_auth_file.as_deref(), "the token file", None)? {
        serving = serving.token_file(&file.text).map_err(|error| {
            let name = &file.name;
            Failure::new((format!("{name} is not a token file"), format!("{name} 不是 token 文件")))
                .because(error)
                .next((
                    r#"write a line for each token: token,user,uid or token,user,uid,"group1,group2""#,
                    r#"每个 token 写一行：token,user,uid 或 token,user,uid,"group1,group2""#,
                ))
        })?;
    }
    let client = authority.client(ADMIN.0, Some(ADMIN.1))?;
    let certificate = authority.certificate().to_owned();
    let credentials = Credentials { authority: certificate, certificate: client.certificate, key: client.key };
    Ok(Some((serving.signer(authority), credentials)))
}

/// Returns the names and addresses by which clients reach the server. The certificate contains them.
fn names(settings: &ClusterSettings) -> Vec<String> {
    let always = ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc", "127.0.0.1", "::1"];
    let listen_address = settings.listen.ip().to_string();
    always.map(ToOwned::to_owned).into_iter().chain([listen_address]).chain(settings.tls_san.iter().cloned()).collect()
}
