//! Which sources are one document, and which are one place of it (rule N-03). Readers merge by this rule, and so does whoever
//! gives numbers.

use std::collections::HashMap;
use std::sync::Arc;

use super::{IdOf, Source};
use crate::url::{Tracking, WebUrl, last_of_path};

/// Which places of one document are claims of their own (policy P-04).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Pages {
    /// Places with addresses of their own: `/leave#form` and `/leave#limits`. Pages that only a member names are one claim.
    #[default]
    Anchors,
    /// None: a document is one claim.
    Merge,
    /// Anchors, and each page of a PDF.
    Split,
}

/// The sources that are known so far, by document and place. Sources are shown to it in the order of the list.
///
/// An address identifies a document unless another name says otherwise: an id, a file name or, without ids, a title. A
/// missing name contradicts nothing while one document is known at the address. Where there are several, only a name that is
/// theirs alone says which one is meant. Each step looks a few names up, however many sources share an address.
#[derive(Clone, Debug)]
pub struct Identities {
    tracking: Tracking,
    pages: Pages,
    by_address: HashMap<Arc<str>, Known>,
    /// How many identities there are.
    len: usize,
}

/// Facts that are known at one address.
#[derive(Clone, Debug)]
enum Known {
    /// One source, whose names nobody needed yet.
    Source {
        at: usize,
        identity: usize,
    },
    Documents(Box<Documents>),
}

impl Identities {
    /// No source is known yet.
    #[must_use]
    pub fn new(tracking: Tracking, pages: Pages) -> Self {
        Self { tracking, pages, by_address: HashMap::new(), len: 0 }
    }

    /// The number of what source `at` is, counted from 0 in order of appearance; `None` for a source without an address or
    /// outside of the list, which is like no other.
    pub fn of(&mut self, all: &[Source], at: usize) -> Option<usize> {
        let source = all.get(at)?;
        let Self { tracking, pages, by_address, len } = self;
        let key = source.url.as_ref()?.shared_merge_key(*tracking);
        if by_address.is_empty() {
            by_address.reserve(all.len());
        }
        let known = by_address.entry(key).or_insert(Known::Source { at, identity: *len });
        let documents = match known {
            Known::Source { at: first, identity } if *first == at => {
                *len = (*len).max(*identity + 1);
                return Some(*identity);
            }
            Known::Source { at: first, identity } => {
                let first = all.get(*first)?;
                let documents = Documents::of(Names::of(first), place(first, *pages), *identity);
                *known = Known::Documents(Box::new(documents));
                match known {
                    Known::Documents(documents) => documents,
                    Known::Source { .. } => return None,
                }
            }
            Known::Documents(documents) => documents,
        };
        let identity = documents.identity(Names::of(source), place(source, *pages), *len);
        *len = (*len).max(identity + 1);
        Some(identity)
    }
}

/// Whether two sources with one address are different documents, or different places of one.
#[must_use]
pub fn contradict(one: &Source, other: &Source) -> bool {
    let places = [one, other].map(|source| place(source, Pages::Split));
    let differ = matches!(&places, [Some(one), Some(other)] if one != other);
    differ || Names::of(one).contradict(&Names::of(other))
}

/// The documents at one address.
#[derive(Clone, Debug, Default)]
struct Documents {
    all: Vec<Document>,
    /// The document of sources that had exactly these names.
    by_names: HashMap<Names, usize>,
    /// The document that has a name; `None` where several have it.
    by_name: HashMap<Name, Option<usize>>,
}

#[derive(Clone, Debug)]
struct Document {
    /// The names of all its sources.
    names: Names,
    /// The identity of each place of the document. Sources that name no place are at `None`.
    places: HashMap<Option<String>, usize>,
    /// How many places have a name.
    named_places: usize,
}

impl Documents {
    fn of(names: Names, place: Option<String>, identity: usize) -> Self {
        let mut documents = Self::default();
        documents.add(names, place, identity);
        documents
    }

    /// The identity of a source with these names at this place; `fresh` when it is new.
    fn identity(&mut self, names: Names, place: Option<String>, fresh: usize) -> usize {
        let Some(at) = self.find(&names) else {
            self.add(names, place, fresh);
            return fresh;
        };
        let identity = self.all[at].identity(place, fresh);
        self.all[at].names.fill_in(&names);
        self.name(names, at);
        identity
    }

    fn find(&self, names: &Names) -> Option<usize> {
        if let [only] = self.all.as_slice() {
            return (!only.names.contradict(names)).then_some(0);
        }
        let named = || {
            let found = names.each().filter_map(|name| self.by_name.get(&name).copied().flatten());
            found.into_iter().find(|at| !self.all[*at].names.contradict(names))
        };
        self.by_names.get(names).copied().or_else(named)
    }

    fn add(&mut self, names: Names, place: Option<String>, identity: usize) {
        let at = self.all.len();
        let named_places = usize::from(place.is_some());
        self.all.push(Document { names: names.clone(), places: HashMap::from([(place, identity)]), named_places });
        self.name(names, at);
    }

