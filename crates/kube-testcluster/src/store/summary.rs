//! The fields of an object that filters and controllers read for every object: uid, labels, finalizers and selectable
//! fields. They are kept beside the object's JSON, because decoding the object for each read would cost too much.

use std::borrow::Cow;
use std::iter;

use kube_machinery::conventions::packed_strings::PackedStrings;
use kube_machinery::kinds::Resource;
use kube_machinery::kinds::field_selector::text_at;
use kube_machinery::value::Value;

#[derive(Debug)]
pub(crate) struct Summary {
    pub(crate) is_deleting: bool,
    pub(crate) has_owners: bool,
    /// True if upstream takes the object for a list, and so fails to return it.
    pub(crate) has_items_list: bool,
    /// Whether a pod has a volume of the type `ephemeral`, for which a controller makes a claim.
    pub(crate) has_ephemeral_volume: bool,
    /// The number of entries in `texts` that are labels: two for each label, its key and its value.
    labels: u32,
    /// The number of entries in `texts` that are finalizers.
    finalizers: u32,
    /// The uid, the labels, the finalizers, and the fields for field selectors in the order of the kind's row.
    texts: PackedStrings,
}

/// The index of the first label in `texts`.
const LABELS: usize = 1;

impl Summary {
    pub(crate) fn of(resource: &Resource, value: &Value) -> Self {
        let metadata = &value["metadata"];
        let labels = metadata["labels"].as_object().into_iter().flatten();
        let labels = labels.filter_map(|(key, value)| Some([key.as_str(), value.as_str()?])).flatten();
        let finalizers = metadata["finalizers"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let fields = resource.fields();
        let fields = fields.map(|(_, path, missing)| text_at(value, path).unwrap_or(Cow::Borrowed(missing)));
        let uid = metadata["uid"].as_str().unwrap_or_default();
        let mut volumes = value["spec"]["volumes"].as_array().into_iter().flatten();
        let plain = iter::once(uid).chain(labels.clone()).chain(finalizers.clone()).map(Cow::Borrowed);
        Self {
            is_deleting: metadata["deletionTimestamp"].is_string(),
            has_owners: metadata["ownerReferences"].as_array().is_some_and(|owners| !owners.is_empty()),
            has_items_list: resource.has_items_list(value),
            has_ephemeral_volume: volumes.any(|volume| volume["ephemeral"].is_object()),
            labels: labels.count() as u32, // a request has 3 MiB at most
            finalizers: finalizers.count() as u32,
            texts: plain.chain(fields).collect(),
        }
    }

    pub(crate) fn uid(&self) -> &str {
        self.texts.get(0).unwrap_or_default()
    }

    pub(crate) fn label(&self, key: &str) -> Option<&str> {
        let mut labels = self.texts.range(LABELS..).take(self.labels as usize);
        while let (Some(name), Some(value)) = (labels.next(), labels.next()) {
            if name == key {
                return Some(value);
            }
        }
        None
    }

    /// Returns the n-th field for field selectors, or the default that stands for a missing one.
    pub(crate) fn field(&self, n: usize) -> Option<&str> {
        self.texts.get(self.finalizers_at() + self.finalizers as usize + n)
    }

    pub(crate) fn finalizers(&self) -> impl Iterator<Item = &str> {
        self.texts.range(self.finalizers_at()..).take(self.finalizers as usize)
    }

    pub(crate) fn has_finalizer(&self, name: &str) -> bool {
        self.finalizers().any(|finalizer| finalizer == name)
    }

    fn finalizers_at(&self) -> usize {
        LABELS + self.labels as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube_machinery::kinds::PODS;
    use kube_machinery::value::json;

    #[test]
    fn each_text_is_found_at_its_place() {
        let pod = json!({
            "metadata": {
                "uid": "u-1", "labels": {"app": "web", "empty": "", "none": null}, "finalizers": ["a/b", "c/d"],
                "deletionTimestamp": "2023-05-01T10:00:00Z",
            },
            "spec": {"nodeName": "node-1"},
        });
        let summary = Summary::of(PODS, &pod);
        assert_eq!(summary.uid(), "u-1");
        assert_eq!(["app", "empty", "none", "web"].map(|key| summary.label(key)), [Some("web"), Some(""), None, None]);
        assert_eq!(["a/b", "c/d", "app", "u-1"].map(|name| summary.has_finalizer(name)), [true, true, false, false]);
        assert!(summary.is_deleting && !summary.has_owners);
        for (n, (name, path, missing)) in PODS.fields().enumerate() {
            let expected = text_at(&pod, path).unwrap_or(missing.into());
            assert_eq!(summary.field(n), Some(&*expected), "{name}");
        }
        assert_eq!(summary.field(PODS.fields().count()), None);
    }

    #[test]
    fn an_object_without_metadata_has_no_texts() {
        let summary = Summary::of(PODS, &json!({}));
        assert_eq!((summary.uid(), summary.label(""), summary.has_finalizer("")), ("", None, false));
    }
}
