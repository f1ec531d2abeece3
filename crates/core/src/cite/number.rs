//! Assigns numbers to sources, one for each document.

use std::borrow::Cow;
use std::fmt::Write as _;

use smallvec::{SmallVec, smallvec};

use super::{CitedSource, Numbering, Position, Rules, definition};
use crate::answer::{Identities, Source, SourceIndex, common_part, told_apart};
use crate::report::{Entry, Kind};
use crate::text::one_line;
use crate::url::WebUrl;

/// Gives numbers to sources as they are cited.
#[derive(Debug)]
pub(super) struct Numberer {
    numbering: Numbering,
    /// The most documents that get a number.
    max: usize,
    /// Whether only web pages with one address share a number, and documents with one address do not.
    only_pages: bool,
    /// Whether definitions are written: these have less room for titles, and cannot name every address.
    defines: bool,
    /// The index in `cited`, by the index of the source.
    by_source: Few<Option<usize>>,
    identities: Identities,
    /// The identities of the first sources of the list. They do not depend on what is cited, so that a stream, which may take
    /// numbers back, merges like the whole answer.
    known: Few<Option<usize>>,
    /// The index in `cited`, by identity.
    by_identity: Few<Option<usize>>,
    cited: Few<Draft>,
    /// The sources in the order in which they were added.
    added: Few<SourceIndex>,
}

/// A list with an element for each source. Most answers have few sources, and such a list needs no memory of its own.
type Few<T> = SmallVec<[T; 8]>;

#[derive(Clone, Debug)]
struct Draft {
    position: Position,
    /// The identity of all its sources.
    identity: Option<usize>,
    sources: SmallVec<[SourceIndex; 1]>,
}

impl Numberer {
    pub(super) fn new(rules: &Rules) -> Self {
        Self {
            numbering: rules.numbering,
            max: rules.max_claims.unwrap_or(usize::MAX),
            only_pages: rules.only_markers,
            defines: rules.definitions,
            by_source: Few::new(),
            identities: Identities::new(rules.tracking, rules.pages),
            known: Few::new(),
            by_identity: Few::new(),
            cited: Few::new(),
            added: Few::new(),
        }
    }

    /// Whether anything is cited.
    pub(super) fn any(&self) -> bool {
        !self.cited.is_empty()
    }

    /// Marks a source as cited, and returns its number. Past the largest number of claims, returns as the error how many
    /// documents were cited before it.
    pub(super) fn number(&mut self, sources: &[Source], source: SourceIndex) -> Result<Position, usize> {
        let known = self.by_source.get(source.0).copied().flatten();
        let place = known.unwrap_or_else(|| self.add(sources, source));
        if place < self.max { Ok(self.cited[place].position) } else { Err(place) }
    }

    fn add(&mut self, sources: &[Source], index: SourceIndex) -> usize {
        let fresh = self.cited.len();
        let identity = self.identity(sources, index);
        let place = identity.and_then(|identity| self.by_identity.get(identity).copied().flatten()).unwrap_or(fresh);
        if place == fresh {
            let position = match self.numbering {
                Numbering::Dense => Position::after(fresh),
                Numbering::Provider => Position::after(index.0),
            };
            self.cited.push(Draft { position, identity, sources: smallvec![index] });
            if let Some(identity) = identity {
                if self.by_identity.len() <= identity {
                    self.by_identity.resize(identity + 1, None);
                }
                self.by_identity[identity] = Some(place);
            }
        } else {
            self.cited[place].sources.push(index);
        }
        if self.by_source.len() <= index.0 {
            self.by_source.resize(sources.len(), None);
        }
        self.by_source[index.0] = Some(place);
        self.added.push(index);
        place
    }

    /// The identity of a source (rule N-03); `None` when it is like no other.
    fn identity(&mut self, sources: &[Source], index: SourceIndex) -> Option<usize> {
        for at in self.known.len()..=index.0 {
            let is_page = !self.only_pages || sources[at].is_web_page();
            self.known.push(if is_page { self.identities.of(sources, at) } else { None });
        }
        self.known[index.0]
    }

    /// The sources cited so far, in the order of their numbers.
    pub(super) fn so_far(&self, all: &[Source]) -> Vec<CitedSource> {
        written(self.cited.iter().take(self.max).cloned(), all, self.defines)
    }