    fn name(&mut self, names: Names, at: usize) {
        for name in names.each() {
            let named = self.by_name.entry(name).or_insert(Some(at));
            named.take_if(|known| *known != at);
        }
        self.by_names.entry(names).or_insert(at);
    }
}

impl Document {
    /// The identity of a place; `fresh` when it is new. While one place is known, a source that names none is there.
    fn identity(&mut self, place: Option<String>, fresh: usize) -> usize {
        if let Some(identity) = self.places.get(&place) {
            return *identity;
        }
        let is_one = self.named_places == 0 || place.is_none() && self.named_places == 1;
        let identity = self.places.values().next().copied().filter(|_| is_one).unwrap_or(fresh);
        self.named_places += usize::from(place.is_some());
        self.places.insert(place, identity);
        identity
    }
}

/// The names by which a source says which document it is, comparable as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Names {
    id: Option<String>,
    file: Option<String>,
    title: Option<String>,
}

/// One of the names. A file is looked up without its folders.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Name {
    Id(String),
    File(String),
    Title(String),
}

/// Members of metadata that name the document, where `id` names a passage.
const DOCUMENT_IDS: [&str; 3] = ["document_id", "doc_id", "file_id"];

impl Names {
    fn of(source: &Source) -> Self {
        let is_address = |name: &str| {
            source.url.as_ref().is_some_and(|url| url.as_str() == name) || source.address.as_deref() == Some(name)
        };
        let id = source.id.as_deref().filter(|id| source.id_of == IdOf::Document && !is_address(id));
        let in_metadata = || DOCUMENT_IDS.iter().find_map(|name| source.metadata.get(*name)?.as_str());
        let file = source.filepath.as_deref().filter(|path| !is_address(path));
        let file = file.map(|path| path.trim().replace('\\', "/").to_lowercase()).filter(|path| !path.is_empty());
        let title = source.title.as_deref().map(comparable).filter(|title| {
            !says_nothing(title, source.url.as_ref())
                && file.as_deref().and_then(last_of_path).is_none_or(|file| comparable(file) != *title)
        });
        Self { id: id.or_else(in_metadata).map(str::to_owned), file, title }
    }

    /// Whether these are names of different documents. With an id in both, titles do not matter.
    fn contradict(&self, other: &Self) -> bool {
        let differ = |one: &Option<String>, other: &Option<String>| matches!((one, other), (Some(one), Some(other)) if one != other);
        let have_ids = self.id.is_some() && other.id.is_some();
        let files = match (&self.file, &other.file) {
            (Some(one), Some(other)) => !is_end_of(one, other) && !is_end_of(other, one),
            (Some(_) | None, _) => false,
        };
        files || differ(&self.id, &other.id) || !have_ids && differ(&self.title, &other.title)
    }

    fn fill_in(&mut self, other: &Self) {
        for (mine, other) in [(&mut self.id, &other.id), (&mut self.file, &other.file), (&mut self.title, &other.title)]
        {
            if mine.is_none() {
                mine.clone_from(other);
            }
        }
    }

    fn each(&self) -> impl Iterator<Item = Name> {
        let file = self.file.as_deref().and_then(last_of_path).map(|file| Name::File(file.to_owned()));
        [self.id.clone().map(Name::Id), file, self.title.clone().map(Name::Title)].into_iter().flatten()
    }
}

/// Whether a path is the end of another: `leave.pdf` of `hr/leave.pdf`.
fn is_end_of(end: &str, path: &str) -> bool {
    path.strip_suffix(end).is_some_and(|folders| folders.is_empty() || folders.ends_with('/'))
}

/// A title without case and blanks.
fn comparable(title: &str) -> String {
    title.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect()
}

/// Whether a title says no more than the address: it is empty, a number, the address, its host or its file.
fn says_nothing(title: &str, url: Option<&WebUrl>) -> bool {
    let is_of = |url: &WebUrl| url.is_said_by(title) || url.file_name().is_some_and(|file| comparable(&file) == title);
    title.chars().all(|c| c.is_ascii_digit() || "[]()#.".contains(c)) || url.is_some_and(is_of)
}

