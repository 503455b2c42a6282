//! The choices of upstream's registry of a kind: the router that dispatches the kind's requests, the Go type into which it
//! decodes the objects, and the way it makes Tables of them. A kind's row (`row`) has the choices. Upstream: `rest.Storage`.

/// The router of upstream that dispatches the requests of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dispatcher {
    /// go-restful, with a route for each kind and method.
    GoRestful,
    /// One handler for all custom resources, which knows no routes. Upstream: `crdHandler` of
    /// `customresource_handler.go`.
    CrdHandler,
}

/// The Go type as which upstream holds the objects of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectType {
    /// A Go struct, which has zero values, a protobuf form, and tags for strategic merge patches.
    Struct,
    /// `unstructured.Unstructured`, a map of JSON, in which `kind` and `apiVersion` are fields like all others.
    Unstructured,
}

/// The way upstream's registry of a kind makes Tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableConvertor {
    /// With the printers of kube-apiserver, or with the columns of a definition.
    Columns,
    /// Like `Columns`, but the status has no Table.
    ColumnsOfWhole,
    /// With `rest.NewDefaultTableConvertor`: the rows of an empty list are null, and the status has no Table.
    Default,
}

/// The form in which upstream stores the objects of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageForm {
    Protobuf,
    /// The form of the kinds of `apiextensions-apiserver` and `kube-aggregator`.
    Json,
}
