//! Conversions to kube-runtime's key of an object, so that an informer's handler can trigger a kube-runtime controller.

use kube_runtime::reflector::{Lookup, ObjectRef};

use crate::cache::{Deletion, Notification, ObjectName};

/// Converts the namespace and name of an object.
///
/// ```
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informers::cache::ObjectName;
/// use kube_runtime::reflector::ObjectRef;
///
/// let key: ObjectName = "default/web".parse().unwrap();
/// assert_eq!(ObjectRef::<Pod>::from(&key), ObjectRef::new("web").within("default"));
/// ```
impl<K: Lookup<DynamicType: Default>> From<&ObjectName> for ObjectRef<K> {
    fn from(key: &ObjectName) -> Self {
        reference(&key.namespace, &key.name)
    }
}

/// Refers to the object that was added, updated or deleted. A tombstone without an object is converted from its key.
impl<K: Lookup<DynamicType: Default>> From<&Notification<K>> for ObjectRef<K> {
    fn from(change: &Notification<K>) -> Self {
        match change {
            Notification::Add { object, .. } | Notification::Update { new: object, .. } => Self::from_obj(object),
            Notification::Delete(Deletion::Final(object)) => Self::from_obj(object),
            Notification::Delete(Deletion::FinalStateUnknown { key, last_known }) => match last_known {
                Some(object) => Self::from_obj(object),
                None => {
                    let (namespace, name) = key.split_once('/').unwrap_or(("", key));
                    reference(namespace, name)
                }
            },
        }
    }
}

fn reference<K: Lookup<DynamicType: Default>>(namespace: &str, name: &str) -> ObjectRef<K> {
    let reference = ObjectRef::new(name);
    if namespace.is_empty() { reference } else { reference.within(namespace) }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{Namespace, Pod};

    use super::*;

    #[test]
    fn a_tombstone_without_an_object_is_converted_from_its_key() {
        let (key, last_known) = ("default/web".to_owned(), None);
        let pod: Notification<Pod> = Notification::Delete(Deletion::FinalStateUnknown { key, last_known });
        assert_eq!(ObjectRef::from(&pod), ObjectRef::<Pod>::new("web").within("default"));
        let (key, last_known) = ("default".to_owned(), None);
        let namespace: Notification<Namespace> = Notification::Delete(Deletion::FinalStateUnknown { key, last_known });
        assert_eq!(ObjectRef::from(&namespace), ObjectRef::<Namespace>::new("default"));
    }
}
