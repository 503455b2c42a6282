//! Reads objects of any kind from a YAML file that the user has written. Errors name the line.

use k8s_openapi::api::core::v1::Node;
use kube_core::DynamicObject;
use serde_saphyr::Location;

use super::yaml_documents;
use kube_machinery::conventions::yaml::FileError;
use kube_machinery::kinds::NODES;
use kube_machinery::value::Value;

/// Parses objects of any kind from YAML: several documents, a List, or a sequence. `name` is the file's name for error
/// messages. The server that gets the objects validates them.
///
/// # Errors
/// The text is not YAML, or an object has no `apiVersion`, no `kind` or no name.
pub fn manifests_from_yaml(text: &str, name: &str) -> Result<Vec<DynamicObject>, FileError> {
    let read = |(value, at): (Value, Location)| manifest(&value).map_err(|problem| FileError::at(name, at, problem));
    yaml_documents::objects(text, name, "objects with apiVersion, kind and metadata")
        .map(|found| found.into_iter().map(read).collect())?
}

fn manifest(value: &Value) -> Result<DynamicObject, String> {
    for field in ["apiVersion", "kind"] {
        if value[field].as_str().unwrap_or_default().is_empty() {
            return Err(format!("expected an object with {field}"));
        }
    }
    if value["metadata"]["name"].as_str().unwrap_or_default().is_empty() {
        return Err("expected an object with metadata.name".into());
    }
    serde_json::from_str(&value.to_string()).map_err(|error| format!("expected an object: {error}"))
}

/// Parses templates of nodes from YAML, for [`ClusterBuilder::node_templates`](crate::ClusterBuilder::node_templates).
/// `name` is the file's name for error messages.
///
/// # Errors
/// The text is not YAML, or contains something that is not a Node, or a Node that an API server would refuse.
pub fn node_templates_from_yaml(text: &str, name: &str) -> Result<Vec<Node>, FileError> {
    let read = |(value, at): (Value, Location)| template(value).map_err(|problem| FileError::at(name, at, problem));
    let found =
        yaml_documents::objects(text, name, "nodes: documents of kind Node, a List of nodes, or a sequence of nodes")?;
    if found.is_empty() {
        return Err(FileError::at(name, Location::UNKNOWN, "expected a Node, found nothing"));
    }
    found.into_iter().map(read).collect()
}

fn template(mut value: Value) -> Result<Node, String> {
    let kind = value["kind"].as_str().unwrap_or("Node").to_owned();
    if kind != "Node" || !value.is_object() {
        return Err(format!("expected a Node, found kind {kind}"));
    }
    if !value["metadata"].is_object() {
        value["metadata"] = Value::Object(kube_machinery::value::Map::new());
    }
    if value["metadata"]["name"].is_null() {
        value["metadata"]["name"] = "template".into(); // each node gets a name of its own
    }
    let decoded = NODES.decode_value(value).map_err(|error| format!("expected a Node: {error}"))?;
    if let Some(fault) = decoded.faults.first() {
        return Err(format!("expected a Node, found {fault}"));
    }
    let shaped = decoded.value;
    let mut with_defaults = shaped.clone();
    (NODES.defaults)(&mut with_defaults);
    if let Some(cause) = NODES.causes_of_new(&with_defaults).first() {
        return Err(format!("expected a valid Node, but {}", cause.sentence()));
    }
    serde_json::from_str(&shaped.to_string()).map_err(|error| format!("expected a Node: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_of_any_kind_are_read_in_their_order() {
        let text = "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n---\napiVersion: v1\nkind: List\nitems:\n\
                    - {apiVersion: example.org/v1, kind: Website, metadata: {name: w, namespace: a}, spec: {replicas: 2}}\n";
        let found = manifests_from_yaml(text, "a.yaml").unwrap();
        let names: Vec<_> = found.iter().map(|object| object.metadata.name.clone().unwrap()).collect();
        assert_eq!(names, ["a", "w"]);
        assert_eq!(found[1].data["spec"]["replicas"], 2);
    }

    #[test]
    fn the_items_of_an_object_that_is_no_list_are_its_own() {
        let text = "{apiVersion: example.org/v1, kind: Menu, metadata: {name: m}, items: [{name: soup}]}";
        assert_eq!(manifests_from_yaml(text, "a.yaml").unwrap()[0].data["items"][0]["name"], "soup");
    }

    #[test]
    fn an_object_without_kind_or_name_is_refused_with_its_line() {
        for (text, problem) in [
            ("\napiVersion: v1\nmetadata: {name: a}\n", "a.yaml:2: expected an object with kind"),
            ("apiVersion: v1\nkind: Pod\n", "a.yaml:1: expected an object with metadata.name"),
        ] {
            assert_eq!(manifests_from_yaml(text, "a.yaml").unwrap_err().to_string(), problem);
        }
    }

    #[test]
    fn a_template_that_is_no_valid_node_is_refused() {
        for text in
            ["kind: Pod\n", "spec: {taints: [{key: a, effect: b}]}\n", "status: {capacity: 5}\n", "specs: {}\n", ""]
        {
            assert!(node_templates_from_yaml(text, "n.yaml").is_err(), "{text}");
        }
        let read =
            node_templates_from_yaml("metadata: {labels: {a: b}}\n---\nstatus: {capacity: {cpu: 64}}\n", "n.yaml");
        assert_eq!(read.unwrap().len(), 2);
    }
}
