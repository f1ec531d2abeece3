//! Where keys come from: the OpenID metadata of an issuer and the key document that it names.

use std::time::Duration;

use reqwest::{Method, Request};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use url::Url;

use super::KeysError;
use super::key::{Keys, MOST_KEYS, NoKeys};
use crate::egress::{Client, StreamLimits, is_this_machine};

/// The longest metadata, in bytes. Entra's has two thousand.
const METADATA_BYTES: usize = 64 * 1024;

/// The longest key document, in bytes. A key with its certificates has two to four thousand.
const KEYS_BYTES: usize = 1024 * 1024;

/// An issuer's metadata, and how it is fetched.
#[derive(Debug)]
pub(super) struct KeySource {
    metadata: Url,
    egress: Client,
    /// For everything together.
    time_limit: Duration,
}

/// OpenID Connect Discovery 1.0, section 3; what is of use here.
#[derive(Deserialize)]
struct Metadata {
    jwks_uri: String,
    id_token_signing_alg_values_supported: Option<Vec<String>>,
}

impl KeySource {
    pub(super) fn new(metadata: Url, egress: Client, time_limit: Duration) -> Self {
        Self { metadata, egress, time_limit }
    }

    /// The host of the metadata.
    pub(super) fn host(&self) -> &str {
        self.metadata.host_str().unwrap_or_default()
    }

    /// Fetches the keys that are published now.
    pub(super) async fn fetch(&self) -> Result<Keys, KeysError> {
        if self.metadata.scheme() != "https" && !self.metadata.host().is_some_and(|host| is_this_machine(&host)) {
            return Err(KeysError::NotHttps { host: self.host().to_owned() });
        }
        let slow = |_| KeysError::Slow { host: self.host().to_owned(), seconds: self.time_limit.as_secs_f32() };
        tokio::time::timeout(self.time_limit, self.follow()).await.map_err(slow)?
    }

    /// Metadata, then keys. Both are of one site: whoever could turn the address of the keys elsewhere could turn it to
    /// himself, and the configuration names only the metadata.
    async fn follow(&self) -> Result<Keys, KeysError> {
        let metadata: Metadata = self.document(&self.metadata, "metadata", METADATA_BYTES).await?;
        let algorithms = metadata.id_token_signing_alg_values_supported;
        if algorithms.is_some_and(|names| !names.iter().any(|name| name == "RS256")) {
            return Err(KeysError::Algorithms { host: self.host().to_owned() });
        }
        let address = Url::parse(&metadata.jwks_uri)
            .map_err(|source| KeysError::Address { host: self.host().to_owned(), source })?;
        if address.origin() != self.metadata.origin() {
            let elsewhere = address.origin().ascii_serialization();
            return Err(KeysError::Elsewhere { host: self.host().to_owned(), elsewhere });
        }
        let keys = self.get(&address, "keys", KEYS_BYTES).await?;
        Keys::read(&keys).map_err(|error| {
            let host = self.host().to_owned();
            match error {
                NoKeys::Format(source) => KeysError::Format { host, document: "keys", source },
                NoKeys::TooMany(count) => KeysError::TooMany { host, count, limit: MOST_KEYS },
                NoKeys::NoneUsable(count) => KeysError::NoneUsable { host, count },
            }
        })
    }

    async fn document<T: DeserializeOwned>(
        &self,
        url: &Url,
        document: &'static str,
        limit: usize,
    ) -> Result<T, KeysError> {
        let json = self.get(url, document, limit).await?;
        serde_json::from_slice(&json).map_err(|source| KeysError::Format {
            host: self.host().to_owned(),
            document,
            source,
        })
    }

    async fn get(&self, url: &Url, document: &'static str, bytes: usize) -> Result<Vec<u8>, KeysError> {
        let limits = StreamLimits { first_byte: self.time_limit, silence: self.time_limit, bytes };
        let mut answer = self.egress.stream(Request::new(Method::GET, url.clone()), limits).await?;
        if answer.status.as_u16() != 200 {
            let status = answer.status.as_u16();
            return Err(KeysError::Status { host: self.host().to_owned(), document, status });
        }
        let mut body = Vec::new();
        while let Some(piece) = answer.body.next().await? {
            body.extend_from_slice(&piece);
        }
        Ok(body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::egress::EgressOptions;

    #[tokio::test]
    async fn metadata_is_fetched_in_the_open_from_this_machine_only() {
        for (url, refused) in [
            ("http://login.example/metadata", true),
            ("http://localhost.example/metadata", true),
            ("http://127.0.0.1:9/metadata", false),
            ("http://localhost:9/metadata", false),
        ] {
            let egress = Client::new(EgressOptions::default()).expect("a client");
            let source = KeySource::new(url.parse().expect("a URL"), egress, Duration::from_secs(5));
            let fetched = source.fetch().await.err().expect("nobody is called");
            assert_eq!(matches!(fetched, KeysError::NotHttps { .. }), refused, "{url}: {fetched}");
        }
    }
}
