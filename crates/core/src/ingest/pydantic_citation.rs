//! Citations of [Pydantic AI](https://ai.pydantic.dev/api/messages/#pydantic_ai.messages.Citation): sources of a text part,
//! with the place in that part where they are cited.

use serde::Deserialize;

use super::annotated::{Annotated, Sources};
use super::json::{entries, filled, list, offset, text_or_number};
use super::location::{Located, location};
use super::span::Unit;
use crate::answer::{Source, SourceIndex, SourceKind};
use crate::report::Entry;

/// One citation of a text part.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct WireCitation {
    #[serde(default, deserialize_with = "entries")]
    sources: Vec<WireSource>,
    anchor: Option<Anchor>,
}

/// A page (`kind` is `web`) or a document.
#[derive(Clone, Debug, Default, Deserialize)]
struct WireSource {
    url: Option<String>,
    #[serde(default, deserialize_with = "text_or_number")]
    document_id: Option<String>,
    title: Option<String>,
    #[serde(default, deserialize_with = "list")]
    excerpts: Vec<Option<String>>,
}

/// A place in the text of the part, in code points. Its `kind` says whether it holds the supported words (`content`) or a
/// marker of the model (`marker`); the text tells the same.
#[derive(Clone, Debug, Deserialize)]
struct Anchor {
    #[serde(default, deserialize_with = "offset")]
    start: Option<usize>,
    #[serde(default, deserialize_with = "offset")]
    end: Option<usize>,
}

/// Cites the sources of these citations in a part of the text. A citation without a place belongs to the whole part.
/// `pointer` is that of the list.
pub(super) fn cite(
    citations: Vec<WireCitation>,
    annotated: &mut Annotated,
    part: usize,
    pointer: &str,
    warnings: &mut Vec<Entry>,
) {
    let mut unplaced = Vec::new();
    for (at, WireCitation { sources, anchor }) in citations.into_iter().enumerate() {
        let pointer = format!("{pointer}/{at}");
        let sources = sources.into_iter().enumerate();
        let sources =
            sources.map(|(n, source)| source.add(&mut annotated.sources, format!("{pointer}/sources/{n}"), warnings));
        let sources: Vec<SourceIndex> = sources.collect();
        match anchor {
            Some(Anchor { start, end }) => annotated.span(part, (start, end, Unit::Char), sources, pointer),
            None => unplaced.extend(sources),
        }
    }
    annotated.block(part, unplaced);
}

impl WireSource {
    fn add(self, sources: &mut Sources, pointer: String, warnings: &mut Vec<Entry>) -> SourceIndex {
        let Self { url, document_id, title, excerpts } = self;
        let Located { url, filepath, address } = location(url, || format!("{pointer}/url"), warnings);
        let (id, title) = (filled(document_id), filled(title));
        let excerpts: Vec<String> = excerpts.into_iter().filter_map(filled).collect();
        let kind = if url.is_some() { SourceKind::Web } else { SourceKind::Document };
        let key = id.as_ref().map(|id| format!("document {id}"));
        let key = key.or_else(|| title.as_ref().map(|title| format!("title {title}")));
        let source = Source { id, title, url, address, filepath, kind: Some(kind), pointer, ..Source::default() };
        let index = match key {
            _ if source.url.is_some() => sources.page(source),
            Some(key) => sources.known_as(&key, source),
            None => sources.push(source),
        };
        excerpts.into_iter().for_each(|excerpt| sources.add_passage(index, excerpt));
        index
    }
}
