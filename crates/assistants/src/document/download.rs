//! Signed download links, which need no other credential.

use std::fmt;

use aws_lc_rs::{hkdf, hmac};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Duration, Utc};

use super::download_address::SIGNATURE;
use super::{DownloadAddress, PassageAddress, Readership};
use crate::secret::Secret;
use crate::url::WebUrl;

/// The longest that such an address is good (rule AH-07).
const LONGEST: Duration = Duration::days(7);

/// Creates public download links with an expiry time: to this server, or to the storage of the documents.
pub trait PublicLinks: fmt::Debug + Send + Sync {
    /// The address of a document; `None` when it can have none. With an edition, it leads to that upload alone.
    fn link(&self, document: &DownloadAddress, edition: Option<u64>, now: DateTime<Utc>) -> Option<WebUrl>;

    /// The address of the reader page of a passage, for those who can open this address of its document; `None` when it has none.
    fn passage(&self, _link: &WebUrl, _document: &DownloadAddress, _passage: &PassageAddress) -> Option<WebUrl> {
        None
    }
}

/// Signs and verifies download links of this server. Its keys are derived from the Direct Line secret, so links stay valid
/// after a restart and on every node with the same secret.
#[derive(Clone)]
pub struct DownloadKey {
    /// Signs addresses that are valid for a time.
    timed: hmac::Key,
    /// Signs addresses that are valid as long as a conversation is there.
    readers: hmac::Key,
    /// Signs addresses of reader pages.
    pub(super) passages: hmac::Key,
    /// The keys of the other secret, while the secret is exchanged: their signatures are valid too.
    other: Option<Box<Self>>,
}

impl fmt::Debug for DownloadKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DownloadKey(…)")
    }
}

/// The reason why a download link is not valid. It never tells what would be valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DownloadError {
    /// The address was valid once.
    #[error("this download link has expired; ask the question again to get a new link")]
    Expired,
    /// The address was never valid: altered, of another document, or not ours.
    #[error("the signature of this download link is wrong")]
    Forged,
}

impl DownloadKey {
    /// The keys that follow from a secret.
    #[must_use]
    pub fn new(secret: &Secret) -> Self {
        // HKDF-SHA-256 (RFC 5869); a label says what a key is for, and the version of its derivation.
        let extracted = hkdf::Salt::new(hkdf::HKDF_SHA256, b"citewire documents").extract(secret.expose().as_bytes());
        let key =
            |label: &[u8]| extracted.expand(&[label], hmac::HMAC_SHA256).expect("HKDF-SHA-256 gives 32 bytes").into();
        Self {
            timed: key(b"download signing, version 1"),
            readers: key(b"signing for readers, version 1"),
            passages: key(b"signing of passages, version 1"),
            other: None,
        }
    }

    /// Accepts addresses as well that were signed with the keys of another secret.
    #[must_use]
    pub fn or_by(self, secret: Option<&Secret>) -> Self {
        Self { other: secret.map(|secret| Box::new(Self::new(secret))), ..self }
    }

    /// Whether the signature was made with the key that `key` gives. Takes the same time wherever it is wrong.
    pub(super) fn is_signed(&self, key: fn(&Self) -> &hmac::Key, signed: &str, signature: &[u8]) -> bool {
        let is_by = |keys: &Self| hmac::verify(key(keys), signed.as_bytes(), signature).is_ok();
        is_by(self) || self.other.as_deref().is_some_and(is_by)
    }

    /// The signature of an address that is good until `expires`, in seconds since 1970, for one edition where there are some.
    #[must_use]
    pub fn sign(&self, document: &DownloadAddress, edition: Option<u64>, expires: i64) -> String {
        URL_SAFE_NO_PAD.encode(hmac::sign(&self.timed, signed(document, edition, expires).as_bytes()))
    }

    /// Checks what an address says. Takes the same time wherever the signature is wrong.
    ///
    /// # Errors
    /// When the address is not good, or not any more.
    pub fn verify(
        &self,
        document: &DownloadAddress,
        edition: Option<u64>,
        expires: &str,
        signature: &str,
        now: DateTime<Utc>,
    ) -> Result<(), DownloadError> {
        let expires: i64 = expires.parse().map_err(|_| DownloadError::Forged)?;
        let signature = URL_SAFE_NO_PAD.decode(signature).map_err(|_| DownloadError::Forged)?;
        let signed = signed(document, edition, expires);
        if !self.is_signed(|keys| &keys.timed, &signed, &signature) {
            return Err(DownloadError::Forged);
        }
        if now.timestamp() >= expires {
            return Err(DownloadError::Expired);
        }
        Ok(())
    }

