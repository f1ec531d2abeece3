//! Sources of [OpenAI ChatKit](https://openai.github.io/chatkit-python/guides/add-annotations/): pages, files and entities,
//! which annotations put at a point of the text, and which searches consulted.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::annotated::Sources;
use super::json::{entries, filled, object, offset, text_or_number};
use super::location::{Located, web_url};
use crate::answer::{Source, SourceIndex, SourceKind};
use crate::report::Entry;

/// An annotation of a text.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Annotation {
    pub(super) source: Option<WireSource>,
    /// Where its badge stands, in code points, as in the answers of OpenAI's models. Without it, the source is only listed.
    #[serde(default, deserialize_with = "offset")]
    pub(super) index: Option<usize>,
}

/// A step of a workflow. A search has the sources that it consulted.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Task {
    #[serde(default, deserialize_with = "entries")]
    pub(super) sources: Vec<WireSource>,
}

/// A page (`url`), a file (`filename`), or an entity, which is anything that the server has an id for.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct WireSource {
    #[serde(rename = "type")]
    kind: Option<String>,
    title: Option<String>,
    description: Option<String>,
    #[serde(default, deserialize_with = "text_or_number")]
    timestamp: Option<String>,
    url: Option<String>,
    attribution: Option<String>,
    filename: Option<String>,
    #[serde(default, deserialize_with = "text_or_number")]
    id: Option<String>,
    icon: Option<String>,
    /// The server's own members of an entity.
    #[serde(default, deserialize_with = "object")]
    data: Option<Map<String, Value>>,
}

impl WireSource {
    /// Adds the source, or fills in the same one that is known.
    pub(super) fn add(self, sources: &mut Sources, pointer: String, warnings: &mut Vec<Entry>) -> SourceIndex {
        let metadata = self.data.unwrap_or_default();
        let in_data = ["href", "url"].iter().find_map(|name| metadata.get(*name)?.as_str()).map(str::to_owned);
        let Located { url, filepath, address } = web_url(self.url.or(in_data), || pointer.clone(), warnings);
        let source = Source {
            id: filled(self.id),
            title: filled(self.title),
            url,
            address,
            filepath: filled(self.filename).or(filepath),
            content: filled(self.description),
            modified: filled(self.timestamp),
            author: filled(self.attribution),
            icon: filled(self.icon),
            kind: match self.kind.as_deref() {
                Some("url") => Some(SourceKind::Web),
                Some("file") => Some(SourceKind::Document),
                Some(_) | None => None,
            },
            metadata,
            pointer,
            ..Source::default()
        };
        if source.url.is_some() {
            return sources.page(source);
        }
        let key = format!("{:?} {:?} {:?}", source.id, source.filepath, source.title);
        sources.known_as(&key, source)
    }
}
