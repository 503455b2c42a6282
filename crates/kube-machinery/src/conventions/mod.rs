//! The conventions that all kinds of Kubernetes share: causes of a refusal, quantities, label selectors, times,
//! schedules, certificates, and Go's forms of texts and numbers. Upstream: `k8s.io/apimachinery` and Go's standard
//! library.

pub(crate) mod address_warnings;
pub(crate) mod addresses;
pub mod aggregate;
pub mod cause;
pub mod causes;
pub(crate) mod cel_reserved_words;
pub mod conditions;
pub mod cron;
pub mod disruption_allowed;
pub mod edit;
pub mod escape;
pub(crate) mod field;
pub mod fnv;
pub mod go_duration;
#[cfg(feature = "cel")]
pub(crate) mod go_number;
pub(crate) mod go_struct;
#[cfg_attr(not(feature = "cel"), expect(dead_code, reason = "expressions alone need all of it"))]
pub(crate) mod go_url;
pub mod label_selector;
pub(crate) mod names;
#[cfg_attr(not(feature = "cel"), expect(dead_code, reason = "expressions alone need all of it"))]
pub(crate) mod netip;
pub mod operation;
pub mod packed_strings;
pub(crate) mod pem;
pub(crate) mod quantity;
pub mod quote;
pub mod random;
pub mod time_zone;
pub mod user;
pub(crate) mod varint;
pub mod x509;
pub mod yaml;
