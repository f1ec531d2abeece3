//! The account of a body: each source-like thing in it is a source of the answer, or is reported (policy P-14).
//!
//! A second reader goes over the body and knows no format. It finds the objects with an address, and the entries of members
//! whose names promise sources; in the text that a tool gave, the addresses behind a label. A source accounts for a thing by its pointer (the thing, an object around it, or one inside
//! it), or by its identity: the address, or without one the name or the passage. The rest was lost, and gets a note.

use std::collections::{BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use serde_json::{Map, Value};

use super::labelled;
use super::mentions::{self, Mention};
use super::source_like::{self, Likeness};
use crate::answer::{Answer, Source};
use crate::report::{Entry, Kind, SOURCES_UNREAD};
use crate::url::WebUrl;

/// How many levels deep things are looked for. Recorded answers go nine levels deep.
const MAX_DEPTH: usize = 32;

/// The source-like things of a body that has arrived so far.
#[derive(Debug, Default)]
pub(super) struct Account {
    things: Vec<Thing>,
    /// Digests of the events that were looked through: many streams repeat all their sources in each event.
    seen: HashSet<u64>,
    /// Digests of the identities of `things`, for the same reason.
    known: HashSet<u64>,
    /// The memory of [`digest`].
    told: Vec<u8>,
}

/// A source-like thing of the body.
#[derive(Debug)]
struct Thing {
    pointer: String,
    likeness: Likeness,
}

impl Account {
    /// Looks through a whole body.
    pub(super) fn of_body(body: &str) -> Self {
        let mut account = Self::default();
        if mentions::are_in(body) {
            account.read(body, String::new);
        }
        account
    }

    /// Looks through the data of an event; `pointer` makes its JSON pointer.
    pub(super) fn event(&mut self, data: &str, pointer: impl FnOnce() -> String) {
        if digest(data, &mut self.told).is_some_and(|digest| self.seen.insert(digest)) {
            self.read(data, pointer);
        }
    }

    fn read(&mut self, body: &str, pointer: impl FnOnce() -> String) {
        if let Ok(value) = serde_json::from_str::<Value>(body) {
            self.look_at(&value, &mut pointer(), Promise::None, 0);
        }
    }

    /// Notes about the things that no source of the answer accounts for, each with its pointer.
    pub(super) fn unread(self, answer: &Answer) -> Vec<Entry> {
        if self.things.is_empty() {
            return Vec::new();
        }
        let mut read = Read::of(&answer.sources);
        let merged = answer.warnings.iter().filter(|entry| entry.kind == Kind::Merged);
        read.pointers.extend(merged.filter_map(|entry| entry.at.pointer()).map(folded));
        let unread = self.things.into_iter().filter(|thing| !read.accounts_for(thing));
        unread.map(Thing::into_entry).collect()
    }

    fn look_at(&mut self, value: &Value, pointer: &mut String, promise: Promise, depth: usize) {
        if depth == MAX_DEPTH {
            return;
        }
        match value {
            Value::Object(members) => self.look_at_object(members, pointer, promise, depth),
            Value::Array(entries) => {
                let promise = match promise {
                    Promise::OfList | Promise::Entry => Promise::Entry,
                    Promise::Output | Promise::None => Promise::None,
                };
                at_each(pointer, entries.iter().enumerate(), |pointer, entry| {
                    self.look_at(entry, pointer, promise, depth + 1);
                });
            }
            Value::String(text) if promise == Promise::Entry && source_like::is_name(text) => {
                self.push(pointer, Likeness::named(text));
            }
            Value::String(text) if source_like::is_document(text) => {
                if let Ok(value) = serde_json::from_str::<Value>(text) {
                    self.look_at(&value, pointer, Promise::None, depth + 1);
                }
            }
            Value::String(text) if promise == Promise::Output => {
                labelled::pages(text).for_each(|page| self.push(pointer, page));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn look_at_object(&mut self, members: &Map<String, Value>, pointer: &mut String, promise: Promise, depth: usize) {
        let before = self.things.len();
        let others = members.iter().filter(|(name, _)| !source_like::is_no_part_of_the_answer(name));
        let others = others.map(|(name, value)| (name, (Promise::of(name), value)));
        at_each(pointer, others, |pointer, (promise, value)| self.look_at(value, pointer, promise, depth + 1));
        let mut likeness = Likeness::of(members);
        let is_promised = matches!(promise, Promise::OfList | Promise::Entry) && self.things.len() == before;
        if promise == Promise::Entry && is_promised && !likeness.is_source() && !likeness.names_something() {
            likeness = Likeness::of_wrapped(members);
        }
        if likeness.is_source() || is_promised && likeness.names_something() {
            self.push(pointer, likeness);
        }
    }

    fn push(&mut self, pointer: &str, likeness: Likeness) {
        let mut hasher = DefaultHasher::new();
        likeness.hash(&mut hasher);
        if self.known.insert(hasher.finish()) {
            self.things.push(Thing { pointer: pointer.to_owned(), likeness });
        }
    }
}

/// Whether the name of the member around a value promises sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Promise {
    None,
    /// The value is that of such a member: a list of sources, or an object.
    OfList,
    /// The value is an entry of such a list.
    Entry,
    /// The value is what a tool gave: as a text, it may list pages line by line.
    Output,
}

impl Promise {
    /// The promise of a member by its name.
    fn of(name: &str) -> Self {
        if source_like::promises_sources(name) {
            Self::OfList
        } else if name == "output" {
            Self::Output
        } else {
            Self::None
        }
    }
}

/// Calls `each` with every member, with its name or index behind the pointer.
fn at_each<N: ToString, V>(
    pointer: &mut String,
    members: impl Iterator<Item = (N, V)>,
    mut each: impl FnMut(&mut String, V),
) {
    let length = pointer.len();
    for (name, value) in members {
        pointer.push('/');
        pointer.push_str(&name.to_string().replace('~', "~0").replace('/', "~1"));
        each(pointer, value);
        pointer.truncate(length);
    }
}

/// The bytes behind a mention that tell one thing from another.
const TOLD_BYTES: usize = 64;

/// A digest of the source-like things of an event, without the text that the event brings; `None` where nothing mentions one.
/// `told` is memory to use.
fn digest(data: &str, told: &mut Vec<u8>) -> Option<u64> {
    told.clear();
    let behind = |at: usize| &data.as_bytes()[at..data.len().min(at + TOLD_BYTES)];
    mentions::each(data, |mention| {
        told.extend_from_slice(match mention {
            // An address ends with its string.
            Mention::Address(at) => {
                let address = behind(at);
                &address[..memchr::memchr(b'"', address).unwrap_or(address.len())]
            }
            Mention::Name(at) => behind(at),
        });
    });
    if told.is_empty() {
        return None;
    }
    let mut hasher = DefaultHasher::new();
    hasher.write(told);
    hasher.write_usize(memchr::memchr_iter(b'{', data.as_bytes()).count());
    Some(hasher.finish())
}

/// The sources that were read, by pointer and by identity.
struct Read {
    pointers: BTreeSet<String>,
    addresses: HashSet<String>,
    names: HashSet<String>,
}

impl Read {
    fn of(sources: &[Source]) -> Self {
        let mut read = Self { pointers: BTreeSet::new(), addresses: HashSet::new(), names: HashSet::new() };
        for source in sources {
            if !source.pointer.is_empty() {
                read.pointers.insert(folded(&source.pointer));
            }
            let addresses = [source.address.as_deref(), source.filepath.as_deref(), source.id.as_deref()];
            read.addresses.extend(source.url.as_ref().map(|url| url.merge_key().into_owned()));
            read.addresses.extend(addresses.into_iter().flatten().map(address_key));
            let names = [&source.title, &source.id, &source.filepath, &source.chunk_id, &source.content];
            read.names.extend(names.into_iter().flatten().map(|name| source_like::name_key(name)));
        }
        read
    }

    fn accounts_for(&self, thing: &Thing) -> bool {
        self.is_at(&folded(&thing.pointer)) || self.is_known(&thing.likeness)
    }

    /// Whether a source was read from this place, from an object around it, or from one inside it.
    fn is_at(&self, pointer: &str) -> bool {
        let around = pointer.match_indices('/').map(|(end, _)| &pointer[..end]).chain([pointer]);
        let inside = format!("{pointer}/");
        around.into_iter().any(|place| self.pointers.contains(place))
            || self.pointers.range(inside.clone()..).next().is_some_and(|next| next.starts_with(&inside))
    }

    fn is_known(&self, likeness: &Likeness) -> bool {
        match &likeness.address {
            Some(address) => self.addresses.contains(&address_key(address)),
            None => likeness.names.iter().any(|name| self.names.contains(name)),
        }
    }
}

/// An address as sources are merged by it, else as it was written.
fn address_key(address: &str) -> String {
    let address = address.trim();
    address.parse::<WebUrl>().map_or_else(|_| address.to_owned(), |url| url.merge_key().into_owned())
}

/// A pointer without the difference between snake and camel case, in which some readers write members (rule N-17).
fn folded(pointer: &str) -> String {
    pointer.chars().filter(|c| *c != '_').map(|c| c.to_ascii_lowercase()).collect()
}

impl Thing {
    fn into_entry(self) -> Entry {
        let Likeness { address, shown, .. } = self.likeness;
        let named = shown.as_deref().or(address.as_deref()).map(source_like::shortened);
        let message = match named {
            Some(named) => format!("no source of the answer was read from this: {named:?}"),
            None => "no source of the answer was read from this source-like object".to_owned(),
        };
        Entry::in_input(Kind::Note, SOURCES_UNREAD, self.pointer, message)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{Provider, ingest};
    use super::*;
    use crate::report::At;

    fn unread(body: &Value, from: Option<Provider>) -> Vec<String> {
        pointers(&ingest(body.to_string().as_bytes(), from).expect("an answer"))
    }

    fn pointers(answer: &Answer) -> Vec<String> {
        let places = answer.warnings.iter().filter(|entry| entry.code == SOURCES_UNREAD);
        let pointer = |at: &At| match at {
            At::Pointer(pointer) => pointer.clone(),
            At::Offset(_) => unreachable!("a member of the input has a pointer"),
        };
        places.map(|entry| pointer(&entry.at)).collect()
    }

    /// A document of Azure AI Search has the address of the service beside its own, and annotations have only the former.
    #[test]
    fn the_address_of_a_service_is_nobodys_identity() {
        let service = "https://s.search.windows.net/indexes/i/docs/k1";
        let output = json!({"documents": [{"title": "Leave", "get_url": service, "url": "https://x.example/leave"}]});
        let annotation = json!({"type": "url_citation", "start_index": 0, "end_index": 2, "title": "doc_0", "url": "https://s.search.windows.net/"});
        let text = json!({"type": "output_text", "text": "30 days", "annotations": [annotation]});
        let body = json!({"object": "response", "status": "completed", "output": [
            {"type": "azure_ai_search_call_output", "id": "a", "output": output.to_string()},
            {"type": "message", "role": "assistant", "content": [text]}]});
        assert_eq!(unread(&body, None), Vec::<String>::new());
    }

    /// Several services add search results to a completion in members of their own; these were once lost silently.
    #[test]
    fn a_completion_whose_sources_are_not_read_says_where_they_are() {
        let found = json!([{"title": "X", "url": "https://x"}]);
        let message = |name: &str, value: &Value| json!({"role": "assistant", "content": "a", name: value});
        let plain = || json!([{"message": message("x", &json!(0))}]);
        let bodies = [
            (
                json!({"choices": [{"message": message("novel", &json!({"deep": {"er": found}}))}]}),
                "/choices/0/message/novel/deep/er/0",
            ),
            (json!({"choices": plain(), "my_hits": found}), "/my_hits/0"),
            (
                json!({"choices": plain(), "grounding_data": {"titles": [], "list": [{"title": "X"}]},
                "retrieved_chunks": [{"text": "No address."}]}),
                "/retrieved_chunks/0",
            ),
            (json!({"choices": plain(), "book_sources": ["Handbook, page 3"]}), "/book_sources/0"),
            (json!({"choices": plain(), "hits": [{"filename": "leave.pdf", "text": "30 days"}]}), "/hits/0"),
            (json!({"choices": plain(), "outcome": "{\"documents\": [{\"title\": \"X\"}]}"}), "/outcome/documents/0"),
        ];
        for (body, place) in bodies {
            assert_eq!(unread(&body, Some(Provider::OpenAiChat)), [place], "{body}");
            let mut chunk = body.clone();
            let message = chunk["choices"][0]["message"].take();
            chunk["choices"] = json!([{"index": 0, "delta": message, "finish_reason": "stop"}]);
            let events = json!([chunk, chunk]);
            let expected = format!("/0{}", place.replace("message", "delta"));
            assert_eq!(unread(&events, Some(Provider::OpenAiChat)), [expected], "{events}");
        }
        let plain = json!({"choices": [{"message": {"content": "a"}}], "citations": null,
            "usage": {"web_search": 0, "sources": [{"url": "https://x"}]},
            "tools": [{"type": "mcp", "server_url": "https://x/mcp"}], "queries": ["https://x"]});
        assert_eq!(unread(&plain, None), Vec::<String>::new());
    }

    /// OpenRouter has files of the question among the annotations, with their names one object deeper.
    #[test]
    fn an_entry_with_its_name_in_an_object_inside_is_found() {
        let file = json!({"type": "file", "file": {"hash": "f00", "name": "leave.pdf", "content": [{"type": "text", "text": "a"}]}});
        let body = json!({"choices": [{"message": {"role": "assistant", "content": "a", "annotations": [file]}}]});
        assert_eq!(unread(&body, None), ["/choices/0/message/annotations/0"]);
    }

    #[test]
    fn titles_with_quotations_are_found_under_any_name() {
        let body = json!({"choices": [{"message": {"role": "assistant", "content": "a"}}],
            "hits": [{"title": "Leave", "snippet": "30 days"}], "proof": {"title": "Pay", "quote": "Monthly."},
            "card": {"title": "Ask again", "text": "No source."}});
        assert_eq!(unread(&body, Some(Provider::OpenAiChat)), ["/hits/0", "/proof"]);
    }

    #[test]
    fn pages_in_the_text_of_a_tool_are_found_unless_they_were_read() {
        let output =
            "Title: Leave\nURL: https://x.example/leave\nContent: 30 days\n\nTitle: Pay\nURL: https://x.example/pay\n";
        let results = json!({"results": [{"title": "Leave", "url": "https://x.example/leave"}]});
        let tool = json!({"type": "search", "output": output, "search_results": results});
        let message = json!({"role": "assistant", "content": "URL: https://x.example/a", "executed_tools": [tool]});
        let body = json!({"choices": [{"message": message}]});
        assert_eq!(unread(&body, None), ["/choices/0/message/executed_tools/0/output"]);
        let call = json!({"type": "mcp_call", "output": output});
        let text = json!({"type": "output_text", "text": "30 days", "annotations": []});
        let body = json!({"object": "response", "status": "completed", "output": [call,
            {"type": "message", "role": "assistant", "content": [text]}]});
        assert_eq!(unread(&body, None), ["/output/0/output", "/output/0/output"]);
    }

    #[test]
    fn a_manifest_with_sources_under_another_name_says_so() {
        let body = json!({"text": "a", "sources": [{"metadata": {"references": [{"url": "https://y"}]}}],
            "references": ["https://x"]});
        assert_eq!(unread(&body, None), ["/references/0"]);
    }

    #[test]
    fn an_event_behind_the_end_and_one_of_an_unknown_kind_are_looked_through() {
        let body = "data: {\"novel\": [{\"link\": \"https://a\"}]}\n\ndata: {\"delta\": \"a\"}\n\ndata: [DONE]\n\n\
            data: {\"sources\": [{\"title\": \"B\", \"url\": \"https://b\"}]}\n\n";
        let answer = ingest(body.as_bytes(), None).expect("a text");
        assert_eq!(pointers(&answer), ["/0/novel/0", "/3/sources/0"]);
    }

    /// A stream that repeats its sources in each event is looked through once.
    #[test]
    fn sources_that_grow_from_event_to_event_are_all_found() {
        let event = |titles: &[&str]| {
            let sources: Vec<Value> = titles.iter().map(|title| json!({"title": title})).collect();
            format!("data: {}\n\n", json!({"delta": "a", "documents": sources}))
        };
        let body = [event(&["A"]), event(&["A"]), event(&["A", "B"])].concat();
        let answer = ingest(body.as_bytes(), None).expect("a text");
        assert_eq!(pointers(&answer), ["/0/documents/0", "/2/documents/1"]);
    }

    #[test]
    fn ten_thousand_things_are_all_counted() {
        let hits: Vec<Value> = (0..10_000).map(|n| json!({"url": format!("https://x/{n}")})).collect();
        let answer = ingest(json!({"text": "a", "hits": hits}).to_string().as_bytes(), None).expect("a text");
        assert_eq!(pointers(&answer).len(), 10_000);
    }
}
