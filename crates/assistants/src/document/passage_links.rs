//! Signed addresses of reader pages: each shows one part of one document, to the readers who can download it.

use std::borrow::Cow;

use aws_lc_rs::hmac;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use url::Url;

use super::document::address;
use super::download_address::SIGNATURE;
use super::{DownloadAddress, DownloadKey, PassageAddress, Readership};
use crate::url::WebUrl;

/// The readers for whom an address is signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignedReaders {
    /// Everybody, until a time in seconds since 1970; where the document was uploaded, for this upload alone.
    ForATime {
        /// The upload.
        edition: Option<u64>,
        /// The time.
        expires: i64,
    },
    /// The readers of a conversation.
    Of(Readership),
}

/// The place on a reader page that is shown at first.
const SHOWN: &str = "passage";

impl SignedReaders {
    /// The text that is signed for them. The id of a conversation has no line end.
    fn signed(&self) -> String {
        match self {
            Self::ForATime { edition, expires } => {
                let edition = edition.map(|edition| edition.to_string()).unwrap_or_default();
                format!("time\n{expires}\n{edition}")
            }
            Self::Of(Readership { conversation, begun }) => {
                format!("conversation\n{}\n{conversation}", begun.timestamp_millis())
            }
        }
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::ForATime { edition, expires } => {
                let edition = edition.map(|edition| ("edition", edition.to_string()));
                edition.into_iter().chain([("expires", expires.to_string())]).collect()
            }
            Self::Of(Readership { conversation, begun }) => {
                vec![("conversation", conversation.clone()), ("begun", begun.timestamp_millis().to_string())]
            }
        }
    }
}

impl DownloadKey {
    /// The query of the reader page of a passage, with the place that is shown at first.
    #[must_use]
    pub fn passage_query(
        &self,
        readers: &SignedReaders,
        document: &DownloadAddress,
        passage: &PassageAddress,
    ) -> String {
        let signed = signed(readers, document, passage);
        let signature = URL_SAFE_NO_PAD.encode(hmac::sign(&self.passages, signed.as_bytes()));
        let parameters = [passage.parameters(), readers.parameters(), vec![(SIGNATURE, signature)]].concat();
        format!("?{}#{SHOWN}", query(parameters))
    }

    /// The query with which the same readers download the document.
    #[must_use]
    pub fn download_query(&self, readers: &SignedReaders, document: &DownloadAddress) -> String {
        let signature = match readers {
            SignedReaders::ForATime { edition, expires } => self.sign(document, *edition, *expires),
            SignedReaders::Of(readership) => self.sign_for(readership, document),
        };
        format!("?{}", query([readers.parameters(), vec![(SIGNATURE, signature)]].concat()))
    }

    /// The query of the reader page of a passage for callers who have a credential.
    #[must_use]
    pub fn open_query(passage: &PassageAddress) -> String {
        format!("?{}#{SHOWN}", query(passage.parameters()))
    }

    /// Whether the address of a reader page was signed by this key for these readers. Takes the same time wherever the signature
    /// is wrong.
    #[must_use]
    pub fn is_passage_signed(
        &self,
        readers: &SignedReaders,
        document: &DownloadAddress,
        passage: &PassageAddress,
        signature: &str,
    ) -> bool {
        let signature = URL_SAFE_NO_PAD.decode(signature);
        signature.is_ok_and(|bytes| self.is_signed(|keys| &keys.passages, &signed(readers, document, passage), &bytes))
    }

