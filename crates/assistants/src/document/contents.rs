//! The documents of a library with their passages, in the order of their paths.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

use super::file::{FileContent, FileRead};
use super::{Document, DocumentId, Passage};
use crate::digest::of_parts;

/// Documents that are another text than before, are new or cannot be read, by their paths; `None` for those that are gone.
pub(super) type ContentChanges = BTreeMap<String, Option<FileRead>>;

/// The documents of a library, each with its passages. Every passage has a place: the number of those before it.
#[derive(Debug, Default)]
pub(super) struct Contents {
    contents: Vec<FileContent>,
    /// The place of the first passage of each document.
    firsts: Vec<usize>,
    /// The number of all passages.
    passages: usize,
    /// The bytes of all texts.
    text_bytes: u64,
    /// The position of each document by its id, which is looked up after few changes only.
    by_id: OnceLock<HashMap<DocumentId, usize>>,
    digest: OnceLock<[u8; 32]>,
}

impl Contents {
    /// These documents, in the order of their paths.
    pub(super) fn of_sorted(contents: Vec<FileContent>) -> Self {
        let mut passages = 0;
        let mut firsts = Vec::with_capacity(contents.len());
        for content in &contents {
            firsts.push(passages);
            passages += content.passages.len();
        }
        let text_bytes = contents.iter().map(|content| content.text_bytes).sum();
        Self { contents, firsts, passages, text_bytes, ..Self::default() }
    }

    /// The documents after these changes. A document that stays costs a copy of its place in the list, and no more.
    pub(super) fn with(&self, changes: ContentChanges) -> Self {
        let mut contents = Vec::with_capacity(self.contents.len() + changes.len());
        let mut rest = self.contents.as_slice();
        for (path, content) in changes {
            let before = rest.partition_point(|other| other.path() < path.as_str());
            let (stay, others) = rest.split_at_checked(before).unwrap_or((rest, &[]));
            contents.extend_from_slice(stay);
            contents.extend(content.and_then(Result::ok));
            rest = others.split_first().filter(|(first, _)| first.path() == path).map_or(others, |(_, others)| others);
        }
        contents.extend_from_slice(rest);
        Self::of_sorted(contents)
    }

    /// The number of documents.
    pub(super) fn len(&self) -> usize {
        self.contents.len()
    }

    /// The number of passages.
    pub(super) fn passages(&self) -> usize {
        self.passages
    }

    /// The bytes of all texts.
    pub(super) fn text_bytes(&self) -> u64 {
        self.text_bytes
    }

    pub(super) fn iter(&self) -> std::slice::Iter<'_, FileContent> {
        self.contents.iter()
    }

    /// The documents with the places of their first passages.
    pub(super) fn placed(&self) -> impl Iterator<Item = (usize, &FileContent)> {
        self.firsts.iter().copied().zip(&self.contents)
    }

    /// The place of the first passage of the document at this position.
    pub(super) fn first(&self, position: usize) -> Option<usize> {
        self.firsts.get(position).copied()
    }

    /// The document of this path.
    pub(super) fn of_path(&self, path: &str) -> Option<&FileContent> {
        let found = self.contents.binary_search_by(|content| content.path().cmp(path)).ok()?;
        self.contents.get(found)
    }

    /// The document with this id.
    pub(super) fn of_id(&self, id: &DocumentId) -> Option<&FileContent> {
        let by_id = self.by_id.get_or_init(|| {
            self.contents.iter().enumerate().map(|(at, content)| (content.document.id.clone(), at)).collect()
        });
        self.contents.get(*by_id.get(id)?)
    }

    /// The passage at this place, with its document.
    pub(super) fn passage(&self, place: usize) -> Option<(&Arc<Document>, &Arc<Passage>)> {
        let (content, place) = self.content_at(place)?;
        Some((&content.document, content.passages.get(place)?))
    }

    /// The document that has the passage at this place, and the place of that in the document.
    pub(super) fn content_at(&self, place: usize) -> Option<(&FileContent, usize)> {
        // Documents without passages stand before the one that has the place.
        let position = self.firsts.partition_point(|first| *first <= place).checked_sub(1)?;
        Some((self.contents.get(position)?, place - self.firsts.get(position)?))
    }

    /// The digest of the documents and their texts, as they are found and quoted.
    pub(super) fn digest(&self) -> [u8; 32] {
        *self.digest.get_or_init(|| of_parts(self.contents.iter().map(|content| content.digest)))
    }

    /// The position that each of these documents has in other contents; `None` where those do not have it, or not with this text.
    pub(super) fn positions_in(&self, others: &Self) -> Vec<Option<usize>> {
        let mut rest = others.contents.iter().enumerate().peekable();
        let position = |content: &FileContent| {
            while rest.next_if(|(_, other)| other.path() < content.path()).is_some() {}
            let (at, _) =
                rest.next_if(|(_, other)| other.path() == content.path() && other.digest == content.digest)?;
            Some(at)
        };
        self.contents.iter().map(position).collect()
    }
}

