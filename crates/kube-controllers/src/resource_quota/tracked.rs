//! The objects that a quota can limit, with only what the controller needs of them. It caches all objects of a limited
//! resource, so the other fields would be most of its memory.

use std::marker::PhantomData;

use kube_core::Resource;
use kube_informers::cache::{Meta, Object, SlimMeta};
use kube_machinery::kinds::quota::{Evaluator, Footprint};
use kube_machinery::value::{Value, from_value};
use serde::de::Error;
use serde::{Deserialize, Deserializer};

/// An object that may know the amounts of a quota that it uses.
pub(super) trait MayHaveFootprint: Object + Send + Sync + 'static {
    /// Returns the amounts, or `None` for an object of which a quota limits only the number.
    fn footprint(&self) -> Option<&Footprint>;
}

/// An object of the kind `K`, whose use of a quota can change.
pub(super) struct Tracked<K> {
    metadata: SlimMeta,
    footprint: Option<Footprint>,
    kind: PhantomData<fn() -> K>,
}

impl<'de, K: Resource<DynamicType = ()>> Deserialize<'de> for Tracked<K> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut object = Value::deserialize(from)?;
        let evaluator = Evaluator::of(&K::group(&()), &K::plural(&()));
        let footprint = evaluator.map(|evaluator| evaluator.footprint(&object));
        let metadata = from_value(object["metadata"].take()).map_err(D::Error::custom)?;
        Ok(Self { metadata, footprint, kind: PhantomData })
    }
}

impl<K> Object for Tracked<K> {
    fn meta(&self) -> Meta<'_> {
        self.metadata.meta()
    }
}

impl<K: 'static> MayHaveFootprint for Tracked<K> {
    fn footprint(&self) -> Option<&Footprint> {
        self.footprint.as_ref()
    }
}

/// An object of which a quota limits only the number.
#[derive(Deserialize)]
pub(super) struct CountedOnly {
    metadata: SlimMeta,
}

impl Object for CountedOnly {
    fn meta(&self) -> Meta<'_> {
        self.metadata.meta()
    }
}

impl MayHaveFootprint for CountedOnly {
    fn footprint(&self) -> Option<&Footprint> {
        None
    }
}