    /// The address of the reader page of a passage behind that of the server, for those who can open `download`, if that is an address
    /// of the document that is good for everybody for a time.
    pub(super) fn passage_for_holders(
        &self,
        download: &WebUrl,
        document: &DownloadAddress,
        passage: &PassageAddress,
        server: &WebUrl,
    ) -> Option<WebUrl> {
        let given = Url::parse(download.as_str()).ok()?;
        let said = |wanted: &str| given.query_pairs().find(|(name, _)| name == wanted).map(|(_, value)| value);
        let expires: i64 = said("expires")?.parse().ok()?;
        let edition = said("edition").map(|edition: Cow<'_, str>| edition.parse()).transpose().ok()?;
        let readers = SignedReaders::ForATime { edition, expires };
        let own = format!("{}{}", document.url(server)?.as_str(), self.download_query(&readers, document));
        (without_fragment(download) == own).then_some(())?;
        self.passage_link(&readers, document, passage, server)
    }

    /// The address of the reader page of a passage.
    pub(super) fn passage_link(
        &self,
        readers: &SignedReaders,
        document: &DownloadAddress,
        passage: &PassageAddress,
        server: &WebUrl,
    ) -> Option<WebUrl> {
        let page = address(server, ["v1", "documents", &document.name(), "passage"])?;
        format!("{}{}", page.as_str(), self.passage_query(readers, document, passage)).parse().ok()
    }
}

/// The text that is signed. Its last part alone is of the caller's making and may hold anything; the others have no line end, and
/// each kind of readers has as many of them each time.
fn signed(readers: &SignedReaders, document: &DownloadAddress, passage: &PassageAddress) -> String {
    format!("{}\n{}\n{}", passage.signed(), document.name(), readers.signed())
}

pub(super) fn without_fragment(url: &WebUrl) -> &str {
    url.as_str().split_once('#').map_or(url.as_str(), |(document, _)| document)
}

fn query(parameters: Vec<(&'static str, String)>) -> String {
    url::form_urlencoded::Serializer::new(String::new()).extend_pairs(parameters).finish()
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::sync::Arc;

    use chrono::Duration;
    use serde_json::json;

    use super::*;
    use crate::answer::{Addresses as _, Source};
    use crate::clock::{Clock, ManualClock};
    use crate::document::passage_address::PASSAGE;
    use crate::document::{DOCUMENT_ID, DocumentId, DownloadLinks, PublicLinks, ReaderLinks, SignedLinks};
    use crate::secret::Secret;

    fn key() -> DownloadKey {
        DownloadKey::new(&Secret::parse("the-secret-of-these-tests").expect("a secret"))
    }

    fn server() -> WebUrl {
        "https://bot.example/chat".parse().expect("an address")
    }

    fn document() -> DownloadAddress {
        DownloadAddress::new("hr", DocumentId::of_path("a.md"))
    }

    fn readership(conversation: &str) -> Readership {
        Readership { conversation: conversation.to_owned(), begun: "2026-01-01T00:00:00.5Z".parse().expect("a time") }
    }

    /// A source of a document, at the address that readers get.
    fn source(url: WebUrl, media_type: &str) -> Source {
        let metadata = json!({DOCUMENT_ID: document().name(), PASSAGE: "12.AbC-_9"});
        Source {
            url: Some(url),
            content: Some("Annual leave is 30 days. And more.".to_owned()),
            media_type: Some(media_type.to_owned()),
            metadata: metadata.as_object().cloned().unwrap_or_default(),
            ..Source::default()
        }
    }

    /// Whether the query of an address opens a reader page, as the route reads it.
    fn opens(readers: &SignedReaders, document: &DownloadAddress, query: &str) -> bool {
        let query = query.split('#').next().unwrap_or_default().trim_start_matches('?');
        let mut said: BTreeMap<String, String> = BTreeMap::new();
        for (name, value) in url::form_urlencoded::parse(query.as_bytes()).into_owned() {
            said.entry(name).or_insert(value);
        }
        let get = |name: &str| said.get(name).map(String::as_str);
        let is_same = readers.parameters().iter().all(|(name, value)| get(name) == Some(value));
        let signature = get(SIGNATURE).unwrap_or_default();
        let Some(passage) = PassageAddress::parse(get) else { return false };
        is_same && key().is_passage_signed(readers, document, &passage, signature)
    }

    fn passage() -> PassageAddress {
        let source = source(server(), "text/markdown");
        PassageAddress::of_source(&source.metadata, "Annual leave is 30 days. And more.", &(0..24)).expect("a passage")
    }

    fn queries() -> [(SignedReaders, String); 3] {
        let readers = [
            SignedReaders::Of(readership("c1")),
            SignedReaders::ForATime { edition: None, expires: 1_767_225_600 },
            SignedReaders::ForATime { edition: Some(7), expires: 1_767_225_600 },
        ];
        readers.map(|readers| {
            let query = key().passage_query(&readers, &document(), &passage());
            (readers, query)
        })
    }

    #[test]
    fn an_address_opens_its_passage_for_its_readers_alone() {
        for (readers, query) in queries() {
            assert!(opens(&readers, &document(), &query), "{query}");
            assert!(query.ends_with("#passage") && query.starts_with("?place=12&from=0&to=24&words=5."), "{query}");
            assert!(!opens(&readers, &DownloadAddress::new("it", document().document), &query));
            assert!(!opens(&readers, &DownloadAddress::new("hr", DocumentId::of_path("b.md")), &query));
            for (others, _) in queries().iter().filter(|(others, _)| *others != readers) {
                assert!(!key().is_passage_signed(others, &document(), &passage(), signature(&query)));
            }
        }
    }

    fn signature(query: &str) -> &str {
        query.rsplit_once("signature=").and_then(|(_, rest)| rest.split('#').next()).expect("a signature")
    }

    /// More than five hundred changes of one letter, and no one opens anything.
    #[test]
    fn no_letter_of_an_address_can_be_changed() {
        let mut tried = 0;
        for (readers, query) in queries() {
            let end = query.find('#').expect("a place");
            for at in 1..end {
                for letter in ["0", "1", "x", "A", "-", "%31", ""] {
                    let changed = format!("{}{letter}{}", &query[..at], &query[at + 1..end]);
                    if changed == query[..end] {
                        continue;
                    }
                    // The letters between parameters may be written in another way that says the same.
                    let same: BTreeMap<_, _> = url::form_urlencoded::parse(&query.as_bytes()[1..end]).collect();
                    let other: BTreeMap<_, _> = url::form_urlencoded::parse(&changed.as_bytes()[1..]).collect();
                    assert!(!opens(&readers, &document(), &changed) || same == other, "{changed}");
                    tried += 1;
                }
            }
        }
        assert!(tried > 500, "{tried}");
    }

    #[test]
    fn no_two_addresses_are_signed_alike() {
        let numbers = [0, 1, 11, 111];
        let places = numbers.into_iter().flat_map(|place| numbers.map(|from| (place, from)));
        let addresses = places.flat_map(|(place, from)| numbers.map(|length| (place, from..from + length)));
        let readers = SignedReaders::Of(readership("c\n1"));
        let texts: BTreeSet<String> = addresses
            .map(|(place, part)| signed(&readers, &document(), &PassageAddress { place, part, ..passage() }))
            .collect();
        assert_eq!(texts.len(), numbers.len().pow(3));
    }

    #[test]
    fn no_signature_serves_the_other_route() {
        for (readers, query) in queries() {
            let download = key().download_query(&readers, &document());
            assert_ne!(signature(&download), signature(&query));
            assert!(!key().is_passage_signed(&readers, &document(), &passage(), signature(&download)));
            let now = chrono::DateTime::from_timestamp(0, 0).expect("a time");
            let refused = match &readers {
                SignedReaders::ForATime { edition, expires } => {
                    key().verify(&document(), *edition, &expires.to_string(), signature(&query), now).is_err()
                }
                SignedReaders::Of(Readership { conversation, begun }) => {
                    let begun = begun.timestamp_millis().to_string();
                    key().verify_for(&document(), conversation, &begun, signature(&query)).is_err()
                }
            };
            assert!(refused);
        }
    }

    #[test]
    fn a_page_is_for_those_who_can_open_the_document() {
        let clock = Arc::new(ManualClock::at("2026-01-01T00:00:00Z".parse().expect("a time"))) as Arc<dyn Clock>;
        let signer = Arc::new(SignedLinks::new(key(), server(), Duration::days(1)));
        let link = signer.link(&document(), None, clock.now()).expect("an address");
        let public = DownloadLinks::public("hr", server(), Arc::clone(&signer) as Arc<dyn PublicLinks>, clock);
        let anybody = ReaderLinks::for_anybody(vec![public]);
        let locked = DownloadLinks::authenticated("hr", server());
        let readers = ReaderLinks::for_anybody(vec![locked]).signed(key(), readership("c1"), "hr");
        let own = key().link_for(&readership("c1"), &document(), &server()).expect("an address");
        let part = 0..24;
        for (links, url) in [(&anybody, &link), (&readers, &own)] {
            let page = links.for_passage(&source(url.clone(), "text/markdown"), &part).expect("an address");
            assert!(page.as_str().contains("/passage?place=12&from=0&to=24&"), "{page:?}");
            assert_eq!(links.for_passage(&source(url.clone(), "application/pdf"), &part), None, "its viewer marks it");
        }
        let forged: WebUrl = link.as_str().replace("signature=", "signature=A").parse().expect("an address");
        let of_others = key().link_for(&readership("c2"), &document(), &server()).expect("an address");
        let bare = document().url(&server()).expect("an address");
        for (links, url) in
            [(&anybody, &own), (&anybody, &forged), (&anybody, &bare), (&readers, &of_others), (&readers, &link)]
        {
            assert_eq!(links.for_passage(&source(url.clone(), "text/markdown"), &part), None, "{}", url.as_str());
        }
    }
}
