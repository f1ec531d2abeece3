//! The signs of a source in JSON of any format: names of members, and values.

use std::hash::{Hash, Hasher};

use serde_json::{Map, Value};

use super::mentions;
use crate::url::WebUrl;

/// Parts of names that promise sources, in lower case without `_` and `-`. [`mentions`] searches for them.
const PROMISING: [&str; 10] = [
    "sources",
    "sourcedoc",
    "citation",
    "reference",
    "documents",
    "searchresult",
    "attribution",
    "annotation",
    "grounding",
    "retriev",
];

/// Names that promise sources and are no part of a longer name.
const PROMISING_WHOLE: [&str; 3] = ["context", "contexts", "websearch"];

/// Parts of names whose values refer to sources or tell how they were found, and hold none.
const NO_SOURCES: [&str; 12] =
    ["quer", "index", "indices", "ids", "count", "number", "token", "score", "size", "mode", "metadataonly", "format"];

/// Names of members that are no part of the answer: the request, the tools, the conditions of the service.
const NO_PART: [&str; 27] = [
    "arguments",
    "avatar",
    "channeldata",
    "config",
    "configuration",
    "error",
    "favicon",
    "favicons",
    "filters",
    "from",
    "icon",
    "incompletedetails",
    "input",
    "interpreter",
    "instructions",
    "logprobs",
    "parameters",
    "prompt",
    "recipient",
    "request",
    "responseformat",
    "safetyratings",
    "schema",
    "servertools",
    "toolchoice",
    "tools",
    "usage",
];

/// Ends of names whose values may be the address of a source.
const ADDRESSES: [&str; 8] = ["url", "uri", "link", "href", "permalink", "source", "location", "path"];

/// Parts of names whose addresses are not that of the source.
const OTHER_ADDRESSES: [&str; 20] = [
    "image", "icon", "logo", "thumb", "avatar", "picture", "photo", "server", "endpoint", "base", "api", "callback",
    "webhook", "proxy", "schema", "profile", "service", "media", "status", "next",
];

/// Names of members that name a source.
const NAMES: [&str; 20] = [
    "title",
    "name",
    "filename",
    "file",
    "fileid",
    "filepath",
    "documentname",
    "documenttitle",
    "documentid",
    "docid",
    "dockey",
    "docname",
    "displayname",
    "sourcename",
    "sourcetitle",
    "filetitle",
    "pagetitle",
    "headline",
    "label",
    "path",
];

/// Those of [`NAMES`] that name a file or a document of an index. [`mentions`] searches for them.
const FILES: [&str; 9] =
    ["docid", "dockey", "docname", "documentid", "documentname", "documenttitle", "fileid", "filename", "filetitle"];

/// Names of members that hold a passage of a source.
const PASSAGES: [&str; 14] = [
    "content",
    "text",
    "snippet",
    "excerpt",
    "excerpts",
    "passage",
    "pagecontent",
    "citedtext",
    "quote",
    "abstract",
    "chunk",
    "summary",
    "body",
    "document",
];

/// Those of [`PASSAGES`] that only a source has, if it also has a title. [`mentions`] searches for them.
const QUOTES: [&str; 5] = ["snippet", "excerpt", "excerpts", "passage", "quote"];

/// Names of members in which a source keeps its names apart.
const INNER: [&str; 5] = ["document", "metadata", "retrievedcontext", "source", "web"];

/// Names of members that a span of the answer's text has, whose `text` is no passage.
const SPANS: [&str; 6] = ["start", "end", "startindex", "endindex", "startoffset", "span"];

/// The words of a thing about itself.
#[derive(Debug, Default)]
pub(super) struct Likeness {
    /// Its address, as written.
    pub(super) address: Option<String>,
    /// The keys of its names, ids and passages.
    pub(super) names: Vec<String>,
    /// Its first name, for messages.
    pub(super) shown: Option<String>,
    /// Whether it names a file or a document.
    names_file: bool,
    /// Whether it holds a passage.
    has_passage: bool,
    has_title: bool,
    has_quote: bool,
}

impl Hash for Likeness {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.address.hash(state);
        self.names.hash(state);
    }
}

impl Likeness {
    /// A thing that is only a string: an address or a name.
    pub(super) fn named(text: &str) -> Self {
        let (address, shown) = if has_scheme(text) { (Some(text), None) } else { (None, Some(text)) };
        Self {
            address: address.map(str::to_owned),
            names: vec![name_key(text)],
            shown: shown.map(str::to_owned),
            ..Self::default()
        }
    }

    /// A page that a text tells of.
    pub(super) fn page(address: &str, title: Option<&str>) -> Self {
        Self { shown: title.map(str::to_owned), ..Self::named(address) }
    }

    /// The names in the objects inside an object that has none itself.
    pub(super) fn of_wrapped(members: &Map<String, Value>) -> Self {
        let inner = members.values().filter_map(Value::as_object).map(Self::of);
        inner
            .reduce(|mut all, other| {
                all.names.extend(other.names);
                all.shown = all.shown.or(other.shown);
                all
            })
            .unwrap_or_default()
    }

    /// The signs among the members of an object.
    pub(super) fn of(members: &Map<String, Value>) -> Self {
        let mut likeness = Self::default();
        let is_span = members.keys().any(|name| SPANS.contains(&&*key(name)));
        for (name, value) in members {
            let name = key(name);
            match value {
                Value::String(value) if !value.trim().is_empty() => likeness.take(&name, value, is_span),
                Value::Object(inner) if INNER.contains(&&*name) => {
                    let Self { names, shown, .. } = Self::of(inner);
                    likeness.names.extend(names);
                    likeness.shown = likeness.shown.or(shown);
                }
                Value::Null
                | Value::Bool(_)
                | Value::Number(_)
                | Value::String(_)
                | Value::Array(_)
                | Value::Object(_) => {}
            }
        }
        likeness
    }

