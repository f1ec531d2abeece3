//! The coverage of a search: the documents whose passages it finds, and those that cannot be read or are still being read.

/// The most documents that are named; others are counted, because each answer asks.
pub const MOST_NAMED: usize = 5;

/// The documents of a library, by whether a search finds them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// The number of documents that are searched.
    pub searched: usize,
    /// The number of documents that cannot be read.
    pub unreadable: usize,
    /// The first few of these, each with the reason.
    pub named: Vec<(String, String)>,
    /// The number of documents that are still being read.
    pub reading: usize,
    /// Whether the documents were listed at all: a bucket may not answer.
    pub is_listed: bool,
}

impl Coverage {
    /// Whether every document is searched.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.is_listed && self.reading == 0 && self.unreadable == 0
    }

    /// The answer where a search finds nothing: what is to be said where all documents were searched, and which were not.
    #[must_use]
    pub fn nothing_found(&self, nothing: &str) -> String {
        if !self.is_listed {
            return "The documents could not be read so far, so that nothing was searched. Ask again later.".to_owned();
        }
        if self.searched + self.reading + self.unreadable == 0 {
            return "There are no documents to search.".to_owned();
        }
        let mut text = nothing.to_owned();
        for (count, one, many) in [
            (self.reading, "One document is still being read.", "documents are still being read."),
            (self.unreadable, "One document could not be read.", "documents could not be read."),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_without_passages_says_what_was_not_searched() {
        let coverage = |searched, unreadable, reading, is_listed| Coverage {
            searched,
            unreadable,
            named: Vec::new(),
            reading,
            is_listed,
        };
        for (coverage, answer) in [
            (coverage(3, 0, 0, true), "Nothing."),
            (coverage(3, 1, 0, true), "Nothing. One document could not be read."),
            (coverage(0, 2, 1, true), "Nothing. One document is still being read. 2 documents could not be read."),
            (coverage(1, 0, 4, true), "Nothing. 4 documents are still being read."),
            (coverage(0, 0, 0, true), "There are no documents to search."),
            (
                coverage(0, 0, 0, false),
                "The documents could not be read so far, so that nothing was searched. Ask again later.",
            ),
        ] {
            assert_eq!(coverage.nothing_found("Nothing."), answer);
        }
    }
}
