//! Values that have methods, and nothing else that an expression could see of them. Upstream: `receiverOnlyObjectVal` in
//! `k8s.io/apiserver/pkg/cel/library/authz.go`.

use std::fmt;
use std::sync::Arc;

use kube_cel::cel::objects::Opaque;

use super::{Error, Meter, Outcome, Value};

/// What such a value can do.
pub(crate) trait Methods: fmt::Debug + Send + Sync {
    /// The name of its type.
    fn type_name(&self) -> &'static str;

    /// Calls a method; `None` if there is none of this name that takes these arguments.
    fn call(&self, meter: &Meter, name: &str, args: &[Value]) -> Option<Outcome>;
}

#[derive(Clone, Debug)]
pub(crate) struct Receiver(Arc<dyn Methods>);

impl Receiver {
    pub(crate) fn value(methods: impl Methods + 'static) -> Value {
        Value::Opaque(Arc::new(Self(Arc::new(methods))))
    }

    pub(super) fn call(&self, meter: &Meter, name: &str, args: &[Value]) -> Outcome {
        self.0.call(meter, name, args).unwrap_or_else(|| Err(Error::no_such_overload()))
    }
}

impl PartialEq for Receiver {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Receiver {}

impl Opaque for Receiver {
    fn runtime_type_name(&self) -> &str {
        self.0.type_name()
    }
}
