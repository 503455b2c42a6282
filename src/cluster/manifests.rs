//! `--manifests`: creates the objects of YAML files in a cluster that has just started.

mod kinds;

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::Result;
use http::Request;
use kube::api::DynamicObject;
use kube::{Client, Resource as _};

use self::kinds::Kinds;
use super::files::{self, InputFile};
use crate::trace::Failure;
use kube_testcluster::manifests_from_yaml;

/// The objects of one file.
#[derive(Debug)]
pub(super) struct Manifest {
    file: String,
    objects: Vec<DynamicObject>,
}

impl Manifest {
    /// Returns true if no object is one that only kustomize understands. Flux has a kind of the same name.
    fn is_built(&self) -> bool {
        let group = |object: &DynamicObject| object.types.as_ref().map_or("", |types| &types.api_version).to_owned();
        self.objects.iter().all(|object| !group(object).starts_with("kustomize.config.k8s.io/"))
    }
}

/// The endings of the files that are read in a folder, as kubectl does.
const ENDINGS: [&str; 3] = ["json", "yaml", "yml"];

/// The path that stands for standard input, as for kubectl.
const STANDARD_INPUT: &str = "-";

/// The names of the files that only kustomize understands.
const KUSTOMIZATIONS: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// Reads the files, and those in the folders, in the order of their names. `-` stands for `input`.
///
/// # Errors
/// A file cannot be read, or has something that is not an object.
pub(super) fn read(paths: &[PathBuf], mut input: impl Read) -> Result<Vec<Manifest>> {
    let mut found = Vec::new();
    for path in paths {
        if path == Path::new(STANDARD_INPUT) {
            let manifest = parsed(&files::input_stream(&mut input, WHAT, "standard input")?)?;
            if manifest.objects.is_empty() {
                return Err(Failure::new(("standard input has no objects", "标准输入里没有对象")).into());
            }
            found.push(manifest);
            continue;
        }
        for file in if path.is_dir() { files_in(path)? } else { vec![path.clone()] } {
            let manifest = parsed(&files::input_file(Some(&file), WHAT, None)?.expect("a file was named"));
            if is_kustomization(&file) && !manifest.as_ref().is_ok_and(Manifest::is_built) {
                return Err(not_built(&file).into());
            }
            found.push(manifest?);
        }
    }
    Ok(found)
}

/// The files, in messages.
const WHAT: &str = "the manifests file";

fn parsed(source: &InputFile) -> Result<Manifest> {
    let objects = source.parsed(files::MANIFESTS, manifests_from_yaml)?;
    Ok(Manifest { file: source.name.clone(), objects })
}

fn is_kustomization(file: &Path) -> bool {
    file.file_name().is_some_and(|name| KUSTOMIZATIONS.iter().any(|known| name == *known))
}

/// Says how to create the objects of a kustomization, which is not itself an object.
fn not_built(file: &Path) -> Failure {
    let (shown, folder) = (file.display(), file.parent().filter(|folder| !folder.as_os_str().is_empty()));
    let folder = folder.unwrap_or(Path::new(".")).display();
    let build = format!("kubectl kustomize {folder} | informer-lab cluster --manifests -");
    Failure::new((
        format!("{shown} is a kustomization, which kustomize must build first"),
        format!("{shown} 是 kustomization，须先由 kustomize 构建"),
    ))
    .next((build.clone(), build))
}

/// Returns the YAML and JSON files in a folder, sorted.
fn files_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let shown = folder.display();
    let unreadable = |error| {
        Failure::new((format!("cannot read the folder {shown}"), format!("无法读取目录 {shown}")))
            .because(error)
            .next(("choose a folder that you may read", "请指定一个有权读取的目录"))
    };
    let entries = folder.read_dir().and_then(Iterator::collect::<Result<Vec<_>, _>>).map_err(unreadable)?;
    let is_manifest = |path: &PathBuf| {
        let ending = path.extension().and_then(|ending| ending.to_str());
        path.is_file() && (ending.is_some_and(|ending| ENDINGS.contains(&ending)) || is_kustomization(path))
    };
    let mut files: Vec<_> = entries.into_iter().map(|entry| entry.path()).filter(is_manifest).collect();
    files.sort();
    if files.is_empty() {
        return Err(Failure::new((
            format!("the folder {shown} has no YAML files"),
            format!("目录 {shown} 里没有 YAML 文件"),
        ))
        .next((
            "choose a folder with files that end in .yaml, .yml or .json",
            "请指定含有 .yaml、.yml 或 .json 文件的目录",
        ))
        .into());
    }
    Ok(files)
}

/// Creates the objects in their order, and returns those that exist. They stay as they are, so that a cluster of `--data`
/// starts again with the same options.
///
/// # Errors
/// The server refuses an object, or does not know its kind or one of its fields.
pub(super) async fn create(client: &Client, manifests: &[Manifest]) -> Result<Vec<String>> {
    let mut kinds = Kinds::default();
    let mut kept = Vec::new();
    for Manifest { file, objects } in manifests {
        for object in objects {
            match create_one(client, &mut kinds, object).await {
                Err(kube::Error::Api(status)) if status.is_already_exists() => {
                    kept.push(format!("{file}: {}", described(object)));
                }
                created => created.map_err(|error| refused(file, object, error))?,
            }
        }
    }
    Ok(kept)
}

