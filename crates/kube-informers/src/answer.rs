//! Reads the answers of an API server within bounds. The server decides how long an answer is, so this module limits
//! the parts that it must hold as a whole: an object, and the text of an error.
//!
//! This module sets no limit for two things. A list has as many objects as the server says, because an informer holds
//! all objects of its resource. The head of an answer is bounded by the HTTP library: hyper takes 100 headers and 400
//! KiB, or 16 KiB with HTTP/2.

use std::io;

use futures::io::AsyncBufRead;
use futures::stream::TryStreamExt;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use kube_client::Client;
use kube_client::client::Body;
use kube_core::Status;
use serde::de::DeserializeOwned;

use crate::cache::ApiError;

/// The most bytes of one object: an item of a list, an event of a watch, a Lease. client-go ends a watch at the same
/// size (`maxBytes` in `apimachinery/pkg/runtime/serializer/streaming`), so client-go cannot watch a longer object
/// either.
pub(crate) const LONGEST_OBJECT: usize = 16 << 20;

/// The most bytes of the answer to a refused request. Such an answer is usually a Status of a few hundred bytes.
const LONGEST_ERROR: usize = 1 << 20;

/// Sends a request and returns the body of the answer, which the caller reads within bounds.
///
/// # Errors
/// The request failed, or the server refused it.
pub(crate) async fn open(client: &Client, request: Request<Vec<u8>>) -> Result<impl AsyncBufRead + use<>, ApiError> {
    let body = accepted(client, request).await?;
    Ok(body.into_data_stream().map_err(io::Error::other).into_async_read())
}

/// Sends a request and returns the object in the answer.
///
/// # Errors
/// The request failed, the server refused it, or its answer is too long or cannot be decoded.
pub(crate) async fn object<T: DeserializeOwned>(client: &Client, request: Request<Vec<u8>>) -> Result<T, ApiError> {
    let text = match Limited::new(accepted(client, request).await?, LONGEST_OBJECT).collect().await {
        Ok(body) => body.to_bytes(),
        Err(error) if error.is::<LengthLimitError>() => {
            return Err(ApiError::TooLarge { what: "an object", limit: LONGEST_OBJECT });
        }
        Err(error) => return Err(ApiError::Client(error)),
    };
    serde_json::from_slice(&text).map_err(|error| ApiError::Decode(error.into()))
}

async fn accepted(client: &Client, request: Request<Vec<u8>>) -> Result<Body, ApiError> {
    let answer = client.send(request.map(Body::from)).await?;
    let status = answer.status();
    if status.is_client_error() || status.is_server_error() {
        return Err(refusal(status, answer).await);
    }
    Ok(answer.into_body())
}

/// Returns the error of a refused request. A text that is no Status, such as a proxy's page, becomes the message of
/// one.
async fn refusal(code: StatusCode, answer: Response<Body>) -> ApiError {
    let text = match Limited::new(answer.into_body(), LONGEST_ERROR).collect().await {
        Ok(body) => String::from_utf8_lossy(&body.to_bytes()).into_owned(),
        Err(error) if error.is::<LengthLimitError>() => {
            format!("the API server answered {code}, with a text longer than {LONGEST_ERROR} bytes")
        }
        Err(error) => return ApiError::Client(error),
    };
    let status = serde_json::from_str(&text).unwrap_or_else(|_| {
        Status::failure(text.trim(), "Failed to parse error data").with_code(code.as_u16()) // the reason that kube-client gives
    });
    ApiError::Status(Box::new(status))
}
