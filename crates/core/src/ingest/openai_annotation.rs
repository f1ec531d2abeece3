//! Annotations in OpenAI's shape, which other providers use too: nested in chat completions and threads, flat in Responses.

use serde::Deserialize;
use serde_json::Value;

use super::IngestError;
use super::json::{self, filled, offset, text_or_number};
use super::location::{Located, web_url};
use crate::answer::{Source, SourceKind};
use crate::report::Entry;

/// Reads a list of annotations and returns each with its JSON pointer. Annotations of other kinds are skipped unread.
pub(super) fn annotations(values: Vec<Value>, pointer: &str) -> Result<Vec<(String, WireAnnotation)>, IngestError> {
    let named = values.into_iter().enumerate().map(|(at, value)| (format!("{pointer}/{at}"), value));
    named.filter_map(|(pointer, value)| annotation(value, &pointer).map(|read| Ok((pointer, read?)))).collect()
}

/// Reads one annotation; `None` when its kind is not in [`KINDS`], or it has none and no address.
pub(super) fn annotation(value: Value, pointer: &str) -> Option<Result<WireAnnotation, IngestError>> {
    let Some(kind) = value.get("type") else {
        let names_page = ["url", "url_citation"].iter().any(|name| value.get(*name).is_some());
        let page = |read: WireAnnotation| WireAnnotation { kind: Some(PAGE.to_owned()), ..read };
        return names_page.then(|| json::member(value, pointer).map(page));
    };
    KINDS.contains(&kind.as_str()?).then(|| json::member(value, pointer))
}

/// The kind of a page. Some gateways leave it out.
const PAGE: &str = "url_citation";

/// The kinds that cite a source. `file_path` is not one of them: it names a file that the model created.
const KINDS: [&str; 4] = [PAGE, "file_citation", "container_file_citation", "document_citation"];

/// An annotation of any kind; each kind has some of the members.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct WireAnnotation {
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(default, deserialize_with = "offset")]
    start_index: Option<usize>,
    #[serde(default, deserialize_with = "offset")]
    end_index: Option<usize>,
    #[serde(default, deserialize_with = "offset")]
    index: Option<usize>,
    url: Option<String>,
    #[serde(default, deserialize_with = "text_or_number")]
    title: Option<String>,
    #[serde(default, deserialize_with = "text_or_number")]
    file_id: Option<String>,
    filename: Option<String>,
    get_url: Option<String>,
    /// The marker in the text; only threads have this member.
    text: Option<String>,
    url_citation: Option<WirePage>,
    /// Groq: a document of the request.
    document_citation: Option<WirePage>,
    file_citation: Option<WireFile>,
}

/// The nested form of a `url_citation`.
#[derive(Clone, Debug, Default, Deserialize)]
struct WirePage {
    #[serde(default, deserialize_with = "offset")]
    start_index: Option<usize>,
    #[serde(default, deserialize_with = "offset")]
    end_index: Option<usize>,
    url: Option<String>,
    #[serde(default, deserialize_with = "text_or_number")]
    title: Option<String>,
    /// The passage, as some services add it.
    #[serde(alias = "exactQuote", alias = "snippet")]
    content: Option<String>,
    #[serde(default, deserialize_with = "text_or_number")]
    document_id: Option<String>,
    get_url: Option<String>,
}

/// The nested form of a `file_citation`.
#[derive(Clone, Debug, Default, Deserialize)]
struct WireFile {
    #[serde(default, deserialize_with = "text_or_number")]
    file_id: Option<String>,
    quote: Option<String>,
}

/// An annotation that cites a source.
#[derive(Clone, Debug)]
pub(super) struct Annotation {
    /// The provider's id of the file. Pages have none; their address identifies them.
    pub(super) file_id: Option<String>,
    pub(super) source: Source,
    pub(super) place: AnnotatedPlace,
    /// The marker in the text, if the annotation repeats it.
    pub(super) marker: Option<String>,
    /// The address under which a search service has the document.
    pub(super) get_url: Option<String>,
}

/// The place of an annotation, in code points from the start of its part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnnotatedPlace {
    /// Start and end offset; the end is exclusive.
    Span(Option<usize>, Option<usize>),
    /// The offset where the provider removed a marker.
    Point(usize),
}

impl WireAnnotation {
    /// Whether it has no place in the text, so that only a number there can lead to it: the place of the annotation in its
    /// list.
    pub(super) fn is_unplaced(&self) -> bool {
        let nested = self.url_citation.as_ref().or(self.document_citation.as_ref());
        let (start, end) = nested.map_or((None, None), |page| (page.start_index, page.end_index));
        let end = end.or(self.end_index).unwrap_or_default();
        end <= start.or(self.start_index).unwrap_or_default() && self.index.is_none() && self.text.is_none()
    }

    /// Whether it cites a page, not a file.
    pub(super) fn cites_page(&self) -> bool {
        self.kind.as_deref() == Some(PAGE)
    }

