//! Resolves markers to sources (policy P-01).

use std::cell::OnceCell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use super::Rules;
use super::counting::{Base, Counting, NumericIds};
use super::marker::{Item, Marker, Worded};
use super::told::Told;
use crate::answer::{First, Identities, NumberMeaning, Pages, Source, SourceIndex};
use crate::url::WebUrl;

/// The sources of one marker, nearly always one or two.
pub(super) type Indices = SmallVec<[SourceIndex; 2]>;

/// The sources that a marker names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// Sources, and numbers of the marker that name none.
    Sources { found: Indices, unknown: SmallVec<[usize; 2]> },
    /// No source.
    Nothing,
    /// Text that has not arrived tells which sources.
    Untold,
}

impl Named {
    fn all(found: Indices) -> Self {
        Self::some(found, SmallVec::new())
    }

    /// These sources, if all are there.
    pub(super) fn of_all(found: impl Iterator<Item = Option<SourceIndex>>) -> Self {
        found.collect::<Option<Indices>>().map_or(Self::Nothing, Self::all)
    }

    fn one(found: Option<SourceIndex>) -> Self {
        found.map_or(Self::Nothing, |index| Self::all(smallvec![index]))
    }

    /// These sources, each once.
    fn some(mut found: Indices, unknown: SmallVec<[usize; 2]>) -> Self {
        if found.len() > 1 {
            // A marker is short and names few sources, so a linear search is enough.
            let mut seen = Indices::new();
            found.retain(|index| {
                let is_new = !seen.contains(index);
                if is_new {
                    seen.push(*index);
                }
                is_new
            });
        }
        if found.is_empty() { Self::Nothing } else { Self::Sources { found, unknown } }
    }

    /// The sources, without what the marker names besides.
    pub(super) fn found(self) -> Option<Indices> {
        if let Self::Sources { found, .. } = self { Some(found) } else { None }
    }
}

/// Finds the sources of markers and addresses. The index of names is built when the first marker uses a name, because most
/// answers use only numbers.
#[derive(Debug, Default)]
pub(super) struct Resolver {
    names: OnceCell<Names>,
    /// Whether any source names its own marker.
    has_markers: OnceCell<bool>,
    /// The sources whose ids are numbers.
    numeric_ids: OnceCell<NumericIds>,
    /// Findings of the text about its numbers.
    counting: Counting,
    /// By the address of a page of the document, and by the merge key that all addresses of the document share (rule N-03).
    by_address: OnceCell<HashMap<Arc<str>, AtAddress>>,
}

/// The sources at one address.
#[derive(Clone, Copy, Debug, Default)]
struct AtAddress {
    /// The document, while it is the only one.
    document: Option<usize>,
    /// The first source; `None` where there are several documents.
    first: Option<SourceIndex>,
    /// The first source that names no place in the document; `None` where there are several documents.
    whole: Option<SourceIndex>,
}

fn by_address(sources: &[Source], rules: &Rules) -> HashMap<Arc<str>, AtAddress> {
    let mut documents = Identities::new(rules.tracking, Pages::Merge);
    let mut by_address: HashMap<Arc<str>, AtAddress> = HashMap::new();
    for (at, source) in sources.iter().enumerate() {
        let (Some(url), Some(document)) = (&source.url, documents.of(sources, at)) else { continue };
        let index = SourceIndex(at);
        let whole = url.anchor().is_none().then_some(index);
        let page = source.page_url().map(|page| page.as_str().into());
        let key = url.shared_merge_key(rules.tracking);
        let page = page.filter(|page| *page != key);
        for address in [Some(key), page].into_iter().flatten() {
            match by_address.entry(address) {
                Entry::Vacant(place) => {
                    place.insert(AtAddress { document: Some(document), first: Some(index), whole });
                }
                Entry::Occupied(place) => {
                    let known = place.into_mut();
                    if known.document == Some(document) {
                        known.whole = known.whole.or(whole);
                    } else {
                        *known = AtAddress::default();
                    }
                }
            }
        }
    }
    by_address
}

