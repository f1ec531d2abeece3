//! Test keys, made anew for every run, and tokens signed with them.

use std::sync::LazyLock;

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeySize;
use aws_lc_rs::signature::{
    KeyPair as _, RSA_PKCS1_SHA256, RSA_PKCS1_SHA384, RsaEncoding, RsaKeyPair, RsaPublicKeyComponents,
};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

/// A key pair for tests.
pub(crate) struct TestKey {
    pub(crate) id: &'static str,
    pair: RsaKeyPair,
}

fn made(id: &'static str) -> TestKey {
    TestKey { id, pair: RsaKeyPair::generate(KeySize::Rsa2048).expect("a key") }
}

/// The key of the Bot Connector.
pub(crate) static CHANNEL_KEY: LazyLock<TestKey> = LazyLock::new(|| made("test-channel-1"));

/// The key that the Bot Connector takes next.
pub(crate) static NEXT_CHANNEL_KEY: LazyLock<TestKey> = LazyLock::new(|| made("test-channel-2"));

/// The key of Entra.
pub(crate) static ENTRA_KEY: LazyLock<TestKey> = LazyLock::new(|| made("test-entra-1"));

/// A key that is not published.
pub(crate) static FOREIGN_KEY: LazyLock<TestKey> = LazyLock::new(|| made("test-foreign-1"));

impl TestKey {
    /// The key as it is published.
    pub(crate) fn published(&self) -> Value {
        let (modulus, exponent) = self.components();
        json!({"kty": "RSA", "use": "sig", "kid": self.id, "x5t": self.id, "n": modulus, "e": exponent})
    }

    /// The key as it is published, for some channels only.
    pub(crate) fn endorsed_for(&self, channels: &[&str]) -> Value {
        let mut published = self.published();
        published["endorsements"] = json!(channels);
        published
    }

    /// The modulus and the exponent in base64url.
    pub(crate) fn components(&self) -> (String, String) {
        let components = RsaPublicKeyComponents::<Vec<u8>>::from(self.pair.public_key());
        (URL_SAFE_NO_PAD.encode(components.n), URL_SAFE_NO_PAD.encode(components.e))
    }

    /// A token that says which key it was signed with, in an `Authorization` header.
    pub(crate) fn token(&self, claims: &Value) -> String {
        self.token_with(&json!({"typ": "JWT", "alg": "RS256", "kid": self.id, "x5t": self.id}), claims)
    }

    /// A token with a header of any kind, signed with RS256.
    pub(crate) fn token_with(&self, header: &Value, claims: &Value) -> String {
        self.signed(&RSA_PKCS1_SHA256, header, claims)
    }

    /// A token with a header of any kind, signed with RS384.
    pub(crate) fn token_rs384(&self, header: &Value, claims: &Value) -> String {
        self.signed(&RSA_PKCS1_SHA384, header, claims)
    }

    fn signed(&self, algorithm: &'static dyn RsaEncoding, header: &Value, claims: &Value) -> String {
        let message = unsigned(header, claims);
        let mut signature = vec![0; self.pair.public_modulus_len()];
        let random = SystemRandom::new();
        self.pair.sign(algorithm, &random, message.as_bytes(), &mut signature).expect("a signature");
        format!("Bearer {message}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}

/// The part of a token that is signed.
pub(crate) fn unsigned(header: &Value, claims: &Value) -> String {
    format!("{}.{}", URL_SAFE_NO_PAD.encode(header.to_string()), URL_SAFE_NO_PAD.encode(claims.to_string()))
}
