//! Notes in the report of an answer about documents that were read in part.

use std::sync::Arc;

use serde_json::Value;

use crate::answer::Source;
use crate::document::{DOCUMENT_ID, Document, Library};
use crate::report::{DOCUMENT_PARTIAL, Entry, Kind};

/// Documents are named up to this many; the others are counted.
const NAMED: usize = 5;

/// A note for each found document of which a part could not be read, and one about the others that were searched.
pub(super) fn notes(library: &Library, found: &[Source]) -> Vec<Entry> {
    of_documents(&library.partial(), found)
}

fn of_documents(partial: &[Arc<Document>], found: &[Source]) -> Vec<Entry> {
    let place = |document: &Document| found.iter().position(|source| is_of(source, document));
    let (mine, others): (Vec<_>, Vec<_>) = partial.iter().partition(|document| place(document).is_some());
    let mut notes: Vec<Entry> = mine
        .into_iter()
        .map(|document| {
            let pointer = place(document).map(|at| format!("/0/sources/{at}")).unwrap_or_default();
            let message = format!("{:?} was read in part: {}", document.title, words(document));
            Entry::in_input(Kind::Note, DOCUMENT_PARTIAL, pointer, message)
        })
        .collect();
    if !others.is_empty() {
        let named: Vec<String> =
            others.iter().take(NAMED).map(|document| format!("{:?} ({})", document.title, words(document))).collect();
        let more = others.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        let message = format!("the search does not cover all of {}{more}: they were read in part", named.join(", "));
        notes.push(Entry::in_input(Kind::Note, DOCUMENT_PARTIAL, "", message));
    }
    notes
}

fn words(document: &Document) -> &str {
    document.loss.as_ref().map_or("", |loss| loss.words.as_str())
}

/// Whether a source is a passage of a document. With links, its id stands behind the name of the assistant.
fn is_of(source: &Source, document: &Document) -> bool {
    let id = source.metadata.get(DOCUMENT_ID).and_then(Value::as_str);
    id.is_some_and(|id| id.rsplit('.').next() == Some(document.id.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::LibraryOptions;
    use crate::store::DocumentLoss;

    #[tokio::test]
    async fn the_report_names_documents_that_were_read_in_part_found_ones_first() {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in [("leave.md", "Leave is thirty days."), ("travel.md", "Trips are booked in the portal.")] {
            std::fs::write(folder.path().join(name), text).expect("written");
        }
        let library = Library::open(LibraryOptions::new(folder.path())).await.expect("a library");
        let found = library.passages("thirty days of leave", 1).await.expect("a search");
        assert_eq!(notes(&library, &found), []);
        let mut partial = Vec::new();
        for question in ["trips in the portal", "thirty days of leave"] {
            let mut document = Document::clone(&library.search(question, 1).await.expect("a search")[0].document);
            let words = "page 3 could not be read".to_owned();
            document.loss = Some(Arc::new(DocumentLoss { words, is_partial: true }));
            partial.push(Arc::new(document));
        }
        let notes = of_documents(&partial, &found);
        let said: Vec<(Option<&str>, &str)> =
            notes.iter().map(|note| (note.at.pointer(), note.message.as_str())).collect();
        let others =
            r#"the search does not cover all of "travel.md" (page 3 could not be read): they were read in part"#;
        assert_eq!(
            said,
            [(Some("/0/sources/0"), r#""leave.md" was read in part: page 3 could not be read"#), (Some(""), others),]
        );
        let many = of_documents(&vec![Arc::clone(&partial[0]); 7], &[]);
        assert!(many.len() == 1 && many[0].message.contains(", and 2 more: they"), "{many:?}");
    }
}
