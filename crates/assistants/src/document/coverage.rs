//! What a search covers: the documents that it finds passages of, and those that it cannot find.

use super::Library;

/// The documents of a library, by whether a search finds them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// The number of documents that are searched.
    pub searched: usize,
    /// The names of documents that cannot be read, and why.
    pub unreadable: Vec<(String, String)>,
    /// The number of documents that are still being read.
    pub reading: usize,
    /// Whether the documents were listed at all: a bucket may not answer.
    pub is_listed: bool,
}

impl Coverage {
    /// Whether every document is searched.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.is_listed && self.reading == 0 && self.unreadable.is_empty()
    }

    /// The answer where a search finds nothing: what is to be said where all documents were searched, and which were not.
    #[must_use]
    pub fn nothing_found(&self, nothing: &str) -> String {
        if !self.is_listed {
            return "The documents could not be read so far, so that nothing was searched. Ask again later.".to_owned();
        }
        let unreadable = self.unreadable.len();
        if self.searched + self.reading + unreadable == 0 {
            return "There are no documents to search.".to_owned();
        }
        let mut text = nothing.to_owned();
        for (count, one, many) in [
            (self.reading, "One document is still being read.", "documents are still being read."),
            (unreadable, "One document could not be read.", "documents could not be read."),
        ] {
            match count {
                0 => {}
                1 => text.extend([" ", one]),
                _ => text.push_str(&format!(" {count} {many}")),
            }
        }
        text
    }
}

impl Library {
    /// What a search covers at this time.
    #[must_use]
    pub fn coverage(&self) -> Coverage {
        let snapshot = self.snapshot();
        let mut unreadable: Vec<(String, String)> =
            snapshot.unreadable.iter().map(|(path, reason)| (path.clone(), reason.to_string())).collect();
        let mut reading = snapshot.pending.len();
        if let Some(uploads) = self.uploads() {
            unreadable.extend(uploads.unreadable());
            reading += uploads.reading();
        }
        Coverage { searched: snapshot.contents().len(), unreadable, reading, is_listed: snapshot.is_begun }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_without_passages_says_what_was_not_searched() {
        let coverage = |searched, unreadable: &[&str], reading, is_listed| Coverage {
            searched,
            unreadable: unreadable.iter().map(|name| ((*name).to_owned(), "it has no text".to_owned())).collect(),
            reading,
            is_listed,
        };
        for (coverage, answer) in [
            (coverage(3, &[], 0, true), "Nothing."),
            (coverage(3, &["a.pdf"], 0, true), "Nothing. One document could not be read."),
            (
                coverage(0, &["a.pdf", "b.pdf"], 1, true),
                "Nothing. One document is still being read. 2 documents could not be read.",
            ),
            (coverage(1, &[], 4, true), "Nothing. 4 documents are still being read."),
            (coverage(0, &[], 0, true), "There are no documents to search."),
            (
                coverage(0, &[], 0, false),
                "The documents could not be read so far, so that nothing was searched. Ask again later.",
            ),
        ] {
            assert_eq!(coverage.nothing_found("Nothing."), answer);
        }
    }
}