    /// Returns the cited sources in the order of their numbers, and adds their report entries.
    pub(super) fn finish(self, all: &[Source], entries: &mut Vec<Entry>) -> Vec<CitedSource> {
        let Self { defines, max, cited, .. } = self;
        let cited = written(cited.into_iter().take(max), all, defines);
        entries.reserve(cited.len());
        for source in &cited {
            let CitedSource { position, sources, .. } = source;
            let pointer = |index: &SourceIndex| all[index.0].pointer.as_str();
            let at = pointer(&sources[0]);
            entries.push(Entry::in_input(Kind::Cited, "source", at, what_is_cited(source)));
            entries.extend(definition::cut_entry(source, at).filter(|_| defines));
            if let (None, Some(url)) = (&source.url, &all[sources[0].0].url) {
                let message = format!(
                    "the address of [{position}] was left out, since no Markdown link can name an IPv6 host: {url}"
                );
                entries.push(Entry::in_input(Kind::Dropped, "url-ipv6", at, message));
            }
            for other in &sources[1..] {
                let message = format!("the same document as {at}; both are [{position}]");
                entries.push(Entry::in_input(Kind::Merged, "same-document", pointer(other), message));
            }
        }
        cited
    }
}

/// Undo: before a stream reads its open block again, it takes back the numbers of that block.
impl Numberer {
    /// How many sources have a number, as the argument for [`back_to`](Self::back_to).
    pub(super) fn len(&self) -> usize {
        self.added.len()
    }

    /// Takes back the numbers of all sources but the first `len` that got one.
    pub(super) fn back_to(&mut self, len: usize) {
        for index in self.added.drain(len..).rev() {
            let Some(place) = self.by_source[index.0].take() else { continue };
            self.cited[place].sources.pop();
            if self.cited[place].sources.is_empty() {
                let draft = self.cited.pop();
                if let Some(identity) = draft.and_then(|draft| draft.identity) {
                    self.by_identity[identity] = None;
                }
            }
        }
    }

    /// The most documents that get a number.
    pub(super) fn max(&self) -> usize {
        self.max
    }
}

/// Writes the report message, `[1] is "Title": https://…`.
fn what_is_cited(source: &CitedSource) -> String {
    let CitedSource { position, title, url, .. } = source;
    let address_bytes = url.as_ref().map_or(32, |url| url.as_str().len());
    let mut message = String::with_capacity("[999] is \"\": ".len() + title.len() + address_bytes);
    message.push('[');
    position.write_to(&mut message);
    message.push_str("] is ");
    // Every conversion runs this, and formatting would take longer than all the rest of it.
    if title.bytes().all(|byte| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\')) {
        message.extend(["\"", title, "\""]);
    } else {
        // Writing to a String cannot fail.
        let _ = write!(message, "{title:?}");
    }
    message.push_str(": ");
    match url {
        Some(url) => match url.open() {
            Some(address) => message.push_str(address),
            None => {
                let _ = write!(message, "{url}");
            }
        },
        None => message.push_str("a passage without address"),
    }
    message
}

/// The cited sources in the order of their numbers. Where definitions are written, each has an address of its own: Web Chat
/// draws no second badge to one address.
fn written(drafts: impl Iterator<Item = Draft>, all: &[Source], defines: bool) -> Vec<CitedSource> {
    let mut cited: Vec<CitedSource> = drafts.map(|draft| draft.finish(all, defines)).collect();
    name(&mut cited, all);
    if defines {
        part_addresses(&mut cited);
    }
    cited.sort_by_key(|cited| cited.position);
    cited
}

/// Gives an address of its own to each source behind the first one with that address.
fn part_addresses(cited: &mut [CitedSource]) {
    let mut places: Few<usize> = (0..cited.len()).collect();
    let url = |at: usize| cited[at].url.as_ref().map(WebUrl::as_str);
    places.sort_by_key(|at| url(*at));
    let same = places.chunk_by(|one, other| url(*one).is_some() && url(*one) == url(*other));
    let further: Vec<usize> = same.flat_map(|places| places[1..].iter().copied()).collect();
    for at in further {
        let CitedSource { url, position, .. } = &mut cited[at];
        *url = url.as_ref().map(|url| url.as_claim(*position));
    }
}

