//! The CEL library for IP addresses and networks: `cidr('10.0.0.0/8').containsIP('10.1.2.3')`. Upstream:
//! `pkg/cel/library/ip.go` and `cidr.go`.

use std::net::IpAddr;

use super::super::{Error, Meter};
use super::{Outcome, Value};
use crate::codec::expression::Object;
use crate::conventions::netip::{parse_addr, parse_prefix};
use crate::conventions::quote::quote;

pub(super) const IP: &str = "net.IP";
pub(super) const CIDR: &str = "net.CIDR";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ip(IpAddr);

/// A network: one of its addresses, and the length of the prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cidr(IpAddr, u8);

pub(super) fn call(name: &str, args: &[Value]) -> Option<Outcome> {
    let [Value::String(text)] = args else { return None };
    Some(match name {
        "ip" => ip(text).map(Value::object),
        "isIP" => Ok(Value::Bool(ip(text).is_ok())),
        "ip.isCanonical" => ip(text).map(|ip| Value::Bool(ip.0.to_string() == **text)),
        "cidr" => converted(text).map(Value::object),
        "isCIDR" => Ok(Value::Bool(cidr(text).is_ok())),
        _ => return None,
    })
}

/// Returns the text of an address or a network; `None` for other values.
pub(super) fn to_text(value: &Value) -> Option<String> {
    let ip = value.downcast::<Ip>().map(|ip| ip.0.to_string());
    ip.or_else(|| value.downcast::<Cidr>().map(|cidr| format!("{}/{}", cidr.0, cidr.1)))
}

fn ip(text: &str) -> Result<Ip, Error> {
    let why = |why: String| {
        Error::failed(format!("IP Address {} parse error during conversion from string: {why}", quote(text)))
    };
    let address = parse_addr(text).map_err(why)?;
    if address.has_zone {
        return Err(Error::failed(format!("IP address {} with zone value is not allowed", quote(text))));
    }
    check_family(address.ip, text).map_err(Error::failed)?;
    Ok(Ip(address.ip))
}

/// Refuses an IPv4 address in the form of an IPv6 address, such as `::ffff:10.0.0.1`.
fn check_family(ip: IpAddr, text: &str) -> Result<(), String> {
    let is_mapped = matches!(ip, IpAddr::V6(ip) if ip.to_ipv4_mapped().is_some());
    if is_mapped { Err(format!("IPv4-mapped IPv6 address {} is not allowed", quote(text))) } else { Ok(()) }
}

const WRONG: &str = "network address parse error during conversion from string";

fn cidr(text: &str) -> Result<Cidr, String> {
    let (ip, bits) = parse_prefix(text).map_err(|why| format!("{WRONG}: {why}"))?;
    check_family(ip, text)?;
    Ok(Cidr(ip, bits))
}

/// Reads a network as the function `cidr` does. As upstream, the error of a text that does not parse begins with
/// [`WRONG`] twice.
fn converted(text: &str) -> Result<Cidr, Error> {
    cidr(text).map_err(|why| Error::failed(format!("{WRONG}: {why}")))
}

/// Returns the number of an address and its width in bits.
fn number(ip: IpAddr) -> (u128, u8) {
    match ip {
        IpAddr::V4(ip) => (u32::from(ip).into(), 32),
        IpAddr::V6(ip) => (ip.into(), 128),
    }
}

impl Cidr {
    /// Returns the network's part of an address: as many leading bits as the prefix is long.
    fn prefix(self, of: IpAddr) -> u128 {
        let (number, bits) = number(of);
        // An empty prefix would shift by all the bits of an IPv6 address, which `checked_shr` refuses.
        number.checked_shr((bits - self.1).into()).unwrap_or_default()
    }

    fn contains(self, ip: IpAddr) -> bool {
        self.0.is_ipv4() == ip.is_ipv4() && self.prefix(self.0) == self.prefix(ip)
    }

