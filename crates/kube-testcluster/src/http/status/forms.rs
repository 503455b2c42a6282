//! The constructors of [`ApiError`] for the form of requests and responses: patches, media types and sizes.

use http::StatusCode;

use super::ApiError;
use kube_machinery::conventions::cause::Cause;

/// The media types in which objects can be sent and received.
const ACCEPTED: &str = "application/json, application/yaml, application/vnd.kubernetes.protobuf";

impl ApiError {
    /// The error for a well-formed patch that does not apply to the object.
    pub(crate) fn unprocessable() -> Self {
        let message = "the server rejected our request due to an error in our request";
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "Invalid", message).with_empty_details()
    }

    /// The error for a patch whose result is not of the object's type.
    pub(crate) fn undecodable_patch(object: &str, why: &str) -> Self {
        Self::invalid_kind("", "", "", [Cause::invalid("patch", object, why)])
    }

    /// The error for a custom resource with a list in the field `items`. Upstream takes the object for a list, and then
    /// finds no field `Items` in it (`SetList` in `transformResponseObject`).
    pub(crate) fn taken_for_list() -> Self {
        Self::internal("*unstructured.Unstructured is not a list: no Items field in this object")
    }

    pub(crate) fn unsupported_patch() -> Self {
        let message = "415: Unsupported Media Type";
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "UnsupportedMediaType", message).with_empty_details()
    }

    /// The error for a strategic merge patch of a custom resource, which has no Go type.
    pub(crate) fn unsupported_patch_of_custom_resource() -> Self {
        let message = "the body of the request was in an unknown format - accepted media types include: \
                       application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml";
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "UnsupportedMediaType", message)
    }

    pub(crate) fn unsupported_body() -> Self {
        let message =
            format!("the body of the request was in an unknown format - accepted media types include: {ACCEPTED}");
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "UnsupportedMediaType", message)
    }

    /// The error for a client that accepts none of the server's media types.
    pub(crate) fn no_representation(streams: bool) -> Self {
        let more = ", application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";
        let more = if streams { more } else { "" };
        let message = format!("406: Not Acceptable\n\nAvailable representations: {ACCEPTED}{more}");
        Self::new(StatusCode::NOT_ACCEPTABLE, "NotAcceptable", message).with_empty_details()
    }

    /// The error for a client that accepts one of the server's media types, but not in a supported form.
    pub(crate) fn not_acceptable() -> Self {
        let message = format!("only the following media types are accepted: {ACCEPTED}");
        Self::new(StatusCode::NOT_ACCEPTABLE, "NotAcceptable", message)
    }

    /// The error for a watch whose client accepts only a media type without streams.
    pub(crate) fn no_stream() -> Self {
        let streams = "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";
        let message = format!("only the following media types are accepted: {streams}");
        Self::new(StatusCode::NOT_ACCEPTABLE, "NotAcceptable", message)
    }

    /// The error for a view that does not fit the object, because the object is a list or is not one, as `is` says.
    /// `go_type` is the name of the object's internal Go type.
    pub(crate) fn wrong_view(view: &str, is: &str, go_type: &str) -> Self {
        let message = format!("you requested {view}, but the requested object {is} (*{go_type})");
        Self::new(StatusCode::NOT_ACCEPTABLE, "NotAcceptable", message)
    }

    pub(crate) fn too_large(limit: usize) -> Self {
        Self::too_large_because(&format!("limit is {limit}"))
    }

    pub(crate) fn too_large_because(why: &str) -> Self {
        let message = format!("Request entity too large: {why}");
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "RequestEntityTooLarge", message)
    }
}