#[derive(Debug, Default)]
struct Names {
    by_marker: HashMap<String, SourceIndex>,
    by_id: HashMap<String, SourceIndex>,
    /// By file name in lower case, and page.
    by_file: HashMap<(String, Option<u32>), SourceIndex>,
}

impl Names {
    fn of(sources: &[Source]) -> Self {
        let mut names = Self::default();
        for (at, source) in sources.iter().enumerate() {
            let index = SourceIndex(at);
            if let Some(marker) = &source.marker {
                names.by_marker.entry(marker.clone()).or_insert(index);
            }
            if let Some(id) = &source.id {
                names.by_id.entry(id.clone()).or_insert(index);
            }
            let page = source.page.map(std::num::NonZeroU32::get);
            for name in source.file_names().map(|name| name.to_lowercase()) {
                names.by_file.entry((name.clone(), page)).or_insert(index);
                // A name without a page means the first source of that file.
                names.by_file.entry((name, None)).or_insert(index);
            }
        }
        names
    }
}

impl Resolver {
    /// Drops the indices, because there are new sources.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    fn names(&self, sources: &[Source]) -> &Names {
        self.names.get_or_init(|| Names::of(sources))
    }

    /// The sources that a marker names, each once, in the order of the marker. `text` is the text that holds it, as far as it has
    /// arrived.
    pub(super) fn resolve(&self, sources: &[Source], token: &str, marker: &Marker<'_>, text: Told<'_>) -> Named {
        if *self.has_markers.get_or_init(|| sources.iter().any(|source| source.marker.is_some()))
            && let Some(index) = self.names(sources).by_marker.get(token)
        {
            return Named::all(smallvec![*index]);
        }
        match marker {
            Marker::Numbers(numbers) => self.numbers(sources, numbers, text),
            Marker::Footnote(n) => self.numbers(sources, &[*n], text),
            Marker::Documents(numbers) => {
                let source = |n: usize| self.numbered(sources, n, First::One, text);
                let (known, unknown): (Vec<usize>, Vec<usize>) = numbers.iter().partition(|n| source(**n).is_some());
                Named::some(known.into_iter().filter_map(source).collect(), unknown.into())
            }
            Marker::Machine(names) => Named::all(names.iter().filter_map(|name| self.name(sources, name)).collect()),
            Marker::Name(name) => Named::one(self.name(sources, name)),
            Marker::NameEnd(name) => Named::one(self.name(sources, name).or_else(|| name_end(sources, name))),
            Marker::Word(worded) => self.worded(sources, worded, text),
        }
    }

    /// The source of one number: by its id where numbers are ids, else at its place, for a form that counts from `first`; else the
    /// one that readers last saw under the number in an earlier answer.
    pub(super) fn numbered(
        &self,
        sources: &[Source],
        number: usize,
        first: First,
        text: Told<'_>,
    ) -> Option<SourceIndex> {
        if text.grammar.meaning == NumberMeaning::Ids {
            return self.names(sources).by_id.get(&number.to_string()).copied();
        }
        let own = Source::own(sources).len();
        let Base::From(base) = self.counting.base(first, own, text) else { return None };
        let place = number.checked_sub(base).filter(|at| *at < own).map(SourceIndex);
        // Readers count from 1.
        place.or_else(|| if base == 1 { Source::earlier(sources, number) } else { None })
    }

    /// The sources of numbers without words: what the format says, and the ids of sources that are no places.
    fn numbers(&self, sources: &[Source], numbers: &[usize], text: Told<'_>) -> Named {
        let source = |n: usize| self.numbered(sources, n, First::One, text);
        let ids = self.numeric_ids.get_or_init(|| NumericIds::of(Source::own(sources)));
        if text.grammar.meaning != NumberMeaning::Places || ids.is_empty() {
            return known_numbers(numbers, source);
        }
        let means_ids = match numbers.iter().any(|n| ids.contradicts(*n)).then(|| self.counting.means_ids(ids, text)) {
            Some(None) => return Named::Untold,
            Some(Some(means_ids)) => means_ids,
            None => false,
        };
        known_numbers(numbers, |n| if means_ids { ids.source(n) } else { source(n).or_else(|| ids.source(n)) })
    }

    /// The sources of a marker with a word. All of its items have to name one.
    fn worded(&self, sources: &[Source], worded: &Worded<'_>, text: Told<'_>) -> Named {
        let Worded { first, whole, items, .. } = worded;
        if let Some(index) = self.name(sources, whole) {
            return Named::all(smallvec![index]);
        }
        let by_id = &self.names(sources).by_id;
        let written = |item: &Item<'_>| match item {
            Item::Number(_, written) => by_id.get(*written).copied(),
            Item::Name(name) => self.name(sources, name).or_else(|| titled(sources, name)),
        };
        if let Some(found) = items.iter().map(written).collect::<Option<Indices>>() {
            return Named::all(found);
        }
        let numbers: Option<SmallVec<[usize; 2]>> =
            items.iter().map(|item| if let Item::Number(n, _) = item { Some(*n) } else { None }).collect();
        let Some(numbers) = numbers else { return Named::Nothing };
        let all = |source: &dyn Fn(usize) -> Option<SourceIndex>| Named::of_all(numbers.iter().map(|n| source(*n)));
        let numbered = |n: usize| self.numbered(sources, n, *first, text);
        if text.grammar.meaning != NumberMeaning::Places {
            return all(&numbered);
        }
        let by_ids = all(&|n| by_id.get(&n.to_string()).copied());
        // `ref_id` and `ID` say that they mean ids.
        if *first == First::Told && by_ids != Named::Nothing {
            return by_ids;
        }
        match self.counting.base(*first, Source::own(sources).len(), text) {
            Base::Unknown => return Named::Nothing,
            Base::Untold => return Named::Untold,
            Base::From(_) => {}
        }
        let by_places = all(&numbered);
        if by_places == Named::Nothing { by_ids } else { by_places }
    }

    /// The sources of names such as `turn0file0`: by id, else by the number at their end, which counts from 0, if the text
    /// names results of one search alone.
    pub(super) fn turns(&self, sources: &[Source], names: &[&str], text: Told<'_>) -> Named {
        let by_id = &self.names(sources).by_id;
        let found = Named::of_all(names.iter().map(|name| by_id.get(*name).copied()));
        if found != Named::Nothing || sources.iter().any(|source| source.id.is_some()) {
            return found;
        }
        let place = |name: &&str| {
            let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
            let at: usize = name[name.len() - digits..].parse().ok()?;
            (at < Source::own(sources).len()).then_some(SourceIndex(at))
        };
        match self.counting.is_one_turn(text) {
            None => Named::Untold,
            Some(true) => Named::of_all(names.iter().map(place)),
            Some(false) => Named::Nothing,
        }
    }

    /// The first source at an address as the answer writes it, unless the address is that of several documents, or names
    /// another place than all sources do (rule N-03).
    pub(super) fn at_address(&self, sources: &[Source], rules: &Rules, written: &str) -> Option<SourceIndex> {
        let by_address = self.by_address.get_or_init(|| by_address(sources, rules));
        if by_address.is_empty() {
            return None;
        }
        // `&amp;` is the only character reference that addresses contain.
        let url: WebUrl = written.replace("&amp;", "&").parse().ok()?;
        if let Some(exact) = by_address.get(url.as_str()).filter(|exact| exact.first.is_some()) {
            return exact.first;
        }
        let document = by_address.get(&*url.merge_key_under(rules.tracking))?;
        if rules.pages == Pages::Merge || url.anchor().is_none() { document.first } else { document.whole }
    }

    fn name(&self, sources: &[Source], name: &str) -> Option<SourceIndex> {
        // A name of one character is a task box or a variable.
        name.chars().nth(1)?;
        let names = self.names(sources);
        if let Some(index) = names.by_id.get(name) {
            return Some(*index);
        }
        let name = name.to_lowercase();
        let paged = name.rsplit_once("#page=").and_then(|(file, page)| Some((file, page.parse::<u32>().ok()?)));
        let Some((file, page)) = paged else { return names.by_file.get(&(name, None)).copied() };
        let exact = names.by_file.get(&(file.to_owned(), Some(page)));
        let of_the_file = || names.by_file.get(&(file.to_owned(), None));
        exact.or_else(of_the_file).copied()
    }
}