    /// The citation; `None` for kinds that cite no source, such as `file_path`.
    pub(super) fn into_annotation(self, pointer: String, warnings: &mut Vec<Entry>) -> Option<Annotation> {
        let mut source = Source { pointer, ..Source::default() };
        let place = AnnotatedPlace::Span(self.start_index, self.end_index);
        let marker = filled(self.text);
        match self.kind.as_deref() {
            Some(PAGE) => {
                let nested = self.url_citation.is_some();
                let page = self.url_citation.unwrap_or_default();
                let below = if nested { "/url_citation" } else { "" };
                let address = filled(page.url).or(filled(self.url));
                let written = address.clone();
                let Located { url, filepath, address } =
                    web_url(address, || format!("{}{below}/url", source.pointer), warnings);
                let service = written.filter(|_| url.is_none() && filepath.is_none());
                (source.url, source.filepath, source.address) = (url, filepath, address.or(service));
                source.kind = Some(SourceKind::Web);
                source.title = filled(page.title).or(filled(self.title));
                source.content = filled(page.content);
                let place =
                    AnnotatedPlace::Span(page.start_index.or(self.start_index), page.end_index.or(self.end_index));
                let get_url = filled(page.get_url).or(filled(self.get_url));
                Some(Annotation { file_id: None, source, place, marker, get_url })
            }
            Some("document_citation") => {
                let cited = self.document_citation.unwrap_or_default();
                source.kind = Some(SourceKind::Document);
                source.id = filled(cited.document_id);
                source.title = filled(cited.title).or_else(|| source.id.clone());
                let place = AnnotatedPlace::Span(cited.start_index, cited.end_index);
                Some(Annotation { file_id: source.id.clone(), source, place, marker, get_url: None })
            }
            Some("file_citation" | "container_file_citation") => {
                let file = self.file_citation.unwrap_or_default();
                source.kind = Some(SourceKind::Document);
                source.id = filled(file.file_id).or(filled(self.file_id));
                source.title = filled(self.filename);
                source.filepath = source.title.clone().or_else(|| marker.as_deref().and_then(named_file));
                source.content = filled(file.quote);
                let place = self.index.filter(|_| self.end_index.is_none()).map_or(place, AnnotatedPlace::Point);
                Some(Annotation { file_id: source.id.clone(), source, place, marker, get_url: None })
            }
            _ => None,
        }
    }
}

/// The file name in a marker: `plan.pdf` in `【4:0†plan.pdf】`, `None` for `【4:0†source】`.
fn named_file(marker: &str) -> Option<String> {
    let (_, name) = marker.strip_suffix('】')?.split_once('†')?;
    let name = name.trim();
    (!name.is_empty() && name != "source").then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: Value) -> Option<Annotation> {
        annotation(value, "/a")?.expect("an annotation").into_annotation("/a".into(), &mut Vec::new())
    }

    #[test]
    fn a_page_is_read_flat_and_nested() {
        let flat =
            json!({"type": "url_citation", "url": "https://x/a", "title": 1, "start_index": "2", "end_index": 5.0});
        let nested = json!({"type": "url_citation", "url_citation": {"url": "https://x/a", "title": "1", "start_index": 2, "end_index": 5}});
        let outside = json!({"type": "url_citation", "start_index": 2, "end_index": 5, "url_citation": {"url": "https://x/a", "title": "1"}});
        let untyped = json!({"url": "https://x/a", "title": "1", "start_index": 2, "end_index": 5});
        for annotation in [flat, nested, outside, untyped] {
            let annotation = read(annotation).expect("a page");
            assert_eq!(annotation.place, AnnotatedPlace::Span(Some(2), Some(5)));
            assert_eq!(annotation.source.title.as_deref(), Some("1"));
            assert_eq!(annotation.source.url.map(|url| url.as_str().to_owned()).as_deref(), Some("https://x/a"));
        }
    }

    #[test]
    fn a_file_has_a_point_or_a_span_and_the_name_in_its_marker() {
        let point =
            read(json!({"type": "file_citation", "file_id": 7, "filename": "a.pdf", "index": 3})).expect("a file");
        assert_eq!((point.place, point.file_id.as_deref()), (AnnotatedPlace::Point(3), Some("7")));
        let span = json!({"type": "file_citation", "text": "【4:0†b.pdf】", "start_index": 1, "end_index": 9,
            "file_citation": {"file_id": "f", "quote": "q"}});
        let span = read(span).expect("a file");
        assert_eq!(span.place, AnnotatedPlace::Span(Some(1), Some(9)));
        assert_eq!((span.source.filepath.as_deref(), span.source.content.as_deref()), (Some("b.pdf"), Some("q")));
        assert_eq!(named_file("【4:0†source】"), None);
    }

    #[test]
    fn other_kinds_cite_nothing_and_null_is_absent() {
        assert!(read(json!({"type": "file_path", "file_id": "f", "index": 3})).is_none());
        assert!(read(json!({"type": null, "url": null, "index": {}})).is_none());
        let null =
            read(json!({"type": "url_citation", "url": null, "title": null, "start_index": -1, "url_citation": null}));
        assert_eq!(null.expect("a page").place, AnnotatedPlace::Span(None, None));
    }
}
