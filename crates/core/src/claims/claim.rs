//! The claims of an answer, each with the verdict about its sources.

use std::collections::BTreeMap;
use std::ops::Range;

use citewire_support::{Cited, Judgement, Passage, ReasonCode, Verdict, content_words, judge_group};
use serde::Serialize;

use super::block::{Block, blocks};
use super::sentence::{Group, LEAST_WORDS, groups, uncited};
use crate::answer::{Answer, Source, SourceKind};
use crate::cite::{CitedPlace, CitedText, Rules, cite};

/// A source of the web with fewer bytes of text than this gives only a teaser of its page.
const TEASER_BYTES: usize = 200;

/// What the citations of an answer stand for.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Claims {
    /// One claim for each group of badges, in the order of the text.
    pub claims: Vec<Claim>,
    /// The number of sentences that no badge stands for.
    pub uncited: usize,
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

/// The claims of an answer, and the text in which their offsets count: that of its [records](crate::output::records).
#[must_use]
pub fn claims(answer: &Answer) -> (String, Claims) {
    let rules = Rules { without_bibliography: true, ..Rules::numbered() };
    let cited = cite(answer, &rules);
    let claims = of_text(answer, &cited);
    (cited.text, claims)
}

/// The claims of an answer whose text is numbered already.
fn of_text(answer: &Answer, cited: &CitedText) -> Claims {
    if cited.places.is_empty() {
        return Claims { claims: Vec::new(), uncited: uncited_sentences(cited) };
    }
    let judge = Judge::of(answer, cited);
    let blocks = blocks(&cited.text, &cited.places);
    let mut found = Claims::default();
    for block in &blocks {
        let mut groups = groups(block);
        for group in &mut groups {
            group.part = judge.spanned(block, group).unwrap_or_else(|| group.part.clone());
        }
        found.uncited += if block.is_code { 0 } else { uncited(block, &groups) };
        for group in &groups {
            found.claims.push(judge.claim(block, group, &blocks));
        }
    }
    found.claims.sort_by_key(|claim| (claim.start, claim.end));
    found
}

fn uncited_sentences(cited: &CitedText) -> usize {
    blocks(&cited.text, &[]).iter().filter(|block| !block.is_code).map(|block| uncited(block, &[])).sum()
}

/// Holds the parts of an answer against its sources.
struct Judge<'a> {
    answer: &'a Answer,
    places: &'a [CitedPlace],
    /// The passages of the sources that have some, each read once.
    passages: BTreeMap<usize, Passage<'a>>,
    /// The parts that the provider names, by source.
    spans: BTreeMap<usize, Vec<&'a str>>,
}

