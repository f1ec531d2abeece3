//! Resolves markers to sources (policy P-01).

use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use super::marker::Marker;
use crate::answer::{Source, SourceIndex};
use crate::url::{Tracking, WebUrl};

/// The sources of one marker, nearly always one or two.
pub(super) type Indices = SmallVec<[SourceIndex; 2]>;

/// Finds the sources of markers and addresses. The index of names is built when the first marker uses a name, because most
/// answers use only numbers.
#[derive(Debug, Default)]
pub(super) struct Resolver {
    names: OnceCell<Names>,
    /// Whether any source names its own marker.
    has_markers: OnceCell<bool>,
    /// By the address of a page of the document, and by the merge key that all addresses of the document share (rule N-03).
    by_address: OnceCell<HashMap<Arc<str>, SourceIndex>>,
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

    /// The sources of a marker, each once, in the order of the marker. `None` when it names no source. A list that a person
    /// would write resolves only when each of its numbers does: `[1, 2019]` is no citation.
    pub(super) fn resolve(&self, sources: &[Source], token: &str, marker: &Marker<'_>) -> Option<Indices> {
        if *self.has_markers.get_or_init(|| sources.iter().any(|source| source.marker.is_some()))
            && let Some(index) = self.names(sources).by_marker.get(token)
        {
            return Some(smallvec![*index]);
        }
        let place = |n: usize| (1..=sources.len()).contains(&n).then(|| SourceIndex(n - 1));
        let mut found: Indices = match marker {
            Marker::Numbers(numbers) => numbers.iter().map(|n| place(*n)).collect::<Option<_>>()?,
            Marker::Ids(ids) => {
                let by_id = &self.names(sources).by_id;
                ids.iter().map(|id| by_id.get(&id.to_string()).copied()).collect::<Option<_>>()?
            }
            Marker::Footnote(n) => smallvec![place(*n)?],
            Marker::Documents(numbers) => numbers.iter().filter_map(|n| place(*n)).collect(),
            Marker::Machine(names) => names.iter().filter_map(|name| self.name(sources, name)).collect(),
            Marker::Name(name) => smallvec![self.name(sources, name)?],
            Marker::NameEnd(name) => smallvec![self.name(sources, name).or_else(|| name_end(sources, name))?],
        };
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
        Some(found).filter(|found| !found.is_empty())
    }

    /// The first source at an address as the answer writes it: the source of that exact page, else one of the same document.
    pub(super) fn at_address(&self, sources: &[Source], tracking: Tracking, written: &str) -> Option<SourceIndex> {
        let by_address = self.by_address.get_or_init(|| {
            let mut by_address = HashMap::new();
            for (at, source) in sources.iter().enumerate() {
                if let Some(url) = &source.url {
                    by_address.entry(url.shared_merge_key(tracking)).or_insert(SourceIndex(at));
                }
                if let Some(url) = source.page_url() {
                    by_address.entry(url.as_str().into()).or_insert(SourceIndex(at));
                }
            }
            by_address
        });
        if by_address.is_empty() {
            return None;
        }
        // `&amp;` is the only character reference that addresses contain.
        let url: WebUrl = written.replace("&amp;", "&").parse().ok()?;
        by_address.get(url.as_str()).or_else(|| by_address.get(&*url.merge_key_under(tracking))).copied()
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

    fn resolve(inner: &str) -> Option<Vec<usize>> {
        let token = format!("[{inner}]");
        let marker = in_square_brackets(inner, &MarkerGrammar::ALL)?;
        let found = Resolver::default().resolve(&sources(), &token, &marker)?;
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
        let resolve = |inner: &str| {
            let marker = in_square_brackets(inner, &MarkerGrammar::ALL)?;
            Resolver::default().resolve(&sources, &format!("[{inner}]"), &marker)
        };
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
        let named = |id: &str| Source { id: Some(id.into()), ..Source::default() };
        let resolve = |inner: &str, grammar: MarkerGrammar, sources: &[Source]| {
            let marker = in_square_brackets(inner, &grammar)?;
            let found = Resolver::default().resolve(sources, &format!("[{inner}]"), &marker)?;
            Some(found.into_iter().map(|index| index.0).collect::<Vec<_>>())
        };
        let results = [named("3"), named("7")];
        let by_id = |inner: &str| resolve(inner, MarkerGrammar::BRACKETED_IDS, &results);
        assert_eq!([by_id("7"), by_id("3, 7"), by_id("7#b")], [Some(vec![1]), Some(vec![0, 1]), Some(vec![1])]);
        assert_eq!([by_id("1"), by_id("3, 1")], [None, None], "a place is no id");
        let entries = [named("hr/plan.pdf#page=2"), named("https://x/a.html")];
        let by_end = |inner: &str| resolve(inner, MarkerGrammar::REFERENCES, &entries);
        assert_eq!([by_end("plan.pdf#page=2"), by_end("a.html")], [Some(vec![0]), Some(vec![1])]);
        assert_eq!([by_end("plan.pdf"), by_end("1"), by_end("note")], [None, None, None]);
    }

    #[test]
    fn a_list_that_a_person_would_write_resolves_whole_or_not_at_all() {
        assert_eq!(resolve("1, 3, 1"), Some(vec![0, 2]));
        assert_eq!(resolve("1, 2019"), None);
        assert_eq!(resolve("doc1, doc9"), Some(vec![0]));
        assert_eq!(resolve("doc9"), None);
    }
}
