//! The claims of an answer, each with the verdict about its sources.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use citewire_support::{Cited, ContentWords, Headings, Judgement, Passage, ReasonCode, Sentence, Verdict};
use serde::Serialize;
use smallvec::SmallVec;

use super::block::{Block, blocks};
use super::sentence::{Group, LEAST_WORDS, MOST_CLAIMS, ReadBlock, groups, sentence_counts, trimmed};
use crate::answer::{Answer, Source, SourceKind};
use crate::cite::{CitedPlace, CitedText, Rules, cite};

/// A source of the web with fewer bytes of text than this gives only a teaser of its page.
const TEASER_BYTES: usize = 200;

/// The parts that a provider names for one source; others are found by the places of their badges.
const MOST_SPANS: usize = 256;

/// The other sources among which one is looked for that holds what the cited one lacks.
const MOST_OTHERS: usize = 32;

/// The longest quote, in bytes. The end of a longer one is left out.
const MAX_QUOTE_BYTES: usize = 1_000;

/// The claims of an answer: the part of its text behind each badge, and the verdict about it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Claims {
    /// The text, as [records](crate::output::records) have it: the position of its source, `[n]`, replaces each marker.
    #[cfg_attr(feature = "schema", schema(example = "Leave is 30 days [1]."))]
    pub text: String,
    /// One claim for each group of badges, in the order of the text. An answer that quotes its sources has one for each paragraph
    /// that a badge behind it is for, too.
    pub claims: Vec<Claim>,
    /// The number of sentences that no badge stands for; headings are none.
    pub uncited: usize,
    /// The number of sentences for which a badge stands, wholly or in part.
    #[serde(skip)]
    pub cited_sentences: usize,
    /// The markers that match no source, as they were in the text.
    pub unresolved: Vec<String>,
    /// The source-like objects of the input whose passages are not looked at, because the reader of the format does not know them:
    /// their JSON pointers.
    pub unread: Vec<String>,
}

/// A part of the text, and whether its sources hold it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Claim {
    /// The first byte of the part in `text`.
    pub start: usize,
    /// The byte behind it.
    pub end: usize,
    /// The unit of all offsets.
    #[cfg_attr(feature = "schema", schema(example = "utf8"))]
    pub unit: &'static str,
    /// The positions of the sources.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<u64>))]
    pub positions: Vec<usize>,
    /// The best verdict of the sources: `verbatim`, `supported-words`, `unknown`, `unsupported` or `conflict`.
    #[cfg_attr(feature = "schema", schema(value_type = String, example = "supported-words"))]
    #[serde(serialize_with = "verdict_code")]
    pub verdict: Verdict,
    /// Why.
    pub reasons: Vec<ClaimReason>,
    /// Where the sources hold it.
    pub quotes: Vec<Quote>,
    /// The verdict about each source alone, in the order of `positions`.
    #[serde(skip)]
    pub verdicts: Vec<Verdict>,
}

/// A reason of a verdict.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ClaimReason {
    /// The kind of reason, such as `number-missing`.
    #[cfg_attr(feature = "schema", schema(value_type = String, example = "number-missing"))]
    #[serde(serialize_with = "reason_code")]
    pub code: ReasonCode,
    /// The words of the text that it speaks of; null for all of the claim.
    pub text: Option<String>,
    /// The first byte of these words in `text`.
    pub start: usize,
    /// The byte behind them.
    pub end: usize,
    /// The position of the source.
    #[cfg_attr(feature = "schema", schema(value_type = u64))]
    pub position: usize,
}

/// A part of a passage.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Quote {
    /// The position of the source.
    #[cfg_attr(feature = "schema", schema(value_type = u64))]
    pub position: usize,
    /// The verdict about this source alone.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    #[serde(serialize_with = "verdict_code")]
    pub verdict: Verdict,
    /// The first byte of the part in the passage of the source.
    pub start: usize,
    /// The byte behind it.
    pub end: usize,
    /// The words.
    pub text: String,
}

fn verdict_code<S: serde::Serializer>(verdict: &Verdict, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(verdict.code())
}

fn reason_code<S: serde::Serializer>(code: &ReasonCode, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(code.code())
}

