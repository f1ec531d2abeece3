//! Finds the passages that match best, without weighing all that match.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::index_part::IndexPart;
use super::occurrences::WeighedTerm;

/// A term is looked up in the passages that may still be among the best, and not weighed for all of its own, where it has more than this
/// many passages for each one that is wanted.
const COMMON: usize = 20;

/// A sum of weights that are rounded may be this part less than the sum in another order.
const ROUNDED: f32 = 1.0 + 1e-5;

/// The rows of which none is looked at by itself where none may be among the best.
const CHUNK: usize = 16;

/// The number of passages that are weighed for each one that is wanted, to know what the best weigh at least.
const AHEAD: usize = 2;

/// A passage that matches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Hit {
    /// The place among the passages.
    pub(super) place: usize,
    /// The weight of the match: more is better.
    pub(super) weight: f32,
    /// The terms that it has: a bit for each, the first one lowest.
    pub(super) has: u32,
}

impl Hit {
    /// Whether it has the term at this place in the question.
    pub(super) fn has(&self, term: usize) -> bool {
        self.has >> term & 1 == 1
    }
}

/// A row that may be among the best.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    part: usize,
    row: u32,
    hit: Hit,
}

impl Candidate {
    fn of(parts: &[IndexPart], part: usize, row: u32, weight: f32) -> Option<Self> {
        let place = parts.get(part)?.place(row)?;
        Some(Self { part, row, hit: Hit { place, weight, has: 0 } })
    }
}

/// The passages that match best; equal ones in their order. Rare terms come first. As soon as what is left cannot bring another passage
/// among the best, the rest is looked up for those alone that may be.
pub(super) fn best(parts: &[IndexPart], mut terms: Vec<WeighedTerm<'_, '_>>, limit: usize) -> Vec<Hit> {
    if limit == 0 {
        return Vec::new();
    }
    terms.sort_by(|one, other| other.most().total_cmp(&one.most()));
    let (sums, weighed, least) = weigh(parts, &terms, limit);
    let left = terms.get(weighed..).unwrap_or_default();
    let mut candidates = candidates(parts, &sums, least, most(left));
    complete(parts, left, &mut candidates, least, limit);
    keep_best(&mut candidates, limit);
    for term in &terms {
        look_up(parts, term, &mut candidates, |hit, _| hit.has |= 1 << term.at());
    }
    candidates.sort_unstable_by(best_first);
    candidates.into_iter().map(|candidate| candidate.hit).collect()
}

fn best_first(one: &Candidate, other: &Candidate) -> Ordering {
    other.hit.weight.total_cmp(&one.hit.weight).then_with(|| one.hit.place.cmp(&other.hit.place))
}

/// Leaves out all but the best, and puts these in the order of parts and rows.
fn keep_best(candidates: &mut Vec<Candidate>, limit: usize) {
    if candidates.len() > limit {
        candidates.select_nth_unstable_by(limit - 1, best_first);
        candidates.truncate(limit);
    }
    candidates.sort_unstable_by_key(|candidate| (candidate.part, candidate.row));
}

/// The sums of what the first terms add to each row, the number of these terms, and a weight that the best passages have at least.
fn weigh(parts: &[IndexPart], terms: &[WeighedTerm<'_, '_>], limit: usize) -> (Vec<Vec<f32>>, usize, f32) {
    let mut sums: Vec<Vec<f32>> = parts.iter().map(|part| vec![0.0; part.rows()]).collect();
    for (at, term) in terms.iter().enumerate() {
        if at > 0 && term.passages() > limit.saturating_mul(COMMON) {
            let left = terms.get(at..).unwrap_or_default();
            let least = least_of_best(parts, &sums, left, limit);
            if least > most(left) * ROUNDED {
                return (sums, at, least);
            }
        }
        for (at, (part, sums)) in parts.iter().zip(&mut sums).enumerate() {
            term.add_to_all(at, part.lengths(), sums);
        }
    }
    let least = least_of_best(parts, &sums, &[], limit);
    (sums, terms.len(), least)
}

/// The most that these terms add to a passage.
fn most(terms: &[WeighedTerm<'_, '_>]) -> f32 {
    terms.iter().map(WeighedTerm::most).sum()
}