    /// The address of a document behind that of the server, for the readers of a conversation:
    /// `…/v1/documents/{assistant}.{document}/download?conversation=…&begun=…&signature=…`, `begun` in milliseconds since 1970.
    pub(super) fn link_for(
        &self,
        readership: &Readership,
        document: &DownloadAddress,
        server: &WebUrl,
    ) -> Option<WebUrl> {
        let begun = readership.begun.timestamp_millis();
        let signature = self.sign_for(readership, document);
        let parameters =
            [("conversation", &*readership.conversation), ("begun", &*begun.to_string()), (SIGNATURE, &*signature)];
        document.url_with(server, &parameters)
    }

    /// The signature of an address for the readers of a conversation.
    pub(super) fn sign_for(&self, readership: &Readership, document: &DownloadAddress) -> String {
        let signed = signed_for(document, &readership.conversation, readership.begun.timestamp_millis());
        URL_SAFE_NO_PAD.encode(hmac::sign(&self.readers, signed.as_bytes()))
    }

    /// Checks an address for the readers of a conversation, and says whose it is; whether that conversation is still there is for
    /// the caller to find out. Takes the same time wherever the signature is wrong.
    ///
    /// # Errors
    /// When the address was never good.
    pub fn verify_for(
        &self,
        document: &DownloadAddress,
        conversation: &str,
        begun: &str,
        signature: &str,
    ) -> Result<Readership, DownloadError> {
        let millis: i64 = begun.parse().map_err(|_| DownloadError::Forged)?;
        let signature = URL_SAFE_NO_PAD.decode(signature).map_err(|_| DownloadError::Forged)?;
        let signed = signed_for(document, conversation, millis);
        if !self.is_signed(|keys| &keys.readers, &signed, &signature) {
            return Err(DownloadError::Forged);
        }
        let begun = DateTime::from_timestamp_millis(millis).ok_or(DownloadError::Forged)?;
        Ok(Readership { conversation: conversation.to_owned(), begun })
    }
}

/// The text that is signed. The times and editions are numbers and come first, and an id of a document has no dot: no
/// two addresses are signed alike.
fn signed(document: &DownloadAddress, edition: Option<u64>, expires: i64) -> String {
    let edition = edition.map(|edition| format!(":{edition}")).unwrap_or_default();
    format!("{expires}{edition}.{}", document.name())
}

/// The text that is signed for the readers of a conversation. Neither a number nor the name of a document has a line
/// end: no two addresses are signed alike.
fn signed_for(document: &DownloadAddress, conversation: &str, begun: i64) -> String {
    format!("{begun}\n{}\n{conversation}", document.name())
}

/// Download links of this server: `…/v1/documents/{assistant}.{document}/download?edition=…&expires=…&signature=…`, the edition
/// only of what was uploaded.
#[derive(Clone, Debug)]
pub struct SignedLinks {
    key: DownloadKey,
    server: WebUrl,
    lifetime: Duration,
}

impl SignedLinks {
    /// Addresses behind that of the server, good for `lifetime`, which is seven days at most.
    #[must_use]
    pub fn new(key: DownloadKey, server: WebUrl, lifetime: Duration) -> Self {
        Self { key, server, lifetime: lifetime.clamp(Duration::zero(), LONGEST) }
    }
}

impl PublicLinks for SignedLinks {
    fn link(&self, document: &DownloadAddress, edition: Option<u64>, now: DateTime<Utc>) -> Option<WebUrl> {
        let expires = (now + self.lifetime).timestamp();
        let signature = self.key.sign(document, edition, expires);
        let (edition, expires) = (edition.map(|edition| edition.to_string()), expires.to_string());
        let edition = edition.as_deref().map(|edition| ("edition", edition));
        let parameters: Vec<_> =
            edition.into_iter().chain([("expires", expires.as_str()), (SIGNATURE, &signature)]).collect();
        document.url_with(&self.server, &parameters)
    }

