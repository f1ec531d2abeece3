//! A search result of Perplexity, in chat completions and in responses.

use serde::Deserialize;

use super::json::{filled, text_or_number};
use super::location::{Located, web_url};
use crate::answer::{IdOf, Source, SourceKind};
use crate::report::Entry;

/// A web page that Perplexity found. In responses, markers name its `id`.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct WirePage {
    #[serde(default, deserialize_with = "text_or_number")]
    id: Option<String>,
    title: Option<String>,
    url: Option<String>,
    snippet: Option<String>,
    date: Option<String>,
    last_updated: Option<String>,
    /// The kind of search that found it: `web` or `attachment`.
    source: Option<String>,
}

impl WirePage {
    pub(super) fn into_source(self, pointer: String, warnings: &mut Vec<Entry>) -> Source {
        let Located { url, filepath, address } = web_url(self.url, || format!("{pointer}/url"), warnings);
        Source {
            id: filled(self.id),
            id_of: IdOf::Passage,
            title: filled(self.title),
            kind: self.source.as_deref().map_or(Some(SourceKind::Web), SourceKind::named),
            url,
            address,
            filepath,
            content: filled(self.snippet),
            modified: filled(self.date).or(filled(self.last_updated)),
            pointer,
            ..Source::default()
        }
    }
}