/// The claims of an answer.
#[must_use]
pub fn claims(answer: &Answer) -> Claims {
    let rules = Rules { without_bibliography: true, ..Rules::numbered() };
    let CitedText { text, places, unresolved, .. } = cite(answer, &rules);
    let blocks = blocks(&text, &places);
    let judge = Judge::of(answer, &places);
    let (mut claims, mut uncited, mut cited_sentences) = (Vec::new(), 0, 0);
    for (block, next_badge) in blocks.iter().zip(next_badges(&blocks)) {
        // Code without badges says nothing.
        if block.badges.is_empty() && !block.is_prose {
            continue;
        }
        let read = ReadBlock::new(block);
        let mut groups = groups(&read);
        let mut before = 0;
        for group in groups.iter_mut().take(MOST_CLAIMS) {
            let sources = judge.sources(group);
            let named = judge.spanned(block, group, &sources).or_else(|| judge.quoted(&read, group, &sources, before));
            group.part = named.unwrap_or_else(|| group.part.clone());
            before = group.at;
        }
        groups.extend(next_badge.and_then(|badge| judge.quoted_block(block, badge)));
        let sentences = sentence_counts(&read, &groups);
        uncited += sentences.uncited;
        cited_sentences += sentences.cited;
        for group in &groups {
            let sources = judge.sources(group);
            let mut claim = Claim::of(block.source(group.part.clone()), &sources);
            if claims.len() >= MOST_CLAIMS {
                claim.leave(ReasonCode::Cut);
            } else if block.is_code {
                claim.leave(ReasonCode::Code);
            } else {
                judge.claim(&mut claim, &read, group, &sources, &blocks);
            }
            claims.push(claim);
        }
    }
    claims.sort_by_key(|claim| (claim.start, claim.end));
    Claims { text, claims, uncited, cited_sentences, unresolved, unread: answer.unread() }
}

impl Claim {
    /// The claim of a part that is not held against its sources yet.
    fn of(range: Range<usize>, sources: &[usize]) -> Self {
        Self {
            start: range.start,
            end: range.end,
            unit: "utf8",
            positions: sources.iter().map(|source| source + 1).collect(),
            verdict: Verdict::Unknown,
            reasons: Vec::new(),
            quotes: Vec::new(),
            verdicts: Vec::new(),
        }
    }

    /// Holds it against none of its sources, for one reason.
    fn leave(&mut self, code: ReasonCode) {
        let range = self.start..self.end;
        self.reasons = self.positions.iter().map(|at| reason_of(code, None, range.clone(), at - 1)).collect();
        self.verdicts = vec![Verdict::Unknown; self.positions.len()];
    }
}

/// The sources of one group, nearly always one or two.
type GroupSources = SmallVec<[usize; 2]>;

/// A source, read once for all claims that cite it.
struct ReadSource<'a> {
    passage: Passage<'a>,
    headings: Headings,
    is_teaser: bool,
}

impl<'a> ReadSource<'a> {
    fn new(source: &'a Source) -> Self {
        Self {
            passage: Passage::read(source.content.as_deref().unwrap_or_default()),
            headings: Headings::read(&headings(source)),
            is_teaser: is_teaser(source),
        }
    }
}

/// Holds the parts of an answer against its sources.
struct Judge<'a> {
    answer: &'a Answer,
    places: &'a [CitedPlace],
    /// The sources, each read when it is first asked for.
    read: Vec<OnceCell<ReadSource<'a>>>,
    /// The parts that the provider names, by source, each once.
    spans: BTreeMap<usize, BTreeSet<&'a str>>,
}

impl<'a> Judge<'a> {
    fn of(answer: &'a Answer, places: &'a [CitedPlace]) -> Self {
        let mut spans: BTreeMap<usize, BTreeSet<&str>> = BTreeMap::new();
        for citation in &answer.citations {
            let span = answer.text.get(citation.span.start()..citation.span.end()).unwrap_or_default();
            if ContentWords::of(span).count() < LEAST_WORDS {
                continue;
            }
            for source in &citation.sources {
                let named = spans.entry(source.0).or_default();
                if named.len() < MOST_SPANS {
                    named.insert(span);
                }
            }
        }
        Self { answer, places, read: answer.sources.iter().map(|_| OnceCell::new()).collect(), spans }
    }

