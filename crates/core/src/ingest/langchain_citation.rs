//! Citations in messages of [LangChain](https://docs.langchain.com/oss/python/langchain/messages#standard-content-blocks):
//! its own annotations, and those of providers that it hands on unchanged.
//!
//! LangChain translates citations of providers without converting their offsets. Which offsets they are was read in the
//! translators of `langchain-core` (`messages/block_translators`) of both languages:
//!
//! - OpenAI: code points of the block; a cited file has a point, as `extras.index` or as two equal offsets beside `fileId`.
//! - Google: UTF-8 bytes, and `cited_text` is the cited part of the answer instead of a passage of the source.
//! - Anthropic and Amazon Bedrock cite the whole block. Python writes no offsets; JavaScript writes positions in the source,
//!   and `source` beside them.

use std::num::NonZeroU32;

use serde_json::Value;

use super::IngestError;
use super::annotated::Annotated;
use super::anthropic_citation;
use super::anthropic_pages::FoundPages;
use super::json::{self, filled};
use super::location::{Located, location};
use super::openai_annotation::{self, AnnotatedPlace};
use super::span::Unit;
use crate::answer::{Source, SourceIndex};
use crate::report::{Entry, Kind};

/// One citation of a block of text, with its JSON pointer.
#[derive(Clone, Debug)]
pub(super) struct Cite {
    pub(super) value: Value,
    pub(super) pointer: String,
}

/// The members of a citation that have one name in Python and another in JavaScript.
struct Members<'a>(&'a Value);

impl Members<'_> {
    fn text(&self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| filled(self.0[*name].as_str().map(str::to_owned)))
    }

    /// An id, which may be a number.
    fn id(&self, name: &str) -> Option<String> {
        self.text(&[name]).or_else(|| self.0[name].as_u64().map(|number| number.to_string()))
    }

    fn number(&self, names: &[&str]) -> Option<usize> {
        let number = |name: &&str| self.0[*name].as_u64().or_else(|| self.0[*name].as_str()?.trim().parse().ok());
        names.iter().find_map(number).and_then(|number| usize::try_from(number).ok())
    }
}

/// The place that a citation names in its block.
enum Place {
    /// All of the block.
    Block,
    Point(usize),
    Span(Option<usize>, Option<usize>),
    /// A span in bytes, and its text.
    Quoted(Option<usize>, Option<usize>, Option<String>),
}

/// The sources that cite a whole block. [`Annotated`] takes them once all citations of the block are known.
pub(super) type OfBlock = Vec<SourceIndex>;

impl Cite {
    /// Adds the source and the place of this citation, which belongs to a part of the text. A citation that cannot be read
    /// becomes a note.
    pub(super) fn add(self, annotated: &mut Annotated, part: usize, of_block: &mut OfBlock, warnings: &mut Vec<Entry>) {
        let Self { value, pointer } = self;
        match value["type"].as_str() {
            Some("citation") => add_standard(&value, pointer, annotated, part, of_block, warnings),
            Some("non_standard_annotation") => {
                let pointer = format!("{pointer}/value");
                if let Some(value) = value.get("value").filter(|value| value.is_object()).cloned() {
                    Self { value, pointer }.add(annotated, part, of_block, warnings);
                }
            }
            Some("url_citation" | "file_citation" | "container_file_citation") => {
                if let Err(error) = add_openai(value, &pointer, annotated, part, warnings) {
                    warnings.push(unread(pointer, &error));
                }
            }
            Some(kind) if kind.ends_with("_location") => {
                match json::member::<anthropic_citation::WireCitation>(value, &pointer) {
                    Ok(citation) => {
                        let source =
                            citation.cite(&mut annotated.sources, &mut FoundPages::default(), pointer, warnings);
                        of_block.extend(source);
                    }
                    Err(error) => warnings.push(unread(pointer, &error)),
                }
            }
            None if value["location"].is_object() => of_block.push(add_bedrock(&value, pointer, annotated, warnings)),
            _ => {}
        }
    }
}