/// Tells sources with one title apart, and adds the notes about sources to their titles.
fn name(cited: &mut [CitedSource], all: &[Source]) {
    let part = |at: usize| {
        let parts: Vec<_> = cited[at].sources.iter().map(|index| all[index.0].given_part()).collect();
        common_part(parts.iter().map(Option::as_ref))
    };
    for (at, title) in told_apart(cited.len(), |at| &cited[at].title, part) {
        cited[at].title = title;
    }
    for cited in cited {
        if let Some(mark) = cited.sources.iter().find_map(|index| all[index.0].mark.as_ref()) {
            cited.note_bytes = " ".len() + mark.words.len();
            cited.title.extend([" ", mark.words.as_str()]);
        }
    }
}

impl Draft {
    /// The address of the first source. It leads to the cited sentences of all of them, where these are known.
    fn address(&self, all: &[Source]) -> Option<WebUrl> {
        let links = || self.sources.iter().filter_map(|index| all[index.0].sentence.as_ref());
        let page = links().find_map(|link| link.reader_page.clone());
        let directives = links().flat_map(|link| &link.directives).map(String::as_str);
        page.or_else(|| Some(all[self.sources[0].0].page_url()?.with_directives(directives)))
    }

    fn finish(self, all: &[Source], defines: bool) -> CitedSource {
        let first = &all[self.sources[0].0];
        let sources = || self.sources.iter().map(|index| &all[index.0]);
        let mut titles = sources().filter_map(|source| source.title.as_deref()).map(one_line);
        let title = titles.find(|title| !title.is_empty());
        let part = common_part(sources().map(|source| source.part.as_ref()));
        let title = match (title, part) {
            (Some(title), Some(part)) => Some(one_line(&part.of(&title)).into_owned()),
            (title, _) => title.or_else(|| first.display_title()).map(Cow::into_owned),
        };
        CitedSource {
            position: self.position,
            url: self.address(all).filter(|url| !defines || url.is_linkable()),
            note_bytes: 0,
            title: title.unwrap_or_else(|| format!("Document {}", self.position)),
            sources: self.sources,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;
    use crate::cite::{Pages, Tracking};

    fn web(url: &str) -> Source {
        Source { url: url.parse().ok(), ..Source::default() }
    }

    fn numbers(sources: &[Source], cited: &[usize], rules: &Rules) -> Vec<u32> {
        let mut numberer = Numberer::new(rules);
        cited.iter().filter_map(|index| Some(numberer.number(sources, SourceIndex(*index)).ok()?.get())).collect()
    }

    #[test]
    fn numbers_are_dense_by_first_appearance_or_the_providers() {
        let sources: Vec<Source> = ["https://a", "https://b", "https://c"].map(web).into();
        assert_eq!(numbers(&sources, &[2, 0, 2], &Rules::web_chat()), [1, 2, 1]);
        let provider = Rules { numbering: Numbering::Provider, ..Rules::web_chat() };
        assert_eq!(numbers(&sources, &[2, 0, 2], &provider), [3, 1, 3]);
    }

    #[test]
    fn one_document_is_one_claim_unless_pages_are_split_or_anchors_differ() {
        let page = |n| Source { page: NonZeroU32::new(n), ..web("https://a/x.pdf#top") };
        let sources = [page(1), page(2), web("https://a/x.pdf?utm_source=z")];
        assert_eq!(numbers(&sources, &[0, 1, 2], &Rules::web_chat()), [1, 1, 1]);
        let referred = [web("https://a/x?ref=1"), web("https://a/x?source=2")];
        assert_eq!(numbers(&referred, &[0, 1], &Rules::web_chat()), [1, 2]);
        let ref_too = Rules { tracking: Tracking::RefToo, ..Rules::web_chat() };
        assert_eq!(numbers(&referred, &[0, 1], &ref_too), [1, 1]);
        let split = Rules { pages: Pages::Split, ..Rules::web_chat() };
        assert_eq!(numbers(&sources, &[0, 1, 2], &split), [1, 2, 3]);
        let places = ["https://a/x#leave", "https://a/x#form", "https://a/x#leave"].map(web);
        assert_eq!(numbers(&places, &[1, 0, 2], &Rules::web_chat()), [1, 2, 2]);
        let split_again = [web("https://a/x"), web("https://a/x#b")];
        assert_eq!(numbers(&split_again, &[0, 1], &Rules::web_chat()), [1, 1]);
        let merge = Rules { pages: Pages::Merge, ..Rules::web_chat() };
        assert_eq!(numbers(&places, &[1, 0, 2], &merge), [1, 1, 1]);
    }

    #[test]
    fn sources_without_address_are_never_merged() {
        let sources = [Source::default(), Source::default()];
        assert_eq!(numbers(&sources, &[0, 1], &Rules::web_chat()), [1, 2]);
    }

    #[test]
    fn a_title_is_one_line_and_never_empty() {
        let titled = |title: &str| {
            let sources = [Source { title: Some(title.into()), ..Source::default() }];
            let mut numberer = Numberer::new(&Rules::web_chat());
            numberer.number(&sources, SourceIndex(0)).expect("a number");
            numberer.finish(&sources, &mut Vec::new()).remove(0).title
        };
        assert_eq!(titled("A\r\n\"B\"\t\u{202e}C"), "A \"B\" C");
        assert_eq!(titled("\u{7}"), "Document 1");
    }

    #[test]
    fn documents_with_one_title_are_told_apart_by_their_pages() {
        let manual = |page, url: &str| Source { title: Some("Manual".into()), page: NonZeroU32::new(page), ..web(url) };
        let sources = [
            manual(7, "https://a/x.pdf"),
            manual(8, "https://a/y.pdf"),
            manual(9, "https://a/y.pdf"),
            web("https://b/"),
        ];
        let titles = |cited: &[usize]| {
            let mut numberer = Numberer::new(&Rules::web_chat());
            for at in cited {
                numberer.number(&sources, SourceIndex(*at)).expect("a number");
            }
            let titles: Vec<String> = numberer.so_far(&sources).into_iter().map(|cited| cited.title).collect();
            assert!(numberer.finish(&sources, &mut Vec::new()).iter().map(|cited| &cited.title).eq(&titles));
            titles
        };
        assert_eq!(titles(&[0, 1, 3]), ["Manual, page 7", "Manual, page 8", "b"]);
        assert_eq!(titles(&[0, 1, 2]), ["Manual, page 7", "Manual"], "two pages of one document are its claim");
        assert_eq!(titles(&[0]), ["Manual"]);
    }

    #[test]
    fn a_title_is_reported_as_cut_only_where_a_definition_has_it() {
        let sources = [Source { title: Some("x".repeat(301)), ..Source::default() }];
        for (rules, wanted) in [(Rules::web_chat(), 1), (Rules::plain(), 0)] {
            let mut numberer = Numberer::new(&rules);
            numberer.number(&sources, SourceIndex(0)).expect("a number");
            let mut entries = Vec::new();
            numberer.finish(&sources, &mut entries);
            assert_eq!(entries.iter().filter(|entry| entry.kind == Kind::Cut).count(), wanted);
        }
    }

    #[test]
    fn documents_that_share_an_address_have_definitions_that_differ() {
        let titled = |title: &str, url: &str| Source { title: Some(title.into()), ..web(url) };
        let sources = [titled("A", "https://a/x"), titled("B", "https://a/x"), titled("C", "https://a/x#:~:text=y")];
        let addresses = |rules: Rules| {
            let mut numberer = Numberer::new(&rules);
            for at in 0..3 {
                numberer.number(&sources, SourceIndex(at)).expect("a number");
            }
            let so_far = numberer.so_far(&sources);
            assert_eq!(numberer.finish(&sources, &mut Vec::new()), so_far);
            so_far.into_iter().filter_map(|cited| Some(cited.url?.as_str().to_owned())).collect::<Vec<_>>()
        };
        assert_eq!(addresses(Rules::web_chat()), ["https://a/x", "https://a/x#:~:cite=2", "https://a/x#:~:text=y"]);
        assert_eq!(addresses(Rules::teams()), ["https://a/x", "https://a/x", "https://a/x#:~:text=y"]);
    }

    /// The definition of an IPv6 address once held brackets, which every engine encodes: the badge led to
    /// `http://%5B::1%5D/`.
    #[test]
    fn an_address_that_no_link_can_name_is_none_where_there_are_definitions() {
        let sources = [Source { url: "http://[2001:db8::1]/x".parse().ok(), ..Source::default() }];
        for (rules, linked) in [(Rules::web_chat(), false), (Rules::teams(), true)] {
            let mut numberer = Numberer::new(&rules);
            numberer.number(&sources, SourceIndex(0)).expect("a number");
            let mut entries = Vec::new();
            let cited = numberer.finish(&sources, &mut entries);
            assert_eq!((cited[0].url.is_some(), cited[0].title.as_str()), (linked, "[2001:db8::1]"));
            assert_eq!(entries.iter().any(|entry| entry.code == "url-ipv6"), !linked);
        }
    }
}