    fn passage(&self, link: &WebUrl, document: &DownloadAddress, passage: &PassageAddress) -> Option<WebUrl> {
        self.key.passage_for_holders(link, document, passage, &self.server)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use serde_json::json;
    use url::Url;

    use super::*;
    use crate::answer::Source;
    use crate::clock::{Clock, ManualClock};
    use crate::document::{DOCUMENT_ID, DocumentId, DownloadLinks};

    fn key(secret: &str) -> DownloadKey {
        DownloadKey::new(&Secret::parse(secret).expect("a secret"))
    }

    fn now() -> DateTime<Utc> {
        "2026-01-01T00:00:00Z".parse().expect("a time")
    }

    fn document(assistant: &str, path: &str) -> DownloadAddress {
        DownloadAddress::new(assistant, DocumentId::of_path(path))
    }

    fn links(days: i64) -> SignedLinks {
        let server = "https://bot.example/chat/".parse().expect("an address");
        SignedLinks::new(key("the-secret-of-these-tests"), server, Duration::days(days))
    }

    fn parameters(url: &WebUrl) -> BTreeMap<String, String> {
        Url::parse(url.as_str()).expect("an address").query_pairs().into_owned().collect()
    }

    #[test]
    fn an_address_is_good_for_its_document_and_its_time_and_nothing_else() {
        let mine = document("hr", "a.md");
        let url = links(1).link(&mine, None, now()).expect("an address");
        let said = parameters(&url);
        let (expires, signature) = (&*said["expires"], &*said["signature"]);
        let verify = |secret: &str, document: &DownloadAddress, expires: &str, signature: &str, after: i64| {
            key(secret).verify(document, None, expires, signature, now() + Duration::seconds(after))
        };
        let secret = "the-secret-of-these-tests";
        let day = 24 * 60 * 60;
        assert_eq!(verify(secret, &mine, expires, signature, day - 1), Ok(()));
        assert_eq!(verify(secret, &mine, expires, signature, day), Err(DownloadError::Expired));
        let later = (expires.parse::<i64>().expect("a number") + 1).to_string();
        for (secret, document, expires, signature) in [
            ("another-secret-of-theirs", &mine, expires, signature),
            (secret, &document("hr", "b.md"), expires, signature),
            (secret, &document("it", "a.md"), expires, signature),
            (secret, &mine, &*later, signature),
            (secret, &mine, expires, &signature[1..]),
            (secret, &mine, expires, ""),
            (secret, &mine, "", signature),
            (secret, &mine, "soon", signature),
        ] {
            assert_eq!(
                verify(secret, document, expires, signature, 0),
                Err(DownloadError::Forged),
                "{expires} {signature}"
            );
        }
    }

    #[test]
    fn an_address_of_one_upload_is_good_for_no_other() {
        let mine = document("hr", "a.md");
        let url = links(1).link(&mine, Some(7), now()).expect("an address");
        let said = parameters(&url);
        let verify = |edition| {
            key("the-secret-of-these-tests").verify(&mine, edition, &said["expires"], &said["signature"], now())
        };
        assert_eq!((said["edition"].as_str(), verify(Some(7))), ("7", Ok(())));
        for other in [None, Some(8), Some(77)] {
            assert_eq!(verify(other), Err(DownloadError::Forged), "{other:?}");
        }
    }

    #[test]
    fn no_address_is_good_for_more_than_seven_days() {
        let url = links(30).link(&document("hr", "a.md"), None, now()).expect("an address");
        let expires: i64 = parameters(&url)["expires"].parse().expect("a number");
        assert_eq!(expires - now().timestamp(), 7 * 24 * 60 * 60);
        assert!(!format!("{:?} {url}", links(1)).contains(&parameters(&url)["signature"]));
    }

    #[test]
    fn sources_without_an_address_get_one() {
        let id = DocumentId::of_path("a.md");
        let source = |url: Option<&str>, id: &str| {
            let metadata = json!({DOCUMENT_ID: id}).as_object().cloned().unwrap_or_default();
            Source { url: url.and_then(|url| url.parse().ok()), metadata, ..Source::default() }
        };
        let mut sources = vec![
            source(None, id.as_str()),
            source(None, id.as_str()),
            source(Some("https://x.example/a"), id.as_str()),
            source(None, "../x"),
            Source::default(),
        ];
        let server = "https://bot.example/chat".parse().expect("an address");
        let authenticated = DownloadLinks::authenticated("a b", server);
        let urls = |sources: &[Source]| -> Vec<Option<String>> {
            sources.iter().map(|source| source.url.as_ref().map(|url| url.as_str().to_owned())).collect()
        };
        let mut linked = sources.clone();
        authenticated.fill_in(&mut linked);
        let expected = format!("https://bot.example/chat/v1/documents/a%20b.{id}/download");
        let kept = Some("https://x.example/a".to_owned());
        assert_eq!(urls(&linked), [Some(expected.clone()), Some(expected), kept.clone(), None, None]);
        let name = format!("a b.{id}");
        let names: Vec<_> = linked.iter().map(|source| source.metadata.get(DOCUMENT_ID)).collect();
        assert_eq!(names[..3], [Some(&json!(name)); 3], "as the route names them");

        let clock = Arc::new(ManualClock::at(now())) as Arc<dyn Clock>;
        let server = "https://bot.example/chat".parse().expect("an address");
        let public = DownloadLinks::public("a.b", server, Arc::new(links(1)), clock);
        public.fill_in(&mut sources);
        let urls = urls(&sources);
        assert!(urls[0].as_ref().is_some_and(|url| url.contains(&format!("/chat/v1/documents/a.b.{id}/download?"))));
        assert_eq!((&urls[0], &urls[2], &urls[3]), (&urls[1], &kept, &None));
        assert_eq!(DownloadAddress::parse(&format!("a.b.{id}")), Some(DownloadAddress::new("a.b", id)));
    }
}
