//! Customizations: the functions by which a program sets options for the informers of single types.

use std::any::{Any, TypeId};
use std::collections::HashMap;

use crate::cache::shared_informer::SharedIndexInformerBuilder;

/// A function that configures the informers of one type.
type Customization<K> = Box<dyn Fn(SharedIndexInformerBuilder<K>) -> SharedIndexInformerBuilder<K> + Send + Sync>;

/// At most one [`Customization`] for each type.
#[derive(Default)]
pub(super) struct Customizations(HashMap<TypeId, Box<dyn Any + Send + Sync>>);

impl Customizations {
    pub fn set<K: 'static>(
        &mut self,
        how: impl Fn(SharedIndexInformerBuilder<K>) -> SharedIndexInformerBuilder<K> + Send + Sync + 'static,
    ) {
        let how: Customization<K> = Box::new(how);
        self.0.insert(TypeId::of::<K>(), Box::new(how));
    }

    /// Configures the builder by the function of its type. Returns it unchanged if the type has none.
    pub fn apply<K: 'static>(&self, builder: SharedIndexInformerBuilder<K>) -> SharedIndexInformerBuilder<K> {
        match self.0.get(&TypeId::of::<K>()).and_then(|how| how.downcast_ref::<Customization<K>>()) {
            Some(how) => how(builder),
            None => builder,
        }
    }
}