impl<'a> Judge<'a> {
    fn of(answer: &'a Answer, cited: &'a CitedText) -> Self {
        let read = |(at, source): (usize, &'a Source)| Some((at, Passage::read(source.content.as_deref()?)));
        let mut spans: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
        for citation in &answer.citations {
            let span = answer.text.get(citation.span.start()..citation.span.end()).unwrap_or_default();
            for source in citation.sources.iter().filter(|_| content_words(span) >= LEAST_WORDS) {
                spans.entry(source.0).or_default().push(span);
            }
        }
        let passages = answer.sources.iter().enumerate().filter_map(read).collect();
        Self { answer, places: &cited.places, passages, spans }
    }

    fn claim(&self, block: &Block, group: &Group, blocks: &[Block]) -> Claim {
        let sources = self.sources(group);
        let positions = sources.iter().map(|source| source + 1).collect();
        let part = group.part.clone();
        let range = block.source(part.clone());
        let base = Claim {
            start: range.start,
            end: range.end,
            unit: "utf8",
            positions,
            verdict: Verdict::Unknown,
            reasons: Vec::new(),
            quotes: Vec::new(),
        };
        if block.is_code {
            let reason = |source: &usize| self.reason(ReasonCode::Code, None, &range, *source);
            return Claim { reasons: sources.iter().map(reason).collect(), ..base };
        }
        let own = &block.visible[part.clone()];
        let row = (content_words(own) < LEAST_WORDS).then(|| row_text(block, blocks)).flatten();
        let sentence = row.as_deref().unwrap_or(own);
        let judgements = self.judge(sentence, &sources);
        let verdict = judgements.iter().map(|judgement| judgement.verdict).min().unwrap_or(Verdict::Unknown);
        let mut claim = Claim { verdict, ..base };
        for (source, judgement) in sources.iter().zip(judgements) {
            let mut reasons = Vec::with_capacity(judgement.reasons.len());
            for reason in &judgement.reasons {
                let words = Some(&reason.range).filter(|range| !range.is_empty() && row.is_none());
                let text =
                    Some(&reason.range).filter(|range| !range.is_empty()).and_then(|range| sentence.get(range.clone()));
                let range =
                    words.map_or(range.clone(), |words| block.source(part.start + words.start..part.start + words.end));
                reasons.push(self.reason(reason.code, text, &range, *source));
            }
            if judgement.verdict == Verdict::Conflict {
                reasons.extend(self.elsewhere(sentence, &judgement, &sources, &range));
            }
            claim.reasons.extend(reasons);
            claim.quotes.extend(self.quote(*source, &judgement));
        }
        claim
    }

    /// The places of the sources of a group, counted from 0, in the order of their badges.
    fn sources(&self, group: &Group) -> Vec<usize> {
        let places = self.places[group.badges.clone()].iter();
        let mut sources: Vec<usize> =
            places.filter_map(|place| usize::try_from(place.position.get()).ok()?.checked_sub(1)).collect();
        sources.dedup();
        sources
    }

    fn reason(&self, code: ReasonCode, text: Option<&str>, range: &Range<usize>, source: usize) -> ClaimReason {
        ClaimReason { code, text: text.map(str::to_owned), start: range.start, end: range.end, position: source + 1 }
    }

    fn quote(&self, source: usize, judgement: &Judgement) -> Option<Quote> {
        let place = judgement.place.clone()?;
        let text = self.answer.sources[source].content.as_deref()?.get(place.clone())?.to_owned();
        Some(Quote { position: source + 1, verdict: judgement.verdict, start: place.start, end: place.end, text })
    }

    /// The part that the provider names for one of the sources, if it ends where the group stands.
    fn spanned(&self, block: &Block, group: &Group) -> Option<Range<usize>> {
        let sources = self.sources(group);
        let spans = sources.iter().filter_map(|source| self.spans.get(source)).flatten();
        let starts = spans.filter_map(|span| start_of(&block.visible[..group.at], span));
        starts.min().map(|start| start..block.visible[..group.at].trim_end().len())
    }

    fn judge(&self, sentence: &str, sources: &[usize]) -> Vec<Judgement> {
        let empty = Passage::read("");
        let headings: Vec<String> = sources.iter().map(|source| headings(&self.answer.sources[*source])).collect();
        let group: Vec<Cited<'_>> = sources
            .iter()
            .zip(&headings)
            .map(|(source, headings)| Cited {
                passage: self.passages.get(source).unwrap_or(&empty),
                headings,
                is_teaser: is_teaser(&self.answer.sources[*source]),
            })
            .collect();
        judge_group(sentence, &group)
    }

    /// The sources outside of the group that hold what this one lacks.
    fn elsewhere(
        &self,
        sentence: &str,
        judgement: &Judgement,
        group: &[usize],
        range: &Range<usize>,
    ) -> Option<ClaimReason> {
        let lacking: Vec<_> =
            judgement.reasons.iter().map(|reason| &reason.range).filter(|range| !range.is_empty()).collect();
        if lacking.is_empty() {
            return None;
        }
        let holds = |source: &usize| {
            let other = self.judge(sentence, std::slice::from_ref(source)).pop();
            other.is_some_and(|other| {
                matches!(other.verdict, Verdict::Verbatim | Verdict::SupportedWords)
                    && !other.reasons.iter().any(|reason| lacking.contains(&&reason.range))
            })
        };
        let source = self.passages.keys().filter(|source| !group.contains(source)).find(|source| holds(source))?;
        Some(self.reason(ReasonCode::Elsewhere, None, range, *source))
    }
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

/// The row of a cell with the header of its column, if the block is a cell.
fn row_text(block: &Block, blocks: &[Block]) -> Option<String> {
    let own = block.cell?;
    let of_table = |other: &&Block| other.cell.is_some_and(|cell| cell.table == own.table);
    let header = |other: &&Block| other.cell.is_some_and(|cell| cell.row == 0 && cell.column == own.column);
    let in_row = |other: &&Block| other.cell.is_some_and(|cell| cell.row == own.row);
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
