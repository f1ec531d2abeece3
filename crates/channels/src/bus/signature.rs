//! Signatures of messages: who can write to Redis cannot speak as a node.

use std::fmt;

use aws_lc_rs::{hkdf, hmac};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::secret::Secret;

/// The length of a signature, which stands before the message, in bytes.
const BYTES: usize = 43;

/// Signs what this node says, and judges what others say. The keys follow from the Direct Line secret, which all nodes share.
#[derive(Clone)]
pub struct BusKey {
    key: hmac::Key,
    /// While the secret is exchanged: what was signed with the key of the other one holds.
    other: Option<hmac::Key>,
}

impl fmt::Debug for BusKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BusKey(…)")
    }
}

impl BusKey {
    /// The key that follows from a secret.
    #[must_use]
    pub fn new(secret: &Secret) -> Self {
        Self { key: derived(secret), other: None }
    }

    /// Signing with this key, where messages that another secret signed are valid as well.
    #[must_use]
    pub fn or_by(self, secret: Option<&Secret>) -> Self {
        Self { other: secret.map(derived), ..self }
    }

    /// A message for a channel, with its signature before it.
    #[must_use]
    pub fn sign(&self, channel: &str, message: &str) -> String {
        let mut signing = hmac::Context::with_key(&self.key);
        parts(channel, message.as_bytes()).iter().for_each(|part| signing.update(part));
        let mut signed = URL_SAFE_NO_PAD.encode(signing.sign());
        signed.push_str(message);
        signed
    }

    /// The message behind the signature; `None` where that is not one of a node for this channel.
    pub(super) fn verify<'m>(&self, channel: &str, signed: &'m [u8]) -> Option<&'m [u8]> {
        let (signature, message) = signed.split_at_checked(BYTES)?;
        let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
        let text = parts(channel, message).concat();
        let is_by = |key: &hmac::Key| hmac::verify(key, &text, &signature).is_ok();
        (is_by(&self.key) || self.other.as_ref().is_some_and(is_by)).then_some(message)
    }
}

/// The message behind where a signature stands, whatever that is.
pub(super) fn unverified(signed: &[u8]) -> &[u8] {
    signed.get(BYTES..).unwrap_or_default()
}

/// The bytes to sign. The channel has its length before it, so that it cannot reach into the message.
fn parts<'p>(channel: &'p str, message: &'p [u8]) -> [Vec<u8>; 3] {
    [channel.len().to_be_bytes().to_vec(), channel.as_bytes().to_vec(), message.to_vec()]
}

fn derived(secret: &Secret) -> hmac::Key {
    // HKDF-SHA-256 (RFC 5869); the label says what the key is for, and the version of its derivation.
    let extracted = hkdf::Salt::new(hkdf::HKDF_SHA256, b"citewire bus").extract(secret.expose().as_bytes());
    let label = b"message signing, version 1".as_slice();
    extracted.expand(&[label], hmac::HMAC_SHA256).expect("HKDF-SHA-256 gives 32 bytes").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(secret: &str) -> BusKey {
        BusKey::new(&Secret::parse(secret).expect("a secret"))
    }

    #[test]
    fn a_message_is_good_in_its_channel_and_as_it_was_signed() {
        let ours = key("the-secret-of-all-nodes");
        let signed = ours.sign("citewire:default:a", "{\"v\":1}");
        assert_eq!(ours.verify("citewire:default:a", signed.as_bytes()), Some(b"{\"v\":1}".as_slice()));
        assert_eq!(unverified(signed.as_bytes()), b"{\"v\":1}");
        assert_eq!(ours.verify("citewire:default:b", signed.as_bytes()), None);
        assert_eq!(key("the-secret-of-another-cluster").verify("citewire:default:a", signed.as_bytes()), None);
        for at in 0..signed.len() {
            let mut altered = signed.clone().into_bytes();
            altered[at] ^= 1;
            assert_eq!(ours.verify("citewire:default:a", &altered), None, "{at}");
            assert_eq!(ours.verify("citewire:default:a", &signed.as_bytes()[..at]), None, "{at}");
        }
        assert_eq!(ours.verify("citewire:default:a", b"{\"v\":1}"), None);
    }

    #[test]
    fn while_the_secret_is_exchanged_both_hold() {
        let (old, new) = (Secret::parse("the-old-secret-of-nodes"), Secret::parse("the-new-secret-of-nodes"));
        let (old, new) = (old.expect("a secret"), new.expect("a secret"));
        let prepared = BusKey::new(&old).or_by(Some(&new));
        let moved = BusKey::new(&new).or_by(Some(&old));
        for (from, to) in [(&prepared, &moved), (&moved, &prepared)] {
            assert!(to.verify("c", from.sign("c", "m").as_bytes()).is_some());
        }
    }
}