fn add_standard(
    value: &Value,
    pointer: String,
    annotated: &mut Annotated,
    part: usize,
    of_block: &mut OfBlock,
    warnings: &mut Vec<Entry>,
) {
    let (own, extras) = (Members(value), Members(&value["extras"]));
    let cited_text = own.text(&["cited_text", "citedText"]);
    let range = (own.number(&["start_index", "startIndex"]), own.number(&["end_index", "endIndex"]));
    let is_google = value["extras"]["google_ai_metadata"].is_object();
    let file_id = own.text(&["fileId"]).or_else(|| extras.text(&["file_id"]));
    let place = match range {
        // JavaScript: the positions are those in the source.
        _ if value["source"].is_string() => Place::Block,
        (start, end) if is_google => Place::Quoted(start, end, cited_text.clone()),
        (None, None) => extras.number(&["index"]).map_or(Place::Block, Place::Point),
        (Some(start), Some(end)) if file_id.is_some() && start == end => Place::Point(start),
        (start, end) => Place::Span(start, end),
    };
    let page = match value["source"].as_str() {
        Some("page") => range.0,
        _ => extras.number(&["start_page_number"]),
    };
    let index = own.id("document_index").or_else(|| extras.id("document_index"));
    let address = own.text(&["url"]).or_else(|| extras.text(&["url", "source"]));
    let Located { url, filepath, address } = location(address, || format!("{pointer}/url"), warnings);
    let source = Source {
        id: file_id.or(index),
        title: own.text(&["title"]),
        url,
        address,
        filepath,
        page: page.and_then(|page| u32::try_from(page).ok()).and_then(NonZeroU32::new),
        is_quotation: cited_text.is_some() && !is_google,
        content: cited_text.filter(|_| !is_google),
        pointer: pointer.clone(),
        ..Source::default()
    };
    let source = add_source(annotated, source);
    match place {
        Place::Block => of_block.push(source),
        Place::Point(at) => annotated.point(part, at, Unit::Char, vec![source], pointer),
        Place::Span(start, end) => annotated.span(part, (start, end, Unit::Char), vec![source], pointer),
        Place::Quoted(start, end, quote) => {
            annotated.quoted_span(part, (start, end, Unit::Utf8), quote, vec![source], pointer);
        }
    }
}

/// Adds a source that its address identifies, else its id, else its file name or title.
fn add_source(annotated: &mut Annotated, source: Source) -> SourceIndex {
    let id = source.id.as_ref().map(|id| format!("id {id}"));
    let name = || source.filepath.as_ref().or(source.title.as_ref()).map(|name| format!("called {name}"));
    match id.or_else(name).filter(|_| source.url.is_none()) {
        Some(key) => annotated.sources.known_as(&key, source),
        None => annotated.sources.page(source),
    }
}

/// A note about citations that a provider wrote in a way that is not known.
pub(super) fn unread(pointer: String, error: &IngestError) -> Entry {
    Entry::in_input(Kind::Dropped, "annotation-unread", pointer, format!("the citation is not read: {error}"))
}

fn add_openai(
    value: Value,
    pointer: &str,
    annotated: &mut Annotated,
    part: usize,
    warnings: &mut Vec<Entry>,
) -> Result<(), IngestError> {
    let Some(read) = openai_annotation::annotation(value, pointer) else { return Ok(()) };
    let pointer = pointer.to_owned();
    let Some(annotation) = read?.into_annotation(pointer.clone(), warnings) else { return Ok(()) };
    let source = add_source(annotated, annotation.source);
    match annotation.place {
        AnnotatedPlace::Point(at) => annotated.point(part, at, Unit::Char, vec![source], pointer),
        AnnotatedPlace::Span(start, end) => annotated.span(part, (start, end, Unit::Char), vec![source], pointer),
    }
    Ok(())
}

/// Adds the source of a citation of Amazon Bedrock, whose members LangChain writes in snake case.
fn add_bedrock(value: &Value, pointer: String, annotated: &mut Annotated, warnings: &mut Vec<Entry>) -> SourceIndex {
    let location_of = |name: &str| value["location"].get(name).filter(|place| place.is_object());
    let document = ["document_page", "document_char", "document_chunk"].into_iter().find_map(location_of);
    let page = location_of("document_page").and_then(|place| place["start"].as_u64());
    let passages = value["source_content"].as_array().into_iter().flatten();
    let content: String = passages.filter_map(|passage| passage["text"].as_str()).collect();
    let own = Members(value);
    let web = location_of("web").and_then(|web| Members(web).text(&["url"]));
    let address = web.or_else(|| own.text(&["source"]));
    let Located { url, filepath, address } = location(address, || format!("{pointer}/location/web/url"), warnings);
    let source = Source {
        id: document.and_then(|place| Members(place).id("document_index")),
        title: own.text(&["title"]),
        url,
        address,
        filepath,
        page: page.and_then(|page| u32::try_from(page).ok()).and_then(NonZeroU32::new),
        content: filled(Some(content)),
        pointer,
        ..Source::default()
    };
    add_source(annotated, source)
}
