//! The types of volumes that Kubernetes mounted itself before their CSI drivers existed, and whose volumes count as
//! those of the drivers. Upstream: `k8s.io/csi-translation-lib`.

use kube_machinery::value::Value;

use super::storage::Csi;

/// A type of volumes that a CSI driver has taken over.
struct Migrated {
    /// The name of the type as the provisioner of a class.
    provisioner: &'static str,
    /// The field of a volume's source, and the field in it that identifies the volume.
    source: &'static str,
    id: &'static str,
    driver: &'static str,
}

/// The types for which `isCSIMigrationOn` is true.
const MIGRATED: [Migrated; 5] = [
    Migrated {
        provisioner: "kubernetes.io/aws-ebs",
        source: "awsElasticBlockStore",
        id: "volumeID",
        driver: "ebs.csi.aws.com",
    },
    Migrated {
        provisioner: "kubernetes.io/gce-pd",
        source: "gcePersistentDisk",
        id: "pdName",
        driver: "pd.csi.storage.gke.io",
    },
    Migrated {
        provisioner: "kubernetes.io/azure-disk",
        source: "azureDisk",
        id: "diskURI",
        driver: "disk.csi.azure.com",
    },
    Migrated {
        provisioner: "kubernetes.io/cinder",
        source: "cinder",
        id: "volumeID",
        driver: "cinder.csi.openstack.org",
    },
    Migrated {
        provisioner: "kubernetes.io/portworx-volume",
        source: "portworxVolume",
        id: "volumeID",
        driver: "pxd.portworx.com",
    },
];

/// The types whose volumes have drivers, but are not counted.
const NOT_COUNTED: [&str; 2] = ["kubernetes.io/azure-file", "kubernetes.io/vsphere-volume"];

/// Returns true if a volume in a pod, or the spec of a PersistentVolume, has such a type.
pub(super) fn is_migrated(source: &Value) -> bool {
    MIGRATED.iter().any(|one| source[one.source].is_object())
}

/// Returns the driver and the handle of a volume in a pod, or of the spec of a PersistentVolume.
pub(super) fn of_source(source: &Value) -> Option<Csi> {
    MIGRATED.iter().find_map(|one| {
        let id = source[one.source][one.id].as_str()?;
        // The id of an EBS volume may have the form `aws://ZONE/ID`.
        let id = id.strip_prefix("aws://").and_then(|rest| rest.rsplit('/').next()).unwrap_or(id);
        Some(Csi { driver: one.driver.into(), handle: id.into(), is_migrated: true })
    })
}

/// The driver that makes the volumes of a class.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Provisioner<'a> {
    Driver(&'a str),
    /// The driver of a type that it has taken over.
    Migrated(&'static str),
    NotCounted,
}

impl<'a> Provisioner<'a> {
    /// Upstream: `getCSIDriverInfoFromSC`.
    pub(super) fn of(provisioner: &'a str) -> Self {
        match MIGRATED.iter().find(|one| one.provisioner == provisioner) {
            Some(migrated) => Self::Migrated(migrated.driver),
            None if NOT_COUNTED.contains(&provisioner) => Self::NotCounted,
            None => Self::Driver(provisioner),
        }
    }
}