    fn source(&self, at: usize) -> &ReadSource<'a> {
        self.read[at].get_or_init(|| ReadSource::new(&self.answer.sources[at]))
    }

    /// Holds a claim against its sources.
    fn claim(&self, claim: &mut Claim, read: &ReadBlock<'_>, group: &Group, sources: &[usize], blocks: &[Block]) {
        let block = read.block;
        let own = &block.visible[group.part.clone()];
        let row = (!read.says_something(&group.part)).then(|| row_text(block, blocks)).flatten();
        let sentence = row.as_deref().unwrap_or(own);
        let read_sentence = Sentence::read(sentence);
        let judgements = self.judge(&read_sentence, sources);
        claim.verdicts = judgements.iter().map(|judgement| judgement.verdict).collect();
        claim.verdict = claim.verdicts.iter().copied().min().unwrap_or(Verdict::Unknown);
        for (source, judgement) in sources.iter().zip(judgements) {
            for reason in judgement.reasons.iter() {
                let text = Some(&reason.range).filter(|range| !range.is_empty());
                let text = text.and_then(|range| sentence.get(range.clone()));
                // Words of a row stand in several cells.
                let words = text
                    .filter(|_| row.is_none())
                    .map(|_| group.part.start + reason.range.start..group.part.start + reason.range.end);
                let range = words.map_or(claim.start..claim.end, |words| block.source(words));
                claim.reasons.push(reason_of(reason.code, text, range, *source));
            }
            let elsewhere = self.elsewhere(&read_sentence, &judgement, sources);
            claim
                .reasons
                .extend(elsewhere.map(|other| reason_of(ReasonCode::Elsewhere, None, claim.start..claim.end, other)));
            claim.quotes.extend(self.quote(*source, &judgement));
        }
    }

    /// The places of the sources of a group, counted from 0, in the order of their badges.
    fn sources(&self, group: &Group) -> GroupSources {
        let places = self.places[group.badges.clone()].iter();
        let source = |place: &CitedPlace| usize::try_from(place.position.get()).ok()?.checked_sub(1);
        let mut sources: GroupSources = places.filter_map(source).collect();
        if sources.len() > 1 {
            let mut seen = BTreeSet::new();
            sources.retain(|source| seen.insert(*source));
        }
        sources
    }

    fn quote(&self, source: usize, judgement: &Judgement) -> Option<Quote> {
        let place = judgement.place.clone()?;
        let whole = self.answer.sources[source].content.as_deref()?.get(place.clone())?;
        let text = &whole[..whole.floor_char_boundary(MAX_QUOTE_BYTES)];
        let end = place.start + text.len();
        Some(Quote { position: source + 1, verdict: judgement.verdict, start: place.start, end, text: text.to_owned() })
    }

    /// The part that the provider names for one of the sources, if it ends where the group stands.
    fn spanned(&self, block: &Block, group: &Group, sources: &[usize]) -> Option<Range<usize>> {
        let spans = sources.iter().filter_map(|source| self.spans.get(source)).flatten();
        let starts = spans.filter_map(|span| start_of(&block.visible[..group.at], span));
        starts.min().map(|start| start..block.visible[..group.at].trim_end().len())
    }

    /// The part of a group with the sentences before it that are quoted from its source as well.
    fn quoted(&self, read: &ReadBlock<'_>, group: &Group, sources: &[usize], before: usize) -> Option<Range<usize>> {
        let [source] = *sources else { return None };
        if !self.answer.sources[source].is_quoted {
            return None;
        }
        let visible = &read.block.visible;
        let passage = &self.source(source).passage;
        let sentences = read.sentences_before(before..group.part.start);
        let quoted = sentences.take_while(|sentence| passage.holds(&visible[(*sentence).clone()]));
        quoted.last().map(|first| first.start..group.part.end)
    }

    /// A block without badges as the part of one behind it, if it is quoted from the source of that.
    fn quoted_block(&self, block: &Block, badge: usize) -> Option<Group> {
        let all = 0..block.visible.len();
        let group = Group { at: all.end, badges: badge..badge + 1, part: trimmed(&block.visible, all) };
        let [source] = self.sources(&group)[..] else { return None };
        let is_quoted = self.answer.sources[source].is_quoted && self.source(source).passage.holds(&block.visible);
        is_quoted.then_some(group)
    }

    fn judge(&self, sentence: &Sentence<'_>, sources: &[usize]) -> Vec<Judgement> {
        let read = sources.iter().map(|source| self.source(*source));
        let group: Vec<Cited<'_>> = read
            .map(|ReadSource { passage, headings, is_teaser }| Cited { passage, headings, is_teaser: *is_teaser })
            .collect();
        sentence.judge(&group)
    }

    /// A source outside of the group that holds what a source of it lacks.
    fn elsewhere(&self, sentence: &Sentence<'_>, judgement: &Judgement, group: &[usize]) -> Option<usize> {
        let lacking: Vec<_> =
            judgement.reasons.iter().map(|reason| &reason.range).filter(|range| !range.is_empty()).collect();
        if judgement.verdict != Verdict::Conflict || lacking.is_empty() {
            return None;
        }
        let holds = |source: &usize| {
            let other = self.judge(sentence, std::slice::from_ref(source)).pop();
            other.is_some_and(|other| {
                matches!(other.verdict, Verdict::Verbatim | Verdict::SupportedWords)
                    && !other.reasons.iter().any(|reason| lacking.contains(&&reason.range))
            })
        };
        let others = (0..self.read.len()).filter(|source| !group.contains(source)).take(MOST_OTHERS);
        others.into_iter().find(|source| holds(source))
    }
}