/// The source with this title, if no other has it.
fn titled(sources: &[Source], title: &str) -> Option<SourceIndex> {
    let title = title.to_lowercase();
    let has_title = |source: &Source| source.title.as_deref().is_some_and(|known| known.to_lowercase() == title);
    let mut found = sources.iter().enumerate().filter(|(_, source)| has_title(source));
    let (at, _) = found.next()?;
    found.next().is_none().then_some(SourceIndex(at))
}

/// The sources of a list of numbers that a person would write. A number that names none is left out of a list in which at
/// least as many name one; above two digits it may be a year, and then the list is no marker.
fn known_numbers(numbers: &[usize], source: impl Fn(usize) -> Option<SourceIndex>) -> Named {
    if let [n] = numbers {
        return Named::one(source(*n));
    }
    let found: Indices = numbers.iter().filter_map(|n| source(*n)).collect();
    let unknown: SmallVec<[usize; 2]> = numbers.iter().copied().filter(|n| source(*n).is_none()).collect();
    if unknown.len() > found.len() || unknown.iter().any(|n| *n >= FIRST_YEAR) {
        return Named::Nothing;
    }
    Named::some(found, unknown)
}

/// From here on, a number in a list may be a year or an amount.
const FIRST_YEAR: usize = 100;

/// The first source whose id ends with `end`.
fn name_end(sources: &[Source], end: &str) -> Option<SourceIndex> {
    let ends_so = |source: &Source| source.id.as_deref().is_some_and(|id| id.ends_with(end));
    sources.iter().position(ends_so).map(SourceIndex)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;
    use crate::answer::MarkerGrammar;
    use crate::cite::marker::in_square_brackets;

    fn sources() -> Vec<Source> {
        vec![
            Source {
                id: Some("2".into()),
                filepath: Some("hr/Plan.pdf".into()),
                page: NonZeroU32::new(1),
                ..Source::default()
            },
            Source {
                id: Some("AB".into()),
                filepath: Some("hr/Plan.pdf".into()),
                page: NonZeroU32::new(2),
                ..Source::default()
            },
            Source { marker: Some("[src c]".into()), url: "https://x/c.html".parse().ok(), ..Source::default() },
        ]
    }

    /// The sources of a marker in a text that holds nothing else.
    fn named(sources: &[Source], token: &str, grammar: MarkerGrammar) -> Option<Indices> {
        let marker = in_square_brackets(&token[1..token.len() - 1], &grammar)?;
        let told = Told { text: token, is_whole: true, grammar: &grammar };
        Resolver::default().resolve(sources, token, &marker, told).found()
    }

    fn resolve(inner: &str) -> Option<Vec<usize>> {
        let token = format!("[{inner}]");
        let found = named(&sources(), &token, MarkerGrammar::ALL)?;
        Some(found.into_iter().map(|index| index.0).collect())
    }

    #[test]
    fn a_bracket_resolves_by_marker_place_id_file_and_page_in_this_order() {
        assert_eq!(resolve("src c"), Some(vec![2]));
        assert_eq!(resolve("2"), Some(vec![1]), "a number is a place, whatever the ids are");
        assert_eq!(resolve("AB"), Some(vec![1]));
        assert_eq!(resolve("plan.PDF"), Some(vec![0]));
        assert_eq!(resolve("hr/plan.pdf#page=2"), Some(vec![1]));
        assert_eq!(resolve("plan.pdf#page=9"), Some(vec![0]), "an unknown page of a known file is the file");
        assert_eq!(resolve("c.html"), Some(vec![2]));
        assert_eq!(resolve("ab"), None, "ids are exact");
    }

    /// Words in brackets once became badges: `[sic]` beside an article of that name, `app.config[settings]` beside a page.
    #[test]
    fn the_end_of_an_address_is_a_file_name_only_with_an_extension() {
        let source = |url: &str| Source { url: url.parse().ok(), ..Source::default() };
        let sources = [
            source("https://en.wikipedia.example/wiki/Sic"),
            source("https://docs.example/settings"),
            source("https://docs.example/v1.0"),
            source("https://docs.example/.env"),
            source("https://docs.example/a.b/notes.markdown?x=1"),
            source("https://docs.example/o/hr%2FLeave%20policy.pdf"),
        ];
        let resolve = |inner: &str| named(&sources, &format!("[{inner}]"), MarkerGrammar::ALL);
        for name in ["sic", "settings", "v1.0", ".env"] {
            assert_eq!(resolve(name), None, "{name}");
        }
        assert_eq!(resolve("Notes.markdown").map(|found| found[0]), Some(SourceIndex(4)));
        // The name as readers know it, and as the address writes it.
        for name in ["Leave policy.pdf", "hr%2FLeave%20policy.pdf"] {
            assert_eq!(resolve(name).map(|found| found[0]), Some(SourceIndex(5)), "{name}");
        }
    }

    #[test]
    fn a_provider_may_mean_ids_by_numbers_or_the_ends_of_ids_by_names() {
        let with_id = |id: &str| Source { id: Some(id.into()), ..Source::default() };
        let resolve = |inner: &str, grammar: MarkerGrammar, sources: &[Source]| {
            let found = named(sources, &format!("[{inner}]"), grammar)?;
            Some(found.into_iter().map(|index| index.0).collect::<Vec<_>>())
        };
        let results = [with_id("3"), with_id("7")];
        let by_id = |inner: &str| resolve(inner, MarkerGrammar::BRACKETED_IDS, &results);
        assert_eq!([by_id("7"), by_id("3, 7"), by_id("7#b")], [Some(vec![1]), Some(vec![0, 1]), Some(vec![1])]);
        assert_eq!([by_id("1"), by_id("3, 1")], [None, Some(vec![0])], "a place is no id");
        let entries = [with_id("hr/plan.pdf#page=2"), with_id("https://x/a.html")];
        let by_end = |inner: &str| resolve(inner, MarkerGrammar::REFERENCES, &entries);
        assert_eq!([by_end("plan.pdf#page=2"), by_end("a.html")], [Some(vec![0]), Some(vec![1])]);
        assert_eq!([by_end("plan.pdf"), by_end("1"), by_end("note")], [None, None, None]);
    }

    /// A link once cited the first of several documents behind one address.
    #[test]
    fn an_address_is_that_of_one_document_and_of_the_place_that_it_names() {
        let source =
            |url: &str, title: &str| Source { title: Some(title.into()), url: url.parse().ok(), ..Source::default() };
        let sources = [
            source("https://x/leave#form", "Leave"),
            source("https://x/leave#days", "Leave"),
            source("https://x/app", "One"),
            source("https://x/app", "Two"),
            source("https://x/plan", "Plan"),
        ];
        let at = |written: &str, pages| {
            let rules = Rules { pages, ..Rules::web_chat() };
            Resolver::default().at_address(&sources, &rules, written).map(|index| index.0)
        };
        for (written, expected) in [
            ("https://x/leave#days", Some(1)),
            ("https://x/leave", Some(0)),
            ("https://x/leave#:~:text=30", Some(0)),
            ("https://x/leave#other", None),
            ("https://x/app", None),
            ("https://X/plan?utm_source=a#top", Some(4)),
        ] {
            assert_eq!(at(written, Pages::Anchors), expected, "{written}");
        }
        assert_eq!(at("https://x/leave#other", Pages::Merge), Some(0));
    }

    #[test]
    fn a_list_without_years_in_which_most_numbers_name_sources_resolves_to_them() {
        assert_eq!(resolve("1, 3, 1"), Some(vec![0, 2]));
        assert_eq!(resolve("1, 9"), Some(vec![0]));
        assert_eq!(resolve("1, 2019"), None);
        assert_eq!(resolve("1, 8, 9"), None);
        assert_eq!(resolve("doc1, doc9"), Some(vec![0]));
        assert_eq!(resolve("doc9"), None);
    }
}
