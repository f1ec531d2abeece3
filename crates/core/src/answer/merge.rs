//! Merges web pages whose addresses differ only in tracking parameters or fragments.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::{Answer, Source, SourceIndex, SourceKind};
use crate::url::Tracking;

impl Answer {
    /// Merges sources whose addresses are the same page under `tracking` (rule N-03). The first source stays, and is filled
    /// in from the others. Does nothing if markers count the places of sources.
    pub fn merge_pages(&mut self, tracking: Tracking) {
        if self.grammar.counts_places() {
            return;
        }
        let mut known: HashMap<String, usize> = HashMap::new();
        let mut kept: Vec<Source> = Vec::with_capacity(self.sources.len());
        // The new place of each source.
        let mut places = Vec::with_capacity(self.sources.len());
        for source in std::mem::take(&mut self.sources) {
            let page = source.url.as_ref().filter(|_| source.kind == Some(SourceKind::Web));
            let place = page.map_or(kept.len(), |url| {
                *known.entry(url.merge_key_under(tracking).into_owned()).or_insert(kept.len())
            });
            places.push(SourceIndex(place));
            match kept.get_mut(place) {
                Some(first) => first.fill_in(source),
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

impl Answer {
    /// Keeps, of these places, the first source of each web page. Places count from 0.
    #[must_use]
    pub fn without_repeated_pages(&self, places: impl IntoIterator<Item = usize>) -> Vec<usize> {
        let mut seen = HashSet::new();
        let mut is_first = |source: &Source| match &source.url {
            Some(url) if source.is_web_page() => seen.insert(url.merge_key().into_owned()),
            _ => true,
        };
        places.into_iter().filter(|place| self.sources.get(*place).is_some_and(&mut is_first)).collect()
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
        let key = |source: &Source| {
            let url = source.url.as_ref().filter(|_| source.is_web_page())?;
            Some(url.merge_key().into_owned())
        };
        let mut known = HashMap::new();
        for (at, (_, page)) in pages.iter().enumerate() {
            if let Some(key) = key(page) {
                known.entry(key).or_insert(at);
            }
        }
        if known.is_empty() {
            return pages;
        }
        for (place, other) in self.sources.iter().enumerate() {
            if let Some(at) = key(other).and_then(|key| known.get(&key))
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
