//! Kubernetes' conventions that all other modules need: causes, quantities, label selectors, times, schedules,
//! certificates. Upstream: `k8s.io/apimachinery`.

pub(crate) mod admit;
pub(crate) mod authorization;
pub(crate) mod cause;
pub(crate) mod cel;
pub(crate) mod clock;
pub(crate) mod conditions;
pub(crate) mod cron;
pub(crate) mod escape;
pub(crate) mod fill;
pub(crate) mod fnv;
pub(crate) mod go_duration;
#[cfg(feature = "cel")]
pub(crate) mod go_number;
pub(crate) mod go_struct;
#[cfg_attr(not(feature = "cel"), expect(dead_code, reason = "expressions alone need all of it"))]
pub(crate) mod go_url;
pub(crate) mod label_selector;
pub(crate) mod names;
#[cfg_attr(not(feature = "cel"), expect(dead_code, reason = "expressions alone need all of it"))]
pub(crate) mod netip;
pub(crate) mod pem;
pub(crate) mod private_file;
pub(crate) mod quantity;
pub(crate) mod quote;
pub(crate) mod random;
pub(crate) mod texts;
pub(crate) mod user;
pub(crate) mod varint;
pub(crate) mod x509;
pub(crate) mod yaml;