/// The place in the document that a source names.
fn place(source: &Source, pages: Pages) -> Option<String> {
    let anchor = || source.url.as_ref().and_then(WebUrl::anchor).map(str::to_owned);
    match pages {
        Pages::Merge => None,
        Pages::Anchors => anchor(),
        Pages::Split => {
            let page = source.page.filter(|_| source.is_pdf()).map(|page| format!("page={page}"));
            page.or_else(anchor)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;

    const PAGE: &str = "https://x.example/p";

    fn at(url: &str) -> Source {
        Source { url: url.parse().ok(), ..Source::default() }
    }

    fn named(id: &str, file: &str, title: &str) -> Source {
        let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        Source { id: some(id), filepath: some(file), title: some(title), ..at(PAGE) }
    }

    fn identities(sources: &[Source], pages: Pages) -> Vec<Option<usize>> {
        let mut identities = Identities::new(Tracking::Usual, pages);
        (0..sources.len()).map(|at| identities.of(sources, at)).collect()
    }

    /// The numbers of sources that all have an address.
    fn told(sources: &[Source]) -> Vec<usize> {
        identities(sources, Pages::Anchors).into_iter().flatten().collect()
    }

    #[test]
    fn one_address_is_one_document_unless_an_id_a_file_or_a_title_says_otherwise() {
        for (one, other, expected) in [
            (named("", "", "A"), named("", "", "A"), 0),
            (named("", "", "Leave policy"), named("", "", " leave  POLICY"), 0),
            (named("", "", "A"), named("", "", "B"), 1),
            (named("", "", "A"), named("", "", ""), 0),
            (named("1", "", "A"), named("2", "", "A"), 1),
            (named("1", "", "A"), named("1", "", "B"), 0),
            (named("1", "", "A"), named("", "", "B"), 1),
            (named("1", "", "A"), named("", "", "A"), 0),
            (named("", "hr/a.pdf", ""), named("", "it/a.pdf", ""), 1),
            (named("", "hr\\A.pdf", ""), named("", "a.pdf", ""), 0),
            (named("", "a.pdf", "A"), named("", "ba.pdf", "A"), 1),
            (named("", "a.pdf", "a.pdf"), named("", "", "Plan"), 0),
        ] {
            assert_eq!(told(&[one.clone(), other.clone()]), [0, expected], "{one:?} {other:?}");
            assert_eq!(contradict(&one, &other), expected == 1);
        }
        assert_eq!(identities(&[Source::default(), Source::default()], Pages::Anchors), [None, None]);
        assert_eq!(
            told(&[at("https://a.example"), at("https://b.example"), at("https://A.example/?utm_source=x")]),
            [0, 1, 0]
        );
    }

    #[test]
    fn a_title_that_repeats_the_address_or_counts_says_nothing() {
        let titled =
            |title: &str| Source { title: Some(title.into()), ..at("https://www.docs.x.example/hr/leave.pdf?a=1") };
        for title in ["docs.x.example", "x.example", "[3]", "www.docs.x.example/hr/leave.pdf?a=1", "Leave.pdf", " "] {
            assert_eq!(told(&[titled("Leave policy"), titled(title)]), [0, 0], "{title}");
        }
        assert_eq!(told(&[titled("Leave policy"), titled("y.example")]), [0, 1]);
    }

    #[test]
    fn the_id_of_a_passage_names_no_document_but_metadata_may() {
        let passage = |id: &str, document: &str| {
            let metadata = [("document_id".to_owned(), document.into())].into_iter().filter(|_| !document.is_empty());
            Source { id_of: IdOf::Passage, metadata: metadata.collect(), ..named(id, "", "A") }
        };
        assert_eq!(told(&[passage("1", ""), passage("2", ""), passage("3", "d")]), [0, 0, 0]);
        assert_eq!(told(&[passage("1", "d"), passage("2", "e"), passage("3", "d")]), [0, 1, 0]);
        let address = Source { id: Some(PAGE.into()), ..at(PAGE) };
        assert_eq!(told(&[address, named("7", "", "")]), [0, 0]);
    }

    #[test]
    fn all_members_of_a_document_are_compared() {
        let (bare, a, b) = (named("", "", ""), named("", "", "A"), named("", "", "B"));
        assert_eq!(told(&[bare.clone(), a.clone(), b.clone(), a.clone()]), [0, 0, 1, 0]);
        // Among several documents a source without a name is none of them.
        assert_eq!(told(&[a.clone(), b.clone(), bare.clone(), bare]), [0, 1, 2, 2]);
        // A title of two documents does not say which one is meant, and an id does.
        let (one, two) = (named("1", "", "A"), named("2", "", "A"));
        assert_eq!(told(&[one, two, a.clone(), a, named("2", "", "C")]), [0, 1, 2, 2, 1]);
    }

    #[test]
    fn anchors_are_places_and_pages_of_a_pdf_where_they_are_split() {
        let places = ["", "#a", "#b", "#a", "#:~:text=x", "#b:~:text=y"].map(|end| at(&format!("{PAGE}{end}")));
        assert_eq!(told(&places), [0, 0, 1, 0, 0, 1]);
        assert_eq!(identities(&places, Pages::Merge), [Some(0); 6]);
        let page = |n, end: &str| Source { page: NonZeroU32::new(n), ..at(&format!("https://x.example/a.pdf{end}")) };
        let pages = [page(1, "#top"), page(2, ""), page(0, "#page=1"), page(1, "")];
        assert_eq!(identities(&pages, Pages::Split), [Some(0), Some(1), Some(0), Some(0)]);
        assert_eq!(told(&pages), [0, 0, 1, 0]);
    }

    /// The documents at one address were once compared with each other.
    #[test]
    fn many_documents_at_one_address_are_told_apart_quickly() {
        let sources: Vec<Source> = (0..60_000).map(|n| named("", "", &format!("Title {}", n % 30_000))).collect();
        let expected: Vec<usize> = (0..60_000).map(|n| n % 30_000).collect();
        assert_eq!(told(&sources), expected);
    }
}