    fn take(&mut self, name: &str, value: &str, is_span: bool) {
        if self.address.is_none() && has_scheme(value) && is_address(name) && !is_service(value) {
            self.address = Some(value.to_owned());
        } else if NAMES.contains(&name) {
            self.shown.get_or_insert_with(|| value.to_owned());
            self.names.push(name_key(value));
            self.names_file |= FILES.contains(&name);
            self.has_title |= name.ends_with("title");
        } else if PASSAGES.contains(&name) && !is_span {
            self.names.push(name_key(value));
            self.has_passage = true;
            self.has_quote |= QUOTES.contains(&name);
        }
    }

    /// Whether it is a source wherever it stands: it has an address, a passage of a named file, or a title with a
    /// quotation.
    pub(super) fn is_source(&self) -> bool {
        self.address.is_some() || self.names_file && self.has_passage || self.has_title && self.has_quote
    }

    pub(super) fn names_something(&self) -> bool {
        !self.names.is_empty()
    }
}

/// The name of a member in lower case, without `_` and `-`.
fn key(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-')).map(|c| c.to_ascii_lowercase()).collect()
}

/// Whether the values of a member with this name are sources.
pub(super) fn promises_sources(name: &str) -> bool {
    let name = key(name);
    let promises = PROMISING.iter().any(|part| name.contains(part)) || PROMISING_WHOLE.contains(&&*name);
    promises && !NO_SOURCES.iter().any(|part| name.contains(part))
}

/// Whether a member is no part of the answer, so that nothing in it is a source of the answer.
pub(super) fn is_no_part_of_the_answer(name: &str) -> bool {
    NO_PART.contains(&&*key(name))
}

fn is_address(name: &str) -> bool {
    ADDRESSES.iter().any(|end| name.ends_with(end)) && !OTHER_ADDRESSES.iter().any(|part| name.contains(part))
}

/// Whether an address is that of a search service, which all of its documents share.
fn is_service(address: &str) -> bool {
    address.trim().parse::<WebUrl>().is_ok_and(|url| url.is_service())
}

/// Whether a string begins with the scheme of an address: `https://`, `s3://`.
fn has_scheme(text: &str) -> bool {
    let is_scheme = |scheme: &str| {
        (2..=12).contains(&scheme.len())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    };
    text.trim_start().split_once("://").is_some_and(|(scheme, rest)| is_scheme(scheme) && !rest.is_empty())
}

/// Whether an entry of a list of sources is a source by itself: an address, a name or a passage, and no id.
pub(super) fn is_name(text: &str) -> bool {
    has_scheme(text) || text.trim().contains(|c: char| c.is_whitespace() || c == '.')
}

/// Whether a string may hold a JSON document with a source-like thing.
pub(super) fn is_document(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with(['{', '[']) && text.len() > 2 && mentions::are_in(text)
}

/// How many characters of a name tell it from others.
const KEY_CHARS: usize = 120;

/// A name or a passage without the differences of blanks and case.
pub(super) fn name_key(name: &str) -> String {
    let words = name.split_whitespace().flat_map(|word| word.chars().chain([' ']));
    words.take(KEY_CHARS).flat_map(char::to_lowercase).collect()
}

/// A name for a message.
pub(super) fn shortened(name: &str) -> String {
    const CHARS: usize = 80;
    let short: String = name.chars().take(CHARS).collect();
    if short.len() < name.len() { short + "…" } else { short }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name that nobody searches for would let its source go without a word.
    #[test]
    fn every_spelling_of_a_name_that_promises_sources_is_searched_for() {
        for words in [
            "sources",
            "source documents",
            "citation",
            "reference",
            "documents",
            "search result",
            "attribution",
            "annotation",
            "grounding",
            "retrieved",
            "context",
            "contexts",
            "web search",
            "doc id",
            "doc key",
            "doc name",
            "document id",
            "document name",
            "document title",
            "file id",
            "file name",
            "file title",
            "snippet",
            "excerpts",
            "passage",
            "quote",
        ] {
            let lower = words.replace(' ', "");
            let others = [&FILES[..], &QUOTES].concat();
            let is_known = promises_sources(&lower) || others.contains(&&*lower);
            assert!(is_known, "{words}");
            let title = |word: &str| word[..1].to_uppercase() + &word[1..];
            let pascal: String = words.split(' ').map(title).collect();
            let camel = lower[..1].to_owned() + &pascal[1..];
            for spelling in [lower, pascal, camel, words.replace(' ', "_"), words.replace(' ', "-")] {
                assert!(mentions::are_in(&format!("{{\"{spelling}\":0}}")), "{spelling}");
            }
        }
        let known = PROMISING.iter().chain(&PROMISING_WHOLE).chain(&FILES).chain(&QUOTES);
        for name in known {
            assert!(mentions::are_in(&format!("{{\"{name}\":0}}")), "{name}");
        }
        for address in [r#"{"a":"https://x"}"#, r#"{"a":"https:\/\/x"}"#] {
            assert!(mentions::are_in(address), "{address}");
        }
        assert!(!mentions::are_in(r#"{"type":"delta","text":"nothing"}"#));
    }
}