#[cfg(test)]
mod tests {
    use citewire_documents::{Format, Markup, Unreadable};
    use proptest::prelude::*;

    use super::*;

    fn content(path: &str, passages: usize, text: &str) -> FileContent {
        let passage = |place| {
            let text = format!("{text} {place}");
            Arc::new(Passage { headings: Vec::new(), text, page: None, place, markup: Markup::Plain })
        };
        let document = Document::new(path.to_owned(), Format::Text, None, None);
        FileContent::new(document, (0..passages).map(passage).collect())
    }

    /// The outcome of reading a document; too many passages are more than is read.
    fn read(path: &str, passages: usize, text: &str) -> FileRead {
        if passages > 2 { Err(Unreadable::Empty) } else { Ok(content(path, passages, text)) }
    }

    fn listed(contents: &Contents) -> Vec<(String, String)> {
        let passages = (0..contents.passages()).map(|place| contents.passage(place).expect("a passage"));
        passages.map(|(document, passage)| (document.path.clone(), passage.text.clone())).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// A map of paths says what is right.
        #[test]
        fn changes_give_what_a_list_made_anew_gives(
            steps in proptest::collection::vec(
                proptest::collection::btree_map("[a-e]", proptest::option::of((0_usize..4, "[xy]")), 0..4),
                1..8,
            ),
        ) {
            let mut wanted: BTreeMap<String, FileContent> = BTreeMap::new();
            let mut contents = Contents::default();
            for step in steps {
                let changes: ContentChanges = step
                    .into_iter()
                    .map(|(path, new)| (path.clone(), new.map(|(passages, text)| read(&path, passages, &text))))
                    .collect();
                for (path, change) in &changes {
                    match change {
                        Some(Ok(content)) => drop(wanted.insert(path.clone(), content.clone())),
                        Some(Err(_)) | None => drop(wanted.remove(path)),
                    }
                }
                let next = contents.with(changes);
                let anew = Contents::of_sorted(wanted.values().cloned().collect());
                prop_assert_eq!(listed(&next), listed(&anew));
                prop_assert_eq!((next.len(), next.text_bytes(), next.digest()), (anew.len(), anew.text_bytes(), anew.digest()));
                for (content, position) in contents.iter().zip(contents.positions_in(&next)) {
                    let stays = wanted.get(content.path()).is_some_and(|other| other.digest == content.digest);
                    let path = position.and_then(|position| next.iter().nth(position)).map(FileContent::path);
                    prop_assert_eq!(path, stays.then_some(content.path()));
                }
                for (path, content) in &wanted {
                    let id = &content.document.id;
                    prop_assert_eq!(next.of_path(path).map(|found| found.digest), Some(content.digest));
                    prop_assert_eq!(next.of_id(id).map(|found| found.digest), Some(content.digest));
                }
                prop_assert!(next.passage(next.passages()).is_none() && next.of_path("f").is_none());
                contents = next;
            }
        }
    }
}
