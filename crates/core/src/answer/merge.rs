//! Merges web pages that are the same (rule N-03).

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::{Answer, Identities, Pages, Source, SourceIndex, SourceKind};
use crate::report::{Entry, Kind};
use crate::url::Tracking;

impl Answer {
    /// Merges web pages that are the same under `tracking` (rule N-03), and reports it. The first source stays, and is filled
    /// in from the others. Does nothing if markers count the places of sources.
    pub fn merge_pages(&mut self, tracking: Tracking) {
        if self.grammar.counts_places() {
            return;
        }
        let is_page = |source: &Source| source.kind == Some(SourceKind::Web);
        let identities = identities_of(&self.sources, tracking, is_page);
        // The place that each identity has, and the new place of each source.
        let mut known: HashMap<usize, usize> = HashMap::new();
        let mut places = Vec::with_capacity(self.sources.len());
        let mut kept: Vec<Source> = Vec::with_capacity(self.sources.len());
        for (source, identity) in std::mem::take(&mut self.sources).into_iter().zip(identities) {
            let place = identity.map_or(kept.len(), |identity| *known.entry(identity).or_insert(kept.len()));
            places.push(SourceIndex(place));
            match kept.get_mut(place) {
                Some(first) => {
                    let message = format!("the same document as {}", first.pointer);
                    let pointer = source.pointer.clone();
                    self.warnings.push(Entry::in_input(Kind::Merged, "same-document", pointer, message));
                    first.fill_in(source);
                }
                None => kept.push(source),
            }
        }
        self.sources = kept;
        let citations = self.citations.iter_mut().map(|citation| &mut citation.sources);
        for cited in citations.chain(&mut self.shown).chain([&mut self.attested]) {
            move_to(cited, &places);
        }
    }
}

/// The identity of each source, for the sources that `is_page` holds of; `None` for others.
fn identities_of(sources: &[Source], tracking: Tracking, is_page: impl Fn(&Source) -> bool) -> Vec<Option<usize>> {
    let mut identities = Identities::new(tracking, Pages::Anchors);
    let of = |(at, source)| is_page(source).then(|| identities.of(sources, at)).flatten();
    sources.iter().enumerate().map(of).collect()
}

impl Answer {
    /// Keeps, of these places, the first source of each web page. Places count from 0.
    #[must_use]
    pub fn without_repeated_pages(&self, places: impl IntoIterator<Item = usize>) -> Vec<usize> {
        let identities = identities_of(&self.sources, Tracking::Usual, Source::is_web_page);
        let mut seen = HashSet::new();
        let mut is_first = |identity: &Option<usize>| identity.is_none_or(|identity| seen.insert(identity));
        places.into_iter().filter(|place| identities.get(*place).is_some_and(&mut is_first)).collect()
    }

    /// The sources that were used for the answer, as far as the format tells. A message lists them if the text cites none
    /// (policy P-03). An incomplete answer may have ended before its first marker, so only what the provider attests counts.
    #[must_use]
    pub fn used(&self) -> &[SourceIndex] {
        match &self.shown {
            Some(shown) if self.complete => shown,
            Some(_) | None => &self.attested,
        }
    }

    /// The places of the sources to list if the text cites none: those that the provider reports as used, else all (rule
    /// N-14). An incomplete answer may have ended before its first marker, so it lists only the sources that the provider
    /// attests as used.
    #[must_use]
    pub fn listed_uncited(&self) -> Vec<usize> {
        let places = |sources: &[SourceIndex]| sources.iter().map(|source| source.0).collect();
        let listed: Vec<usize> = match &self.shown {
            _ if !self.complete => places(&self.attested),
            Some(shown) => places(shown),
            None => (0..self.sources.len()).collect(),
        };
        self.without_repeated_pages(listed)
    }

    /// The sources at these places, each with its place, and filled in from other sources that are the same web page.
    #[must_use]
    pub fn pages_at(&self, places: &[usize]) -> Vec<(usize, Cow<'_, Source>)> {
        let mut pages: Vec<_> =
            places.iter().filter_map(|place| Some((*place, Cow::Borrowed(self.sources.get(*place)?)))).collect();
        let identities = identities_of(&self.sources, Tracking::Usual, Source::is_web_page);
        let mut known = HashMap::new();
        for (at, (place, _)) in pages.iter().enumerate() {
            if let Some(identity) = identities[*place] {
                known.entry(identity).or_insert(at);
            }
        }
        for (place, (other, identity)) in self.sources.iter().zip(identities).enumerate() {
            if let Some(at) = identity.and_then(|identity| known.get(&identity))
                && pages[*at].0 != place
            {
                pages[*at].1.to_mut().fill_in(other.clone());
            }
        }
        pages
    }
}

/// Replaces each index by its new place, and drops repetitions.
fn move_to(cited: &mut Vec<SourceIndex>, places: &[SourceIndex]) {
    let mut moved: Vec<SourceIndex> = Vec::with_capacity(cited.len());
    for source in cited.iter().filter_map(|source| places.get(source.0)) {
        if !moved.contains(source) {
            moved.push(*source);
        }
    }
    *cited = moved;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{Citation, MarkerGrammar};
    use crate::text::Span;

    fn page(url: &str) -> Source {
        Source { url: url.parse().ok(), kind: Some(SourceKind::Web), ..Source::default() }
    }

    fn answer() -> Answer {
        let mut second = page("https://x.example/a?ref=news");
        second.title = Some("A".into());
        let document = Source { kind: Some(SourceKind::Document), ..page("https://x.example/a?source=index") };
        let text = "a b";
        let cite = |at: usize, sources: &[usize]| {
            let span = Span::new(text, at..at + 1).expect("a span");
            Citation::new(span, sources.iter().copied().map(SourceIndex).collect())
        };
        Answer {
            text: text.into(),
            sources: vec![page("https://x.example/a"), document, second, page("https://x.example/b?ref=1")],
            citations: vec![cite(0, &[2, 0]), cite(2, &[3, 1])],
            shown: Some(vec![SourceIndex(0), SourceIndex(2), SourceIndex(3)]),
            attested: vec![SourceIndex(2)],
            grammar: MarkerGrammar::NONE,
            ..Answer::default()
        }
    }

    #[test]
    fn pages_are_one_and_what_cites_them_follows() {
        let mut answer = answer();
        answer.merge_pages(Tracking::RefToo);
        let urls: Vec<_> =
            answer.sources.iter().map(|source| source.url.as_ref().expect("an address").as_str()).collect();
        assert_eq!(urls, ["https://x.example/a", "https://x.example/a?source=index", "https://x.example/b?ref=1"]);
        assert_eq!(answer.sources[0].title.as_deref(), Some("A"));
        let cited: Vec<Vec<usize>> =
            answer.citations.iter().map(|citation| citation.sources.iter().map(|source| source.0).collect()).collect();
        assert_eq!(cited, [vec![0], vec![2, 1]]);
        assert_eq!(answer.shown, Some(vec![SourceIndex(0), SourceIndex(2)]));
        assert_eq!(answer.attested, [SourceIndex(0)]);
    }

    #[test]
    fn nothing_is_merged_where_a_parameter_counts_or_a_marker_counts_places() {
        let mut usual = answer();
        usual.merge_pages(Tracking::Usual);
        assert_eq!(usual, answer());
        let numbered = Answer { grammar: MarkerGrammar::BRACKETED_NUMBERS, ..answer() };
        let mut merged = numbered.clone();
        merged.merge_pages(Tracking::RefToo);
        assert_eq!(merged, numbered);
    }
}
