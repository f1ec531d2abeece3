//! Counts of sentences, citations, verdicts and markers, by assistant, provider and day.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::answer::Answer;
use crate::claims::{Verdict, claims};

/// The version of the JSON.
pub(super) const VERSION: u32 = 1;

/// The name of a group for answers of which nothing is known.
pub(super) const UNKNOWN: &str = "unknown";

/// The answers with alarms that are named; further ones are counted.
const MOST_ALARMS: usize = 1_000;

/// The figures of some answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Tally {
    /// The number of answers.
    pub(super) answers: u64,
    /// How many of them have no source, so that none of their sentences can be cited.
    pub(super) answers_without_sources: u64,
    /// Sentences for which a citation stands, wholly or in part.
    pub(super) cited_sentences: u64,
    /// Sentences of answers with sources for which none stands.
    pub(super) uncited_sentences: u64,
    /// Sentences of answers without sources.
    pub(super) sentences_without_sources: u64,
    /// Places that cite: a badge, or badges that touch.
    pub(super) citations: u64,
    /// The citations by their verdict.
    pub(super) verdicts: BTreeMap<String, u64>,
    /// The reasons of the verdicts.
    pub(super) reasons: BTreeMap<String, u64>,
    /// Markers that match no source.
    pub(super) unresolved: u64,
    /// Source-like objects that the reader of the format does not know.
    pub(super) unread_sources: u64,
}

impl Tally {
    /// The figures of one answer.
    pub(super) fn of(answer: &Answer) -> Self {
        let judged = claims(answer);
        let mut tally = Self { answers: 1, ..Self::default() };
        let (cited, uncited) = (judged.cited_sentences as u64, judged.uncited as u64);
        if answer.sources.is_empty() {
            tally.answers_without_sources = 1;
            tally.sentences_without_sources = cited + uncited;
        } else {
            (tally.cited_sentences, tally.uncited_sentences) = (cited, uncited);
        }
        tally.citations = judged.claims.len() as u64;
        tally.unresolved = judged.unresolved.len() as u64;
        tally.unread_sources = judged.unread.len() as u64;
        for claim in &judged.claims {
            *tally.verdicts.entry(claim.verdict.code().to_owned()).or_default() += 1;
            for reason in &claim.reasons {
                *tally.reasons.entry(reason.code.code().to_owned()).or_default() += 1;
            }
        }
        tally
    }

    /// Adds the figures of other answers.
    pub(super) fn add(&mut self, other: &Self) {
        self.answers += other.answers;
        self.answers_without_sources += other.answers_without_sources;
        self.cited_sentences += other.cited_sentences;
        self.uncited_sentences += other.uncited_sentences;
        self.sentences_without_sources += other.sentences_without_sources;
        self.citations += other.citations;
        self.unresolved += other.unresolved;
        self.unread_sources += other.unread_sources;
        for (all, more) in [(&mut self.verdicts, &other.verdicts), (&mut self.reasons, &other.reasons)] {
            for (name, count) in more {
                *all.entry(name.clone()).or_default() += count;
            }
        }
    }

    pub(super) fn verdict(&self, verdict: Verdict) -> u64 {
        self.verdicts.get(verdict.code()).copied().unwrap_or_default()
    }

    /// The citations that somebody should look at.
    pub(super) fn alarms(&self) -> u64 {
        Verdict::ALL.into_iter().filter(|verdict| verdict.is_alarm()).map(|verdict| self.verdict(verdict)).sum()
    }

    /// The shares that two counts are compared by.
    pub(super) fn shares(&self) -> Shares {
        let held = self.verdict(Verdict::Verbatim) + self.verdict(Verdict::SupportedWords);
        Shares {
            cited: share(self.cited_sentences, self.cited_sentences + self.uncited_sentences),
            held: share(held, self.citations),
            unknown: share(self.verdict(Verdict::Unknown), self.citations),
            alarms: share(self.alarms(), self.citations),
            unresolved: share(self.unresolved, self.citations + self.unresolved),
        }
    }
}

