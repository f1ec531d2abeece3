//! The published keys of an issuer.

use std::collections::BTreeMap;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::DecodingKey;
use serde::Deserialize;
use serde_json::Value;
use url::Url;
use uuid::Uuid;

use super::cloud::guid;

/// The most keys that are read. Azure publishes a dozen or two.
pub(super) const MOST_KEYS: usize = 256;

/// The sizes of RSA keys that can be used, in bytes of the modulus: 2048 to 8192 bits.
const MODULUS_BYTES: std::ops::RangeInclusive<usize> = 256..=1024;

/// A key that signs tokens.
pub(super) struct Key {
    decoding: DecodingKey,
    endorsements: Vec<String>,
    tenant: Option<Uuid>,
}

/// The keys of an issuer, by their ids.
pub(super) struct Keys(BTreeMap<String, Arc<Key>>);

/// The reason why a document contains no usable keys.
#[derive(Debug)]
pub(super) enum NoKeys {
    /// It is no key document.
    Format(serde_json::Error),
    /// It has more than [`MOST_KEYS`].
    TooMany(usize),
    /// It has so many, and none that can be used.
    NoneUsable(usize),
}

#[derive(Deserialize)]
struct Document {
    keys: Vec<Value>,
}

/// A key as it is published (RFC 7517), with what Azure adds.
#[derive(Deserialize)]
struct Published {
    kty: String,
    kid: String,
    #[serde(rename = "use")]
    purpose: Option<String>,
    alg: Option<String>,
    n: String,
    e: String,
    /// The channels for which the Bot Connector uses this key.
    endorsements: Option<Vec<String>>,
    /// Whose tokens Entra signs with it; `{tenantid}` stands for everyone's.
    issuer: Option<String>,
}

impl Keys {
    /// Reads a key document. Keys for other purposes, and those that cannot be read, are left out; of several with one
    /// id the first is taken.
    pub(super) fn read(json: &[u8]) -> Result<Self, NoKeys> {
        let document: Document = serde_json::from_slice(json).map_err(NoKeys::Format)?;
        let count = document.keys.len();
        if count > MOST_KEYS {
            return Err(NoKeys::TooMany(count));
        }
        let mut keys = BTreeMap::new();
        for (id, key) in document.keys.into_iter().filter_map(usable) {
            keys.entry(id).or_insert_with(|| Arc::new(key));
        }
        if keys.is_empty() { Err(NoKeys::NoneUsable(count)) } else { Ok(Self(keys)) }
    }

    /// The key with this id.
    pub(super) fn get(&self, id: &str) -> Option<Arc<Key>> {
        self.0.get(id).map(Arc::clone)
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.0.len()
    }
}

impl Key {
    /// The key that checks signatures.
    pub(super) fn decoding(&self) -> &DecodingKey {
        &self.decoding
    }

    /// Whether this key may sign for a channel. One without endorsements signs for all, and an activity without a channel
    /// asks for none. A channel within a channel, such as `msteams:COPILOT`, is endorsed with the one that it is in.
    pub(super) fn endorses(&self, channel_id: Option<&str>) -> bool {
        let Some(channel) = channel_id.filter(|id| !id.is_empty()) else { return true };
        let outer = channel.split_once(':').map_or(channel, |(outer, _)| outer);
        self.endorsements.is_empty() || self.endorsements.iter().any(|name| name == channel || name == outer)
    }

    /// Whether this key may sign for a tenant.
    pub(super) fn signs_for(&self, tenant: Uuid) -> bool {
        self.tenant.is_none_or(|only| only == tenant)
    }
}

fn usable(value: Value) -> Option<(String, Key)> {
    let published: Published = serde_json::from_value(value).ok()?;
    let is_for_tokens = published.kty == "RSA"
        && !published.kid.is_empty()
        && published.purpose.is_none_or(|purpose| purpose == "sig")
        && published.alg.is_none_or(|alg| alg == "RS256");
    let (modulus, exponent) = (number(&published.n)?, number(&published.e)?);
    if !is_for_tokens || !MODULUS_BYTES.contains(&modulus.len()) {
        return None;
    }
    let key = Key {
        decoding: DecodingKey::from_rsa_raw_components(&modulus, &exponent),
        endorsements: published.endorsements.unwrap_or_default(),
        tenant: published.issuer.as_deref().and_then(only_tenant),
    };
    Some((published.kid, key))
}