/// For each block without badges, the first badge behind it.
fn next_badges(blocks: &[Block]) -> Vec<Option<usize>> {
    let mut next = None;
    let mut badges: Vec<Option<usize>> = blocks
        .iter()
        .rev()
        .map(|block| match block.badges.first() {
            Some((_, badge)) => {
                next = Some(*badge);
                None
            }
            None => next,
        })
        .collect();
    badges.reverse();
    badges
}

fn reason_of(code: ReasonCode, text: Option<&str>, range: Range<usize>, source: usize) -> ClaimReason {
    ClaimReason { code, text: text.map(str::to_owned), start: range.start, end: range.end, position: source + 1 }
}

/// Where a part that the provider names begins in a text that ends with it. Markdown, blanks and markers do not count.
fn start_of(before: &str, span: &str) -> Option<usize> {
    let mut letters = span.chars().rev().filter(|letter| letter.is_alphanumeric());
    let mut next = letters.next()?;
    for (at, letter) in before.char_indices().rev().filter(|(_, letter)| letter.is_alphanumeric()) {
        if letter != next {
            return None;
        }
        match letters.next() {
            Some(letter) => next = letter,
            None => return Some(at),
        }
    }
    None
}

/// The row of a cell with the header of its column, if the block is a cell. Other cells with badges are left out, because sources of
/// their own hold them.
fn row_text(block: &Block, blocks: &[Block]) -> Option<String> {
    let own = block.cell?;
    let of_table = |other: &&Block| other.cell.is_some_and(|cell| cell.table == own.table);
    let header = |other: &&Block| other.cell.is_some_and(|cell| cell.row == 0 && cell.column == own.column);
    let in_row = |other: &&Block| {
        let is_own = |column: usize| column == own.column;
        other.cell.is_some_and(|cell| cell.row == own.row && (other.badges.is_empty() || is_own(cell.column)))
    };
    let header = blocks.iter().filter(of_table).find(header).filter(|_| own.row > 0);
    let cells = blocks.iter().filter(of_table).filter(in_row);
    let texts: Vec<&str> =
        header.into_iter().chain(cells).map(|block| block.visible.trim()).filter(|text| !text.is_empty()).collect();
    Some(texts.join(" "))
}

fn headings(source: &Source) -> String {
    let title = source.display_title().unwrap_or_default();
    let keywords = source.keywords.iter().map(String::as_str);
    std::iter::once(&*title).chain(keywords).collect::<Vec<_>>().join("\n")
}

/// Whether the text of a source is a part that a search shows of it.
fn is_teaser(source: &Source) -> bool {
    let text = source.content.as_deref().unwrap_or_default().trim_end();
    let is_broken_off = text.ends_with('…') || text.ends_with("...");
    is_broken_off || source.kind == Some(SourceKind::Web) && text.len() < TEASER_BYTES
}