/// Shares of 1; `None` of nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(super) struct Shares {
    /// Cited sentences among those of answers with sources.
    pub(super) cited: Option<f64>,
    /// Citations that are `verbatim` or `supported-words`.
    pub(super) held: Option<f64>,
    /// Citations that are `unknown`.
    pub(super) unknown: Option<f64>,
    /// Citations that are `unsupported` or `conflict`.
    pub(super) alarms: Option<f64>,
    /// Markers without a source among all places that cite or mean to.
    pub(super) unresolved: Option<f64>,
}

impl Shares {
    /// The differences from the shares of an earlier count.
    pub(super) fn since(self, before: Self) -> Self {
        let gained = |now: Option<f64>, before: Option<f64>| Some(rounded(now? - before?));
        Self {
            cited: gained(self.cited, before.cited),
            held: gained(self.held, before.held),
            unknown: gained(self.unknown, before.unknown),
            alarms: gained(self.alarms, before.alarms),
            unresolved: gained(self.unresolved, before.unresolved),
        }
    }
}

fn share(part: u64, whole: u64) -> Option<f64> {
    // Counts of answers are far below the numbers that a float cannot tell apart.
    (whole > 0).then(|| rounded(part as f64 / whole as f64))
}

fn rounded(share: f64) -> f64 {
    (share * 1e4).round() / 1e4
}

/// The groups by which answers are counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Groups {
    pub(super) assistant: BTreeMap<String, Tally>,
    pub(super) provider: BTreeMap<String, Tally>,
    pub(super) day: BTreeMap<String, Tally>,
}

impl Groups {
    /// The groups with their names.
    pub(super) fn named(&self) -> [(&'static str, &BTreeMap<String, Tally>); 3] {
        [("assistant", &self.assistant), ("provider", &self.provider), ("day", &self.day)]
    }
}

/// An answer with citations that somebody should look at.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Alarm {
    /// The file and the line, or the id of the message.
    pub(super) at: String,
    pub(super) conflict: u64,
    pub(super) unsupported: u64,
}

/// Something that is not counted, and why.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Named {
    /// The file and the line, or the message.
    pub(super) at: String,
    pub(super) why: String,
}

/// The place and the groups of an answer.
pub(super) struct Known {
    pub(super) at: String,
    pub(super) assistant: String,
    pub(super) provider: String,
    pub(super) day: String,
}

/// All that one run has counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct Count {
    pub(super) version: u32,
    /// Where the answers are from.
    pub(super) of: String,
    pub(super) total: Tally,
    pub(super) by: Groups,
    /// The answers with alarms, in the order in which they were read.
    pub(super) alarms: Vec<Alarm>,
    /// How many more there are.
    pub(super) more_alarms: u64,
    /// Activities that are no answers: what users said, and events.
    pub(super) other_activities: u64,
    /// Files, lines and messages that should hold an answer and could not be read.
    pub(super) unread: Vec<Named>,
    /// Paths that were not looked at: hidden ones, links to folders, devices and pipes.
    pub(super) left_out: Vec<Named>,
}

/// The part of an earlier count that a later one is compared with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Earlier {
    pub(super) version: u32,
    pub(super) of: String,
    pub(super) total: Tally,
    pub(super) by: Groups,
}

impl Count {
    pub(super) fn new(of: String) -> Self {
        Self { version: VERSION, of, ..Self::default() }
    }

    /// Counts an answer.
    pub(super) fn take(&mut self, known: Known, answer: &Answer) {
        let tally = Tally::of(answer);
        self.total.add(&tally);
        let Known { at, assistant, provider, day } = known;
        let Groups { assistant: assistants, provider: providers, day: days } = &mut self.by;
        for (group, name) in [(assistants, assistant), (providers, provider), (days, day)] {
            group.entry(name).or_default().add(&tally);
        }
        let alarm =
            Alarm { at, conflict: tally.verdict(Verdict::Conflict), unsupported: tally.verdict(Verdict::Unsupported) };
        match alarm.conflict + alarm.unsupported {
            0 => {}
            _ if self.alarms.len() < MOST_ALARMS => self.alarms.push(alarm),
            _ => self.more_alarms += 1,
        }
    }

    /// Names a file, line or message that could not be read.
    pub(super) fn unread(&mut self, at: impl Into<String>, why: &(impl ToString + ?Sized)) {
        self.unread.push(Named { at: at.into(), why: why.to_string() });
    }
}