async fn create_one(client: &Client, kinds: &mut Kinds, object: &DynamicObject) -> kube::Result<()> {
    let (kind, namespaced) = kinds.find(client, object).await?;
    let namespace = object.metadata.namespace.as_deref().unwrap_or(client.default_namespace());
    let path = DynamicObject::url_path(&kind, Some(namespace).filter(|_| namespaced));
    // Strict, as kubectl, because a field with a typo would be dropped in silence.
    let request = Request::post(format!("{path}?fieldValidation=Strict")).header("Content-Type", "application/json");
    let body = serde_json::to_vec(object).map_err(kube::Error::SerdeError)?;
    client.request::<DynamicObject>(request.body(body).map_err(kube::Error::HttpError)?).await.map(drop)
}

fn refused(file: &str, object: &DynamicObject, error: kube::Error) -> Failure {
    let object = described(object);
    let why = match error {
        kube::Error::Api(status) => status.message.clone(), // without the fields of the Status
        other => other.to_string(),
    };
    Failure::new((format!("{file}: cannot create the {object}"), format!("{file}：无法创建 {object}")))
        .because(why)
        .next((
            "correct the object, or put what it needs before it: files are read in the order of their names",
            "请修正这个对象，或把它依赖的对象放在前面：文件按名字的顺序读取",
        ))
}

/// Returns the kind and the name of an object.
fn described(object: &DynamicObject) -> String {
    let kind = object.types.as_ref().map_or("", |types| types.kind.as_str());
    format!("{kind} {:?}", object.metadata.name.as_deref().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::{fs, io};

    use k8s_openapi::api::core::v1::ConfigMap;
    use kube::Api;
    use kube::api::ApiResource;
    use kube_testcluster::{Admission, Cluster};

    use super::*;

    const DEFINITION: &str = "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: websites.example.org}
spec:
  group: example.org
  scope: Namespaced
  names: {plural: websites, kind: Website}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
---
apiVersion: v1
kind: Namespace
metadata: {name: shop}
";
    const OBJECTS: &str = "
- {apiVersion: example.org/v1, kind: Website, metadata: {name: w, namespace: shop}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: b}}
";

    /// A folder with these files, which is removed at the end of the test.
    struct Folder(PathBuf);

    impl Folder {
        fn with(files: &[(&str, &str)]) -> Self {
            let folder = std::env::temp_dir().join(format!("informer-lab-manifests-{:016x}", fastrand::u64(..)));
            fs::create_dir(&folder).expect("a folder");
            for (name, text) in files {
                fs::write(folder.join(name), text).expect("a file");
            }
            Self(folder)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0); // the folder is a temporary one anyway
        }
    }

    #[tokio::test(start_paused = true)]
    async fn objects_are_created_in_the_order_of_the_files_also_of_kinds_that_a_file_defines() {
        let folder = Folder::with(&[("2.yml", OBJECTS), ("1.yaml", DEFINITION), ("README.md", "no YAML: [")]);
        let manifests = read(std::slice::from_ref(&folder.0), io::empty()).unwrap();
        let cluster = Cluster::builder().admission(Admission::Kube).start();
        let client = cluster.client("default");
        create(&client, &manifests).await.unwrap();
        let kept = create(&client, &manifests).await.expect("objects that exist stay");
        assert_eq!(kept.len(), 4);
        let map = Api::<ConfigMap>::default_namespaced(client.clone()).get("c").await.unwrap();
        assert_eq!(map.data.unwrap()["a"], "b");
        let kind = ApiResource {
            group: "example.org".into(),
            version: "v1".into(),
            api_version: "example.org/v1".into(),
            kind: "Website".into(),
            plural: "websites".into(),
        };
        Api::<DynamicObject>::namespaced_with(client, "shop", &kind).get("w").await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn an_object_that_the_server_refuses_is_named_with_its_file() {
        let cluster = Cluster::builder().start();
        for (text, why) in [
            ("{apiVersion: v1, kind: ConfigMap, metadata: {name: A}}", "ConfigMap \"A\" is invalid"),
            ("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, datta: {}}", "unknown field \"datta\""),
            ("{apiVersion: v1, kind: Nosuch, metadata: {name: a}}", "no kind Nosuch in v1"),
            ("{apiVersion: x.org/v1, kind: X, metadata: {name: a}}", "no kind X in x.org/v1"),
        ] {
            let folder = Folder::with(&[("a.yaml", text)]);
            let manifests = read(&[folder.0.join("a.yaml")], io::empty()).unwrap();
            let error = create(&cluster.client("default"), &manifests).await.unwrap_err();
            let told = format!("{error:#}");
            assert!(told.contains("a.yaml: cannot create the ") && told.contains(why), "{told}");
        }
    }

    #[test]
    fn a_folder_without_manifests_is_refused() {
        let folder = Folder::with(&[("README.md", "")]);
        let error = read(std::slice::from_ref(&folder.0), io::empty()).unwrap_err();
        assert!(format!("{error:#}").contains("has no YAML files"));
    }

    #[test]
    fn a_kustomization_is_refused_with_the_command_that_builds_it() {
        for name in ["kustomization.yaml", "Kustomization"] {
            let folder = Folder::with(&[("a.yaml", OBJECTS), (name, "resources: [a.yaml]")]);
            for path in [folder.0.clone(), folder.0.join(name)] {
                let error = format!("{:#}", read(&[path], io::empty()).unwrap_err());
                assert!(error.contains(&format!("{name} is a kustomization")), "{error}");
            }
        }
    }

    #[test]
    fn a_dash_stands_for_standard_input() {
        let manifests = read(&[PathBuf::from("-")], OBJECTS.as_bytes()).unwrap();
        let [Manifest { file, objects }] = &manifests[..] else { panic!("{manifests:?}") };
        assert_eq!((file.as_str(), objects.len()), ("standard input", 2));
        let error = format!("{:#}", read(&[PathBuf::from("-")], "a: b".as_bytes()).unwrap_err());
        assert!(error.contains("standard input:1"), "{error}");
    }
}