/// A weight that the best passages have at least, when the terms that are left are added to these sums; 0 where there are fewer passages.
fn least_of_best(parts: &[IndexPart], sums: &[Vec<f32>], left: &[WeighedTerm<'_, '_>], limit: usize) -> f32 {
    // The whole weights of those that are ahead now bound the best ones from below.
    let mut ahead = ahead(parts, sums, limit.saturating_mul(AHEAD));
    for term in left {
        look_up(parts, term, &mut ahead, |hit, added| hit.weight += added);
    }
    nth_weight(&ahead, limit)
}

/// The weight of the last of the best candidates; 0 where there are fewer.
fn nth_weight(candidates: &[Candidate], limit: usize) -> f32 {
    let mut weights: Vec<f32> = candidates.iter().map(|candidate| candidate.hit.weight).collect();
    if weights.len() < limit {
        return 0.0;
    }
    *weights.select_nth_unstable_by(limit - 1, |one, other| other.total_cmp(one)).1
}

/// The passages that these sums put first, in the order of parts and rows.
fn ahead(parts: &[IndexPart], sums: &[Vec<f32>], limit: usize) -> Vec<Candidate> {
    // The bits of numbers that are not negative are in the order of the numbers.
    let mut best: BinaryHeap<Reverse<(u32, usize, u32)>> = BinaryHeap::with_capacity(limit.min(1 << 16) + 1);
    let mut least = 0.0;
    for (at, (part, sums)) in parts.iter().zip(sums).enumerate() {
        for (first, chunk) in (0..).step_by(CHUNK).zip(sums.chunks(CHUNK)) {
            if !any(chunk, |sum| sum > least) {
                continue;
            }
            for (row, sum) in (first..).zip(chunk) {
                if *sum > least && part.place(row).is_some() {
                    best.push(Reverse((sum.to_bits(), at, row)));
                    if best.len() > limit {
                        best.pop();
                    }
                    if best.len() == limit {
                        least = best.peek().map_or(0.0, |Reverse((bits, ..))| f32::from_bits(*bits));
                    }
                }
            }
        }
    }
    let candidate = |Reverse((bits, at, row))| Candidate::of(parts, at, row, f32::from_bits(bits));
    let mut ahead: Vec<Candidate> = best.into_iter().filter_map(candidate).collect();
    ahead.sort_unstable_by_key(|candidate| (candidate.part, candidate.row));
    ahead
}

/// The passages that may be among the best, in the order of parts and rows.
fn candidates(parts: &[IndexPart], sums: &[Vec<f32>], least: f32, most: f32) -> Vec<Candidate> {
    let is_one = |sum: f32| sum > 0.0 && (sum + most) * ROUNDED >= least;
    let mut candidates = Vec::new();
    for (at, sums) in sums.iter().enumerate() {
        for (first, chunk) in (0..).step_by(CHUNK).zip(sums.chunks(CHUNK)) {
            if any(chunk, is_one) {
                let rows = (first..).zip(chunk).filter(|(_, sum)| is_one(**sum));
                candidates.extend(rows.filter_map(|(row, sum)| Candidate::of(parts, at, row, *sum)));
            }
        }
    }
    candidates
}

/// Whether this holds for any of the sums. All are looked at, which takes less time than to ask after each one.
fn any(sums: &[f32], holds: impl Fn(f32) -> bool) -> bool {
    sums.iter().fold(false, |any, sum| any | holds(*sum))
}

/// Adds the terms that are left. What each adds may show that a candidate is none.
fn complete(
    parts: &[IndexPart],
    left: &[WeighedTerm<'_, '_>],
    candidates: &mut Vec<Candidate>,
    mut least: f32,
    limit: usize,
) {
    for (at, term) in left.iter().enumerate() {
        look_up(parts, term, candidates, |hit, added| hit.weight += added);
        least = least.max(nth_weight(candidates, limit));
        let most = most(left.get(at + 1..).unwrap_or_default());
        candidates.retain(|candidate| (candidate.hit.weight + most) * ROUNDED >= least);
    }
}

/// Tells what a term adds to each of the candidates that have it. They are in the order of parts and rows.
fn look_up(
    parts: &[IndexPart],
    term: &WeighedTerm<'_, '_>,
    candidates: &mut [Candidate],
    mut tell: impl FnMut(&mut Hit, f32),
) {
    for candidates in candidates.chunk_by_mut(|one, other| one.part == other.part) {
        let Some(at) = candidates.first().map(|first| first.part) else { continue };
        let Some(part) = parts.get(at) else { continue };
        let mut find = term.finder(at, part.lengths());
        for candidate in candidates {
            find.added_to(candidate.row).into_iter().for_each(|added| tell(&mut candidate.hit, added));
        }
    }
}