/// Reads a number without the zeros before it.
fn number(text: &str) -> Option<Vec<u8>> {
    let bytes = URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok()?;
    let first = bytes.iter().position(|byte| *byte != 0)?;
    Some(bytes[first..].to_vec())
}

/// The tenant in the path of an issuer, where there is one and not the place of any.
fn only_tenant(issuer: &str) -> Option<Uuid> {
    Url::parse(issuer).ok()?.path_segments()?.find_map(guid)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use uuid::uuid;

    use super::*;

    /// A key of the right size; no token is signed with it.
    fn published(id: &str) -> Value {
        let modulus = URL_SAFE_NO_PAD.encode([[0xc5; 256].as_slice(), &[1]].concat());
        json!({"kty": "RSA", "kid": id, "use": "sig", "n": modulus, "e": "AQAB", "x5t": id, "x5c": ["MII="]})
    }

    fn with(member: &str, value: Value) -> Value {
        let mut key = published("k1");
        key[member] = value;
        key
    }

    fn read(keys: &[Value]) -> Result<Keys, NoKeys> {
        Keys::read(json!({"keys": keys}).to_string().as_bytes())
    }

    fn only(key: Value) -> Arc<Key> {
        read(&[key]).ok().and_then(|keys| keys.get("k1")).expect("the key")
    }

    #[test]
    fn keys_that_cannot_be_used_are_left_out() {
        for unusable in [
            with("kty", json!("EC")),
            with("use", json!("enc")),
            with("alg", json!("RS384")),
            with("kid", json!("")),
            with("kid", Value::Null),
            with("n", json!("AQAB")),
            with("n", json!("not base64url!")),
            with("n", json!("")),
            with("e", json!(65537)),
            json!(7),
        ] {
            let keys = read(&[unusable.clone(), published("k2")]).expect("one is left");
            assert_eq!(keys.count(), 1, "{unusable}");
            assert!(matches!(read(std::slice::from_ref(&unusable)), Err(NoKeys::NoneUsable(1))), "{unusable}");
        }
        for usable in [with("use", Value::Null), with("alg", json!("RS256")), with("endorsements", Value::Null)] {
            assert_eq!(read(std::slice::from_ref(&usable)).map(|keys| keys.count()).ok(), Some(1), "{usable}");
        }
    }

    #[test]
    fn a_document_is_json_and_has_a_limit() {
        for bad in ["", "[]", "{}", r#"{"keys":{}}"#, "<html>"] {
            assert!(matches!(Keys::read(bad.as_bytes()), Err(NoKeys::Format(_))), "{bad}");
        }
        assert!(matches!(read(&[]), Err(NoKeys::NoneUsable(0))));
        let many: Vec<_> = (0..=MOST_KEYS).map(|number| published(&number.to_string())).collect();
        assert!(matches!(read(&many), Err(NoKeys::TooMany(257))));
    }

    #[test]
    fn an_endorsed_key_signs_for_its_channels_only() {
        let key = only(with("endorsements", json!(["msteams", "webchat"])));
        for channel in [Some("msteams"), Some("webchat"), Some("msteams:COPILOT"), Some(""), None] {
            assert!(key.endorses(channel), "{channel:?}");
        }
        for channel in ["directline", "MSTeams", "msteams2", "teams", "COPILOT:msteams", ":msteams"] {
            assert!(!key.endorses(Some(channel)), "{channel}");
        }
        assert!(only(published("k1")).endorses(Some("directline")));
        assert!(only(with("endorsements", json!([]))).endorses(Some("directline")));
    }

    #[test]
    fn a_key_of_one_tenant_signs_for_no_other() {
        let (own, other) =
            (uuid!("9188040d-6c67-4c5b-b112-36a304b66dad"), uuid!("0f1e2d3c-4b5a-4968-8778-695a4b3c2d1e"));
        let key = only(with("issuer", json!(format!("https://login.microsoftonline.com/{own}/v2.0"))));
        assert!(key.signs_for(own) && !key.signs_for(other));
        let everyone = only(with("issuer", json!("https://login.microsoftonline.com/{tenantid}/v2.0")));
        assert!(everyone.signs_for(own) && everyone.signs_for(other));
    }
}
