//! Everything about HTTP that does not depend on the verb: the server socket, the parsing of requests (path, query,
//! body), and the encoding of responses and errors. `router` and the handlers in `verbs` use it.

#[cfg(feature = "serve")]
mod activity;
pub(crate) mod answer;
pub(crate) mod body;
pub(crate) mod compression;
pub(crate) mod cut_watch;
pub(crate) mod deadline;
pub(crate) mod faults;
pub(crate) mod field_validation;
pub(crate) mod flow_control;
#[cfg(feature = "serve")]
pub(crate) mod guard;
pub(crate) mod heavy;
mod holding;
pub(crate) mod json_patch;
#[cfg(feature = "serve")]
mod lingering;
mod list_rows;
mod list_text;
pub(crate) mod negotiation;
pub(crate) mod query;
#[cfg(feature = "serve")]
mod refusals;
pub(crate) mod represent;
pub(crate) mod request_info;
mod requester;
pub(crate) mod response;
pub(crate) mod response_budget;
pub(crate) mod scheme;
#[cfg(feature = "serve")]
pub(crate) mod serve;
mod served_from;
pub(crate) mod sized_body;
pub(crate) mod status;
mod store_error;
pub(crate) mod table;
pub(crate) mod type_meta;
#[cfg(feature = "serve")]
mod unread_body;
pub(crate) mod warnings;
mod watch_encoder;
pub(crate) mod write_options;