#[cfg(test)]
mod tests {
    use citewire_documents::{Format, Markup};
    use proptest::prelude::*;

    use std::sync::Arc;

    use super::Hit;
    use crate::document::contents::Contents;
    use crate::document::file::FileContent;
    use crate::document::index::Index;
    use crate::document::occurrences::Occurrences;
    use crate::document::question::SearchQuestion;
    use crate::document::{Document, Passage};

    fn content(path: &str, texts: &[String]) -> FileContent {
        let passage = |(place, text): (usize, &String)| {
            let headings = vec![text.split(' ').next().unwrap_or_default().to_owned()];
            Arc::new(Passage { headings, text: text.clone(), page: None, place, markup: Markup::Markdown })
        };
        let document = Document::new(path.to_owned(), Format::Markdown, None, None);
        FileContent::new(document, texts.iter().enumerate().map(passage).collect())
    }

    /// The best of all, each term by itself and nothing left out: asked for one passage more than there are, nothing is.
    fn each_by_itself(index: &Index, terms: &[(f64, &Occurrences<'_>)], all: usize) -> Vec<Hit> {
        let mut order: Vec<usize> = (0..terms.len()).collect();
        order.sort_by(|one, other| (terms[*other].0 as f32).total_cmp(&(terms[*one].0 as f32)));
        let mut hits: Vec<Hit> = (0..all).map(|place| Hit { place, weight: 0.0, has: 0 }).collect();
        for at in order {
            for hit in index.best(&terms[at..=at], all + 1) {
                hits[hit.place].weight += hit.weight;
                hits[hit.place].has |= 1 << at;
            }
        }
        hits.retain(|hit| hit.has > 0);
        hits.sort_by(|one, other| other.weight.total_cmp(&one.weight).then(one.place.cmp(&other.place)));
        hits
    }

    /// Documents of the words `w0` to `w1023`: of twice as many words, each is half as frequent.
    fn documents(seed: u64, count: usize) -> Vec<FileContent> {
        let mut state = seed;
        let mut next = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let mut word = || {
            let most = 1 << (next(10) + 1);
            format!("w{}", next(most))
        };
        let mut text = |words: usize| (0..words).map(|_| word()).collect::<Vec<_>>().join(" ");
        let texts = |_| (0..IN_FILE).map(|at| text(1 + at % 13)).collect::<Vec<String>>();
        (0..count).map(texts).enumerate().map(|(file, texts)| content(&format!("{file:02}.md"), &texts)).collect()
    }

    /// The passages of a document.
    const IN_FILE: usize = 40;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        /// The library has parts, rows that are gone, terms of several stems, and terms common enough to be looked up, since some
        /// questions want few passages. Indexing takes longer than asking, so each index is asked several questions.
        #[test]
        fn the_best_of_an_index_are_those_of_all_weighed_one_by_one(
            seed in any::<u64>(),
            files in 4_usize..8,
            gone in any::<bool>(),
            questions in proptest::collection::vec(
                (prop_oneof![3 => 1_usize..4, 1 => 4_usize..20], proptest::collection::vec((0_usize..14, 0.001_f64..8.0), 1..7)),
                6,
            ),
        ) {
            let passages = (files - usize::from(gone)) * IN_FILE;
            let mut files = documents(seed, files);
            let of = |files: &[FileContent]| Arc::new(Contents::of_sorted(files.to_vec()));
            // A part is joined to one that is not twice as large.
            let mut index = Index::default().with(of(&files[1..])).with(of(&files));
            prop_assert_eq!(index.parts(), 2);
            if gone {
                files.remove(2);
                index = index.with(of(&files));
            }
            for (limit, asked) in questions {
                let terms: Vec<(f64, Occurrences<'_>)> = asked
                    .iter()
                    .map(|(word, weight)| {
                        let question = SearchQuestion::parse_for(index.languages(), &format!("w{word}"));
                        let mut term = question.terms(index.languages()).remove(0);
                        if *word == 13 {
                            term.is_prefix = true;
                            term.stems = vec!["w1".to_owned()];
                        }
                        (*weight, index.occurrences(&term))
                    })
                    .collect();
                let terms: Vec<(f64, &Occurrences<'_>)> =
                    terms.iter().map(|(weight, found)| (*weight, found)).collect();
                let mut expected = each_by_itself(&index, &terms, passages);
                expected.truncate(limit);
                prop_assert_eq!(index.best(&terms, limit), expected);
            }
        }
    }
}
