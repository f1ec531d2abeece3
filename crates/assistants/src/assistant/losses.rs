//! Notes in the report of an answer about documents that were read in part, or not at all.

use std::sync::Arc;

use serde_json::Value;

use crate::answer::Source;
use crate::document::{Coverage, DOCUMENT_ID, Document, Library, MOST_NAMED};
use crate::report::{DOCUMENT_PARTIAL, DOCUMENT_UNREAD, Entry, Kind};

/// A note for each found document of which a part could not be read, one about the others that were searched, and one about those
/// that could not be searched.
pub(super) fn notes(library: &Library, found: &[Source]) -> Vec<Entry> {
    let mut notes = of_documents(&library.partial(), found);
    notes.extend(of_unread(&library.coverage()));
    notes
}

fn of_unread(coverage: &Coverage) -> Option<Entry> {
    if coverage.is_whole() {
        return None;
    }
    let mut parts = Vec::new();
    if !coverage.is_listed {
        parts.push("the documents were not read so far".to_owned());
    }
    if coverage.reading > 0 {
        parts.push(format!("documents that are still being read: {}", coverage.reading));
    }
    if coverage.unreadable > 0 {
        let named: Vec<String> = coverage.named.iter().map(|(name, reason)| format!("{name:?} ({reason})")).collect();
        parts.push(format!("documents that cannot be read: {}", some(&named, coverage.unreadable)));
    }
    let message = format!("the search does not cover everything; {}", parts.join("; "));
    Some(Entry::in_input(Kind::Note, DOCUMENT_UNREAD, "", message))
}

/// The names of some, and how many more there are.
fn some(named: &[String], count: usize) -> String {
    let more = count.saturating_sub(named.len());
    let named = named.join(", ");
    if more > 0 { format!("{named}, and {more} more") } else { named }
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
        let named =
            others.iter().take(MOST_NAMED).map(|document| format!("{:?} ({})", document.title, words(document)));
        let named: Vec<String> = named.collect();
        let message =
            format!("the search does not cover all of {}: they were read in part", some(&named, others.len()));
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

    #[test]
    fn the_report_names_documents_that_are_not_searched() {
        let said = |coverage: &Coverage| of_unread(coverage).map(|note| note.message);
        let mut coverage = Coverage { searched: 1, is_listed: true, ..Coverage::default() };
        assert_eq!(said(&coverage), None);
        coverage.unreadable = 7;
        coverage.named = vec![("a.txt".to_owned(), "it is not UTF-8".to_owned()); 5];
        coverage.reading = 2;
        let named = [r#""a.txt" (it is not UTF-8)"#; 5].join(", ");
        let message = format!(
            "the search does not cover everything; documents that are still being read: 2; documents that cannot be read: {named}, and 2 more"
        );
        assert_eq!(said(&coverage), Some(message));
        let message = "the search does not cover everything; the documents were not read so far";
        assert_eq!(said(&Coverage::default()).as_deref(), Some(message));
    }

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
