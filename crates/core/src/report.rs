//! The report of a conversion (policy P-14: nothing is silently lost).

use serde::Serialize;

/// The report of a conversion: citations, and everything that citewire merged, removed, shortened or changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Report {
    /// Whether the provider marked the answer as complete.
    pub complete: bool,
    /// The error that the provider reported.
    #[cfg_attr(feature = "schema", schema(value_type = Option<Object>))]
    pub error: Option<serde_json::Value>,
    /// Whether the provider used its retrieval tools; null if unknown.
    pub tools_invoked: Option<bool>,
    /// The count of the sources of the input, by their outcome.
    pub sources: SourceCounts,
    /// The cited sources: one entry for each claim, in the order of the numbers in the text.
    pub cited: Vec<Entry>,
    /// Markers that match no source.
    pub unresolved: Vec<Entry>,
    /// Sources that were merged into one claim.
    pub merged: Vec<Entry>,
    /// Sources that were read, and that are not in the output because nothing cites them.
    pub uncited: Vec<Entry>,
    /// Content that was left out.
    pub dropped: Vec<Entry>,
    /// Content that could mislead or harm a reader, and that was made harmless.
    pub neutralised: Vec<Entry>,
    /// Content that was shortened.
    pub cut: Vec<Entry>,
    /// Further notes.
    pub notes: Vec<Entry>,
    /// The scores of sources with raw scores, such as those of Azure AI Search: `at`, `score`, `rerank_score`, `search_score`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<Vec<Object>>))]
    pub scores: Vec<ScoreLine>,
    /// The verdicts about citations, in the order of the text: whether the passages hold what the text cites them for. Empty where no
    /// source has a passage, or `require_support` is `"off"`.
    pub support: Vec<SupportLine>,
    /// The number of sentences that no citation stands for; null where `support` is empty because nothing was judged.
    pub uncited_sentences: Option<usize>,
}

/// The verdict about one citation and one source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SupportLine {
    /// The number of the source, as readers see it.
    pub position: u32,
    /// The first byte of the cited part, in the text of records.
    pub at: usize,
    /// The verdict: `verbatim`, `supported-words`, `unknown`, `unsupported` or `conflict`.
    #[cfg_attr(feature = "schema", schema(value_type = String, example = "conflict"))]
    pub verdict: &'static str,
    /// Why.
    pub reasons: Vec<SupportReason>,
    /// Where in the passage of the source the support stands.
    pub place: Option<PassagePlace>,
}

/// A reason of a verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SupportReason {
    /// The kind of reason, such as `number-missing`.
    #[cfg_attr(feature = "schema", schema(value_type = String, example = "number-missing"))]
    pub code: &'static str,
    /// The words that it speaks of; null for the whole part.
    pub text: Option<String>,
}

/// A part of a passage, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PassagePlace {
    /// The first byte.
    pub start: usize,
    /// The byte behind it.
    pub end: usize,
}

/// The score of a source and the raw scores that it was computed from (rule AZ-01).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScoreLine {
    /// JSON pointer of the source in the input.
    pub at: String,
    /// The score, 0 to 1.
    pub score: Option<f64>,
    /// The raw score of the semantic ranker.
    pub rerank_score: Option<f64>,
    /// The raw score of the search.
    pub search_score: Option<f64>,
}

/// The count of the source-like things of an input, by their outcome. Their sum is the count in the input: nothing is lost
/// silently (policy P-14).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SourceCounts {
    /// Sources that the text cites, each with a claim of its own.
    pub cited: usize,
    /// Sources that are listed, because the provider reports them as used and the text cites none.
    pub listed: usize,
    /// Sources that share the claim of another one.
    pub merged: usize,
    /// Sources that nothing cites, or for whose claims the channel has no room.
    pub uncited: usize,
    /// Source-like things that the reader of the format does not know.
    pub unread: usize,
}

impl SourceCounts {
    /// The counts by the name of their outcome.
    #[must_use]
    pub fn by_outcome(&self) -> [(&'static str, usize); 5] {
        let Self { cited, listed, merged, uncited, unread } = *self;
        [("cited", cited), ("listed", listed), ("merged", merged), ("uncited", uncited), ("unread", unread)]
    }
}

impl Report {
    /// Adds entries, each to its own list.
    pub fn extend(&mut self, entries: impl IntoIterator<Item = Entry>) {
        for entry in entries {
            // The list has an end, the count has none.
            self.sources.unread += usize::from(entry.code == SOURCES_UNREAD);
            let list = match entry.kind {
                Kind::Cited => &mut self.cited,
                Kind::Unresolved => &mut self.unresolved,
                Kind::Merged => &mut self.merged,
                Kind::Uncited => &mut self.uncited,
                Kind::Dropped => &mut self.dropped,
                Kind::Neutralised => &mut self.neutralised,
                Kind::Cut => &mut self.cut,
                Kind::Note => &mut self.notes,
            };
            // A hostile answer must not make the report much larger than the answer.
            if list.len() < MAX_ENTRIES {
                list.push(entry);
            } else if list.len() == MAX_ENTRIES {
                let message = format!("there is more of this; only the first {MAX_ENTRIES} are listed");
                list.push(Entry { code: "more", message, ..entry });
            }
        }
    }

