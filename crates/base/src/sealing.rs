//! Encryption of keys that a server keeps for others, with a key that follows from its own secret.

use std::fmt;

use aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use aws_lc_rs::hkdf;

use crate::secret::Secret;

/// The first byte of everything that is sealed: the version of the form and of the derivation of the key.
const VERSION: u8 = 1;

/// The length of the key of AES-256-GCM, in bytes.
const KEY_BYTES: usize = 32;

/// Seals keys, and opens what it has sealed. Its key follows from the Direct Line secret, which all nodes share.
#[derive(Clone)]
pub struct Sealer {
    secret: Secret,
    /// While the secret is exchanged: what was sealed by the other one is opened too.
    other: Option<Secret>,
}

/// The bytes were not sealed by this sealer for this owner and place, or were changed since.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the secret of the server is not the one by which this was sealed")]
pub struct CannotOpen;

impl fmt::Debug for Sealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sealer(…)")
    }
}

impl Sealer {
    /// The sealer that follows from a secret.
    #[must_use]
    pub fn new(secret: &Secret) -> Self {
        Self { secret: secret.clone(), other: None }
    }

    /// Seals by this secret, and opens what another one has sealed as well.
    #[must_use]
    pub fn or_by(self, secret: Option<&Secret>) -> Self {
        Self { other: secret.cloned(), ..self }
    }

    /// A key of an owner that may go to a place, so that it can be opened for these two alone; `None` if the system has no random numbers.
    #[must_use]
    pub fn seal(&self, owner: &str, place: &str, key: &Secret) -> Option<Vec<u8>> {
        let mut text = key.expose().as_bytes().to_vec();
        let nonce = derived(&self.secret).seal_in_place_append_tag(bound(owner, place), &mut text).ok()?;
        let mut sealed = vec![VERSION];
        sealed.extend_from_slice(nonce.as_ref());
        sealed.append(&mut text);
        Some(sealed)
    }

    /// The key that was sealed for this owner and place.
    ///
    /// # Errors
    /// When another secret has sealed it, or it is another owner's, for another place, or damaged.
    pub fn open(&self, owner: &str, place: &str, sealed: &[u8]) -> Result<Secret, CannotOpen> {
        let sealed = sealed.strip_prefix(&[VERSION]).ok_or(CannotOpen)?;
        let (nonce, text) = sealed.split_first_chunk::<NONCE_LEN>().ok_or(CannotOpen)?;
        let by = |secret: &Secret| {
            let mut text = text.to_vec();
            let nonce = Nonce::assume_unique_for_key(*nonce);
            let opened = derived(secret).open_in_place(nonce, bound(owner, place), &mut text).ok()?;
            std::str::from_utf8(opened).ok().and_then(|text| Secret::issued(text).ok())
        };
        by(&self.secret).or_else(|| self.other.as_ref().and_then(by)).ok_or(CannotOpen)
    }
}

/// The owner and the place. The owner has its length before it, so that it cannot reach into the place.
fn bound(owner: &str, place: &str) -> Aad<Vec<u8>> {
    Aad::from([&owner.len().to_be_bytes(), owner.as_bytes(), place.as_bytes()].concat())
}

struct KeyLength;

impl hkdf::KeyType for KeyLength {
    fn len(&self) -> usize {
        KEY_BYTES
    }
}

fn derived(secret: &Secret) -> RandomizedNonceKey {
    // HKDF-SHA-256 (RFC 5869); the label says what the key is for, and the version of its derivation.
    let extracted = hkdf::Salt::new(hkdf::HKDF_SHA256, b"citewire sealing").extract(secret.expose().as_bytes());
    let label = [b"keys of assistants, version 1".as_slice()];
    let mut key = [0; KEY_BYTES];
    extracted
        .expand(&label, KeyLength)
        .and_then(|expanded| expanded.fill(&mut key))
        .expect("HKDF-SHA-256 gives 32 bytes");
    RandomizedNonceKey::new(&AES_256_GCM, &key).expect("a key of AES-256 has 32 bytes")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealer(secret: &str) -> Sealer {
        Sealer::new(&Secret::parse(secret).expect("a secret"))
    }

    #[test]
    fn a_key_is_opened_for_its_owner_and_place_alone() {
        let sealer = sealer("the-secret-of-the-server");
        let key = Secret::issued("sk-proj-1234").expect("a key");
        let seal = || sealer.seal("hr", "https://api.openai.com", &key).expect("sealed");
        let sealed = seal();
        assert_ne!(sealed, seal(), "no two are alike");
        assert!(!sealed.windows(4).any(|part| part == b"proj"));
        assert_eq!(sealer.open("hr", "https://api.openai.com", &sealed), Ok(key));
        for (owner, place) in [
            ("it", "https://api.openai.com"),
            ("hr", "https://api.openai.com.evil.example"),
            ("hr", "http://api.openai.com"),
            ("hrhttps", "://api.openai.com"),
        ] {
            assert_eq!(sealer.open(owner, place, &sealed), Err(CannotOpen), "{owner} {place}");
        }
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert_eq!(sealer.open("hr", "https://api.openai.com", &changed), Err(CannotOpen), "byte {at}");
            assert_eq!(sealer.open("hr", "https://api.openai.com", &sealed[..at]), Err(CannotOpen), "{at} bytes");
        }
    }

    #[test]
    fn the_secret_of_the_server_can_be_exchanged_in_two_steps() {
        let key = Secret::issued("sk-1").expect("a key");
        let sealed = sealer("the-secret-of-yesterday").seal("hr", "x", &key).expect("sealed");
        let other = Secret::parse("the-secret-of-yesterday").expect("a secret");
        let both = sealer("the-secret-of-tomorrow").or_by(Some(&other));
        assert_eq!(both.open("hr", "x", &sealed), Ok(key));
        assert_eq!(sealer("the-secret-of-tomorrow").open("hr", "x", &sealed), Err(CannotOpen));
        assert_eq!(format!("{both:?}"), "Sealer(…)");
    }
}
