//! The continue token of a paged list: encoding and decoding. A page that is not the last one has a token in its
//! metadata; the client sends it back to get the next page.

use base64::Engine;
use base64::alphabet::URL_SAFE;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, URL_SAFE_NO_PAD};
use kube_machinery::codec::go_syntax;
use serde::{Deserialize, Serialize};

const VERSION: &str = "meta.k8s.io/v1";

/// The revision and the first key of the next page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ContinueToken {
    /// `None` for the state that is current when the token is used.
    pub(crate) revision: Option<u64>,
    /// The least key of the next page, relative to the collection.
    pub(crate) start: String,
}

#[derive(Serialize, Deserialize)]
struct TokenJson {
    #[serde(default)]
    v: String,
    /// The revision, or -1 for the state that is current when the token is used.
    #[serde(default)]
    rv: i64,
    #[serde(default)]
    start: String,
}

/// A decoder that ignores the spare bits of the last symbol, as Go does.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new()
        .with_encode_padding(false)
        .with_decode_padding_mode(DecodePaddingMode::RequireNone)
        .with_decode_allow_trailing_bits(true),
);

impl ContinueToken {
    /// Returns the token of the page after the key `last`.
    pub(crate) fn after(revision: u64, last: &str) -> Self {
        Self { revision: Some(revision), start: format!("{last}\0") }
    }

    /// Encodes the token as unpadded base64url of a small JSON object. Clients must treat it as opaque.
    pub(crate) fn encode(&self) -> String {
        let (rv, start) = match self.revision {
            Some(revision) => (i64::try_from(revision).unwrap_or(i64::MAX), format!("/{}", self.start)),
            None => (-1, self.start.clone()),
        };
        let json = serde_json::to_vec(&TokenJson { v: VERSION.into(), rv, start }).expect("a token is plain text");
        URL_SAFE_NO_PAD.encode(json)
    }

    /// The error is upstream's message for a token that the server has not made.
    pub(crate) fn decode(token: &str) -> Result<Self, String> {
        let json = LENIENT.decode(token).map_err(|error| {
            let at = match error {
                base64::DecodeError::InvalidByte(at, _) => at,
                base64::DecodeError::InvalidLastSymbol { offset, .. } => offset,
                _ => token.len() - token.len() % 4, // the start of the last group
            };
            not_valid(&format!("illegal base64 data at input byte {at}"))
        })?;
        let wire: TokenJson = serde_json::from_slice(&json)
            .map_err(|error| not_valid(&go_syntax::fault(&json).unwrap_or_else(|| error.to_string())))?;
        if wire.v != VERSION {
            return Err(not_valid(&format!("server does not recognize this encoded version {}", wire.v)));
        }
        if wire.rv == 0 {
            return Err(not_valid(&format!("incorrect encoded start resourceVersion (version {VERSION})")));
        }
        if wire.start.is_empty() {
            return Err(not_valid(&format!("encoded start key empty (version {VERSION})")));
        }
        let start = wire.start.strip_prefix('/').unwrap_or(&wire.start);
        if start.split('/').any(|part| matches!(part, "" | "." | "..")) {
            return Err(not_valid(&wire.start));
        }
        Ok(Self { revision: u64::try_from(wire.rv).ok(), start: start.to_owned() })
    }
}

fn not_valid(why: &str) -> String {
    format!("invalid continue token: continue key is not valid: {why}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_decoded_as_it_was_encoded() {
        let token = ContinueToken::after(7, "beta");
        assert_eq!(ContinueToken::decode(&token.encode()).unwrap(), token);
        let latest = ContinueToken { revision: None, ..token };
        assert_eq!(ContinueToken::decode(&latest.encode()).unwrap(), latest);
    }

    #[test]
    fn foreign_tokens_are_refused() {
        for (wire, message) in [
            (
                r#"{"v":"meta.k8s.io/v1","rv":0,"start":"x"}"#,
                "incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
            ),
            (r#"{"v":"meta.k8s.io/v1","rv":1}"#, "encoded start key empty (version meta.k8s.io/v1)"),
            (r#"{"v":"v9","rv":1,"start":"x"}"#, "server does not recognize this encoded version v9"),
            (r#"{"v":"meta.k8s.io/v1","rv":1,"start":"a/../b"}"#, "a/../b"),
        ] {
            assert_eq!(ContinueToken::decode(&URL_SAFE_NO_PAD.encode(wire)).unwrap_err(), not_valid(message));
        }
        assert_eq!(ContinueToken::decode("!!").unwrap_err(), not_valid("illegal base64 data at input byte 0"));
    }
}
