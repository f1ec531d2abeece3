//! The passage of a document that a reader page shows, with those around it.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use unicode_segmentation::UnicodeSegmentation as _;

use super::passage_address::WordsDigest;
use super::{Document, DocumentId, Library, Passage, PassageAddress};

/// A passage of a document as it is now.
#[derive(Clone, Debug)]
pub struct ShownPassage {
    /// The document.
    pub document: Arc<Document>,
    /// All of its passages.
    pub passages: Arc<[Arc<Passage>]>,
    /// The place of the shown one.
    pub place: usize,
    /// The part of it to mark, if it is known.
    pub part: Option<Range<usize>>,
    /// Whether the document is another one than when the address was made.
    pub has_changed: bool,
}

impl Library {
    /// The passage that an address names. In a document that has changed since, it is found by its words. `None` when there is no such
    /// document.
    #[must_use]
    pub fn shown(&self, id: &DocumentId, address: &PassageAddress) -> Option<ShownPassage> {
        let snapshot = self.snapshot();
        let content = snapshot.contents().of_id(id)?;
        let (document, passages) = (Arc::clone(&content.document), Arc::clone(&content.passages));
        let last = passages.len().checked_sub(1)?;
        let place = address.place.min(last);
        let is_marked = !address.part.is_empty();
        let has_changed = is_marked && address.version != document.version;
        let own = passages.get(address.place).and_then(|passage| passage.text.get(address.part.clone()));
        let found = match own {
            _ if !is_marked => None,
            Some(text) if WordsDigest::of_text(text) == address.words => Some((address.place, address.part.clone())),
            _ => find(&passages, place, &address.words),
        };
        let (place, part) = found.map_or((place, None), |(place, part)| (place, Some(part)));
        Some(ShownPassage { document, passages, place, part, has_changed })
    }
}

/// The passage that has these words, and their place in it: the one at `place`, else the first.
fn find(passages: &[Arc<Passage>], place: usize, words: &WordsDigest) -> Option<(usize, Range<usize>)> {
    let places = std::iter::once(place).chain(0..passages.len());
    places.into_iter().find_map(|place| Some((place, part_of(&passages.get(place)?.text, words)?)))
}

/// The part of a text that has these words.
fn part_of(text: &str, wanted: &WordsDigest) -> Option<Range<usize>> {
    let mut window: VecDeque<(usize, String)> = VecDeque::with_capacity(wanted.count);
    for (at, word) in text.unicode_word_indices() {
        window.push_back((at, word.to_lowercase()));
        if window.len() > wanted.count {
            window.pop_front();
        }
        let words: Vec<String> = window.iter().map(|(_, word)| word.clone()).collect();
        if words.len() == wanted.count && WordsDigest::of(&words) == *wanted {
            return window.front().map(|(start, _)| *start..at + word.len());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::document::LibraryOptions;

    const LEAVE: &str =
        "# Leave\n\n## Annual\n\nEmployees get 30 days of leave.\n\n## Parents\n\nParents get 16 weeks.\n";

    #[tokio::test]
    async fn a_passage_is_found_again_by_its_words_in_a_document_that_has_changed() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("leave.md");
        fs::write(&file, LEAVE).expect("written");
        let library = Library::open(LibraryOptions::new(folder.path())).await.expect("a library");
        let source = library.passages("30 days of leave", 1).await.expect("a search").remove(0);
        let content = source.content.clone().expect("a passage");
        let from = content.find("Employees").expect("there");
        let part = from..from + "Employees get 30 days of leave.".len();
        let address = PassageAddress::of_source(&source.metadata, &content, &part).expect("an address");
        let id = DocumentId::of_path("leave.md");
        let marked =
            |shown: &ShownPassage| shown.part.clone().map(|part| shown.passages[shown.place].text[part].to_owned());
        let shown = library.shown(&id, &address).expect("a passage");
        assert_eq!((marked(&shown).as_deref(), shown.has_changed), (Some("Employees get 30 days of leave."), false));
        for (text, expected) in [
            (
                LEAVE.replace("## Annual", "## New\n\nSomething before it.\n\n## Annual"),
                Some("Employees get 30 days of leave"),
            ),
            (LEAVE.replace("30 days", "25 days"), None),
        ] {
            fs::write(&file, text).expect("written");
            library.refresh().await.expect("read");
            let shown = library.shown(&id, &address).expect("a passage");
            assert_eq!((marked(&shown).as_deref(), shown.has_changed), (expected, true));
        }
        let whole = library.shown(&id, &PassageAddress::whole(99)).expect("the last passage");
        assert_eq!((whole.place, whole.part, whole.has_changed), (whole.passages.len() - 1, None, false));
        fs::remove_file(&file).expect("removed");
        library.refresh().await.expect("read");
        assert!(library.shown(&id, &address).is_none());
    }
}