    /// Returns the network with its first address.
    fn masked(self) -> Self {
        let (_, bits) = number(self.0);
        let first = self.prefix(self.0).checked_shl((bits - self.1).into()).unwrap_or_default();
        let ip = match self.0 {
            IpAddr::V4(_) => IpAddr::V4(u32::try_from(first).unwrap_or_default().into()),
            IpAddr::V6(_) => IpAddr::V6(first.into()),
        };
        Self(ip, self.1)
    }
}

impl Object for Ip {
    #[cfg(test)]
    fn shown(&self) -> String {
        format!("ip({})", self.0)
    }

    fn type_name(&self) -> &'static str {
        IP
    }

    fn equals(&self, other: &dyn Object) -> Option<bool> {
        (other as &dyn std::any::Any).downcast_ref::<Self>().map(|other| self == other)
    }

    fn size(&self) -> u64 {
        if self.0.is_ipv4() { 4 } else { 16 }
    }

    fn call(&self, _: &Meter, name: &str, args: &[Value]) -> Option<Outcome> {
        if !args.is_empty() {
            return None;
        }
        Some(Ok(Value::Bool(match (name, self.0) {
            ("family", ip) => return Some(Ok(Value::Int(if ip.is_ipv4() { 4 } else { 6 }))),
            ("isUnspecified", ip) => ip.is_unspecified(),
            ("isLoopback", ip) => ip.is_loopback(),
            ("isLinkLocalMulticast", IpAddr::V4(ip)) => matches!(ip.octets(), [224, 0, 0, _]),
            ("isLinkLocalMulticast", IpAddr::V6(ip)) => ip.segments()[0] & 0xff0f == 0xff02,
            ("isLinkLocalUnicast", IpAddr::V4(ip)) => ip.is_link_local(),
            ("isLinkLocalUnicast", IpAddr::V6(ip)) => ip.is_unicast_link_local(),
            ("isGlobalUnicast", IpAddr::V4(ip)) => {
                !ip.is_broadcast()
                    && !ip.is_unspecified()
                    && !ip.is_loopback()
                    && !ip.is_multicast()
                    && !ip.is_link_local()
            }
            ("isGlobalUnicast", IpAddr::V6(ip)) => {
                !ip.is_unspecified() && !ip.is_loopback() && !ip.is_multicast() && !ip.is_unicast_link_local()
            }
            _ => return None,
        })))
    }
}

impl Object for Cidr {
    #[cfg(test)]
    fn shown(&self) -> String {
        format!("cidr({}/{})", self.0, self.1)
    }

    fn type_name(&self) -> &'static str {
        CIDR
    }

    fn equals(&self, other: &dyn Object) -> Option<bool> {
        (other as &dyn std::any::Any).downcast_ref::<Self>().map(|other| self == other)
    }

    fn size(&self) -> u64 {
        u64::from(self.1).div_ceil(8)
    }

    fn call(&self, _: &Meter, name: &str, args: &[Value]) -> Option<Outcome> {
        Some(match (name, args) {
            ("ip", []) => Ok(Value::object(Ip(self.0))),
            ("masked", []) => Ok(Value::object(self.masked())),
            ("prefixLength", []) => Ok(Value::Int(self.1.into())),
            // Upstream drops the parse error here and reports a missing overload.
            ("containsIP", [Value::String(text)]) => match ip(text) {
                Ok(ip) => Ok(Value::Bool(self.contains(ip.0))),
                Err(_) => Err(Error::no_such_overload()),
            },
            ("containsIP", [ip]) => Ok(Value::Bool(self.contains(ip.downcast::<Ip>()?.0))),
            ("containsCIDR", [Value::String(text)]) => converted(text).map(|other| Value::Bool(self.covers(other))),
            ("containsCIDR", [other]) => Ok(Value::Bool(self.covers(*other.downcast()?))),
            _ => return None,
        })
    }
}

impl Cidr {
    fn covers(self, other: Self) -> bool {
        self.1 <= other.1 && self.contains(other.0)
    }
}
