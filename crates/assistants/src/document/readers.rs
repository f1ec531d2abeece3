//! Download links for the readers of one conversation.

use std::ops::Range;

use super::passage_links::without_fragment;
use super::{DOCUMENT_ID, DownloadAddress, DownloadKey, DownloadLinks, PassageAddress, Readership, SignedReaders};
use crate::answer::{Addresses, Source};
use crate::url::WebUrl;

/// Replaces addresses of this server that need a credential: by signed ones for the readers of a conversation, by nothing for
/// everybody else.
///
/// A signed address opens no more than the token of the conversation does: the documents of the assistant that answers there.
#[derive(Clone, Debug)]
pub struct ReaderLinks {
    /// The documents of all assistants.
    documents: Vec<DownloadLinks>,
    readers: Option<ConversationReaders>,
}

#[derive(Clone, Debug)]
struct ConversationReaders {
    readership: Readership,
    /// The assistant that answers in the conversation.
    assistant: String,
    key: DownloadKey,
}

impl ReaderLinks {
    /// Addresses for readers of whom nothing is known.
    #[must_use]
    pub fn for_anybody(documents: Vec<DownloadLinks>) -> Self {
        Self { documents, readers: None }
    }

    /// Addresses for the readers of a conversation in which this assistant answers.
    #[must_use]
    pub fn signed(self, key: DownloadKey, readership: Readership, assistant: impl Into<String>) -> Self {
        Self { readers: Some(ConversationReaders { readership, assistant: assistant.into(), key }), ..self }
    }
}

impl Addresses for ReaderLinks {
    fn for_readers(&self, given: &WebUrl) -> Option<WebUrl> {
        let locked = self.documents.iter().find_map(|links| Some((links, links.locked(given)?)));
        let Some((links, document)) = locked else { return Some(given.clone()) };
        let readers = self.readers.as_ref().filter(|readers| readers.assistant == document.assistant)?;
        let link = readers.key.link_for(&readers.readership, &document, links.server())?;
        match given.fragment() {
            Some(place) => format!("{}#{place}", link.as_str()).parse().ok(),
            None => Some(link),
        }
    }

    fn for_passage(&self, source: &Source, part: &Range<usize>) -> Option<WebUrl> {
        // Browsers show a PDF at its page, and mark the sentence there.
        let url = source.url.as_ref().filter(|_| !source.is_pdf())?;
        let document = DownloadAddress::parse(source.metadata.get(DOCUMENT_ID)?.as_str()?)?;
        let passage = PassageAddress::of_source(&source.metadata, source.content.as_deref()?, part)?;
        let links = self.documents.iter().find(|links| links.assistant() == document.assistant)?;
        // A page is for those alone who can open the document: its address, not what a back end says of it, is the proof.
        if let Some(ConversationReaders { readership, key, .. }) =
            self.readers.as_ref().filter(|readers| readers.assistant == document.assistant)
            && key.link_for(readership, &document, links.server())?.as_str() == without_fragment(url)
        {
            return key.passage_link(&SignedReaders::Of(readership.clone()), &document, &passage, links.server());
        }
        links.passage(url, &document, &passage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::DocumentId;
    use crate::secret::Secret;

    fn server() -> WebUrl {
        "https://bot.example/chat".parse().expect("an address")
    }

    fn links() -> ReaderLinks {
        let of = |assistant: &str| DownloadLinks::authenticated(assistant, server());
        ReaderLinks::for_anybody(vec![of("hr"), of("it.help")])
    }

    fn signed(conversation: &str) -> ReaderLinks {
        let key = DownloadKey::new(&Secret::parse("the-secret-of-these-tests").expect("a secret"));
        let begun = "2026-01-01T00:00:00.5Z".parse().expect("a time");
        links().signed(key, Readership { conversation: conversation.to_owned(), begun }, "hr")
    }

    fn address(assistant: &str, behind: &str) -> WebUrl {
        let id = DocumentId::of_path("a.md");
        format!("https://bot.example/chat/v1/documents/{assistant}.{id}/download{behind}").parse().expect("an address")
    }

    #[test]
    fn a_locked_address_is_signed_for_the_readers_of_a_conversation_alone() {
        let mine = address("hr", "");
        for behind in ["", "?x=1", "#page=2"] {
            let opened = signed("c1").for_readers(&address("hr", behind)).expect("an address");
            let start = format!("{}?conversation=c1&begun=1767225600500&signature=", mine.as_str());
            assert!(opened.as_str().starts_with(&start), "{opened:?}");
            let place = behind.strip_prefix('#').map(|_| behind).unwrap_or_default();
            let again = signed("c1").for_readers(&mine).expect("an address");
            assert_eq!(opened.as_str(), format!("{}{place}", again.as_str()), "the same each time");
        }
        assert_ne!(signed("c1").for_readers(&mine), signed("c2").for_readers(&mine));
        assert_eq!(links().for_readers(&mine), None);
        assert_eq!(
            signed("c1").for_readers(&address("it.help", "")),
            None,
            "of an assistant that does not answer there"
        );
    }

    #[test]
    fn addresses_that_readers_can_open_stay() {
        for open in [
            address("hr", "?expires=1&signature=x"),
            address("hr", "/more"),
            address("nobody", ""),
            "https://other.example/v1/documents/hr.x/download".parse().expect("an address"),
            "https://docs.example/a?b#c".parse().expect("an address"),
        ] {
            for links in [links(), signed("c1")] {
                assert_eq!(links.for_readers(&open).as_ref(), Some(&open));
            }
        }
    }
}