    /// Adds the verdicts about the citations, and the number of sentences that have none.
    pub fn judge(&mut self, mut lines: Vec<SupportLine>, uncited_sentences: usize) {
        if lines.len() > MAX_ENTRIES {
            let message = format!("there are more verdicts; only the first {MAX_ENTRIES} are listed");
            self.extend([Entry::in_input(Kind::Note, "support-cut", "", message)]);
            lines.truncate(MAX_ENTRIES);
        }
        (self.support, self.uncited_sentences) = (lines, Some(uncited_sentences));
    }

    /// The lists with their JSON names, in the order of the JSON.
    #[must_use]
    pub fn lists(&self) -> [(&'static str, &[Entry]); 8] {
        [
            ("cited", &self.cited),
            ("unresolved", &self.unresolved),
            ("merged", &self.merged),
            ("uncited", &self.uncited),
            ("dropped", &self.dropped),
            ("neutralised", &self.neutralised),
            ("cut", &self.cut),
            ("notes", &self.notes),
        ]
    }
}

/// The code of an entry about a source-like thing that the reader of the format does not know.
pub const SOURCES_UNREAD: &str = "sources-unread";

/// The code of an entry about a document that was searched, and of which a part could not be read.
pub const DOCUMENT_PARTIAL: &str = "document-partial";

/// The code of an entry about documents that could not be searched: they cannot be read, or are still being read.
pub const DOCUMENT_UNREAD: &str = "document-unread";

/// The maximum number of entries in one list of a report. A longer list ends with one more entry, with the code `more`.
pub const MAX_ENTRIES: usize = 1_000;

/// One entry of a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Entry {
    /// Which list it belongs to.
    #[serde(skip)]
    pub kind: Kind,
    /// A stable code for programs.
    pub code: &'static str,
    /// A byte offset in the answer's text, or a JSON pointer into the input.
    #[cfg_attr(feature = "schema", schema(value_type = Object))]
    pub at: At,
    /// A description for people.
    pub message: String,
}

impl Entry {
    /// An entry about a place in the answer's text, in bytes.
    #[must_use]
    pub fn in_text(kind: Kind, code: &'static str, offset: usize, message: impl Into<String>) -> Self {
        Self { kind, code, at: At::Offset(offset), message: message.into() }
    }

    /// An entry about a member of the input.
    #[must_use]
    pub fn in_input(kind: Kind, code: &'static str, pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self { kind, code, at: At::Pointer(pointer.into()), message: message.into() }
    }
}

impl Entry {
    /// An entry about a source that nothing cites.
    #[must_use]
    pub fn not_cited(pointer: impl Into<String>, title: Option<&str>) -> Self {
        let message = match title {
            Some(title) => format!("nothing cites {title:?}"),
            None => "nothing cites this source".to_owned(),
        };
        Self::in_input(Kind::Uncited, "not-cited", pointer, message)
    }
}

/// The lists of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A source that became a claim.
    Cited,
    /// A marker that matches no source.
    Unresolved,
    /// Sources that were merged into one claim.
    Merged,
    /// A source that nothing cites.
    Uncited,
    /// Content that was left out.
    Dropped,
    /// Content that was made harmless.
    Neutralised,
    /// Content that was shortened.
    Cut,
    /// A note.
    Note,
}

/// The place that an [`Entry`] refers to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum At {
    /// A byte offset in the answer's text.
    Offset(usize),
    /// A JSON pointer into the input.
    Pointer(String),
}

impl At {
    /// The JSON pointer, if the entry refers to the input.
    #[must_use]
    pub fn pointer(&self) -> Option<&str> {
        if let Self::Pointer(pointer) = self { Some(pointer) } else { None }
    }

    /// The byte offset, if the entry refers to the answer's text.
    #[must_use]
    pub fn offset(&self) -> Option<usize> {
        if let Self::Offset(offset) = self { Some(*offset) } else { None }
    }
}
