//! Ranks the passages of a snapshot by the words of a question.

use std::sync::Arc;

use super::best::Hit;
use super::found::{best_first, without_copies};
use super::heading_words::HeadingFit;
use super::index::Index;
use super::occurrences::Occurrences;
use super::question::{SearchQuestion, Term};
use super::words::{SearchWord, words};
use super::{Document, Found, MatchedWord, Measure, Passage};

/// The least part of a question that a passage must have words of, weighted by how rare they are: with less, a passage has a word
/// in common with the question by chance.
const LEAST_SHARE: f64 = 0.2;
/// The least share for writing without blanks, where pairs of letters that are no words meet by chance more often.
const LEAST_SHARE_UNSPACED: f64 = 0.3;
/// The least share for a passage that may answer the question by itself.
const ENOUGH: f64 = 0.42;
/// The least share in few passages, where one word may be enough: a little less than a half, since numbers are not exact.
const HALF: f64 = 0.499;
/// The number of passages that are looked at for each one that is wanted, and at least [`CANDIDATES`].
const CANDIDATES_EACH: usize = 4;
const CANDIDATES: usize = 50;

/// The most passages that are read for a phrase of words that stand everywhere.
const MAX_READ: usize = 2_000;

/// The number of passages from which on a word that most of them have says nothing by itself.
const COMMON_FROM: usize = 8;

/// Few passages are a sample of what is written about their subject: a word that all of them have, or none has, is no more common
/// or rare than it would be among this many.
const SAMPLE: usize = 40;

/// A term with the passages that have it.
struct Weighed<'i> {
    term: Term,
    occurrences: Occurrences<'i>,
    weight: f64,
    /// Whether not nearly all passages have it.
    is_telling: bool,
}

/// The passages that fit a question, the best first; none when nothing in the documents is about it.
pub(super) fn ranked(index: &Index, question: &str, limit: usize) -> Vec<Found> {
    let contents = index.contents();
    let question = SearchQuestion::parse_for(index.languages(), question);
    if let Some(phrase) = question.phrase() {
        return having(index, phrase, limit);
    }
    let weighed = weigh(index, question.terms(index.languages()), contents.passages());
    let total: f64 = weighed.iter().map(|term| term.weight).sum();
    let unspaced = weighed.iter().filter(|term| term.term.is_unspaced).count();
    let mostly_unspaced = unspaced * 2 > weighed.len();
    let least = if mostly_unspaced { LEAST_SHARE_UNSPACED } else { LEAST_SHARE };
    let present: Vec<Weighed<'_>> = weighed.into_iter().filter(|term| !term.occurrences.is_empty()).collect();
    if !present.iter().any(|term| term.is_telling) {
        return Vec::new();
    }
    let terms: Vec<(f64, &Occurrences<'_>)> = present.iter().map(|term| (term.weight, &term.occurrences)).collect();
    let is_small = contents.passages() < SAMPLE;
    let candidates = limit.saturating_mul(CANDIDATES_EACH).max(CANDIDATES);
    let hits = index.best(&terms, candidates);
    let candidates = hits.iter().filter_map(|hit| {
        let has: Vec<&Weighed<'_>> =
            present.iter().enumerate().filter(|(at, _)| hit.has(*at)).map(|(_, term)| term).collect();
        let share = has.iter().map(|term| term.weight).sum::<f64>() / total;
        if share < least || !has.iter().any(|term| term.is_telling) {
            return None;
        }
        // A single word in common with a question of several is chance; pairs of letters are no words. Few passages are about little,
        // and half of a question is enough there.
        let is_enough = share >= ENOUGH && (has.len() > 1 || is_small && share >= HALF);
        let has_pair = mostly_unspaced && has.iter().any(|term| term.term.text.chars().count() > 1);
        let is_about = has_pair || share > 0.99 || is_enough;
        let (content, place) = contents.content_at(hit.place)?;
        let fit = HeadingFit { asked: has.iter().map(|term| (&term.term, term.weight)).collect(), total };
        let score = f64::from(hit.weight) * fit.of(&content.headings, place);
        let (document, passage) = (&content.document, content.passages.get(place)?);
        let matched = || has.iter().map(|term| MatchedWord::of(&term.term, term.weight)).collect();
        Some((Found { score, is_about, ..of_place(document, passage, matched()) }, share))
    });
    scored(candidates.collect(), limit)
}

/// The scores as parts of the best one, the best first.
fn scored(found: Vec<(Found, f64)>, limit: usize) -> Vec<Found> {
    let best = found.iter().map(|(found, _)| found.score).fold(0.0, f64::max);
    let ranked = found.into_iter().map(|(found, share)| {
        let rank = if best > 0.0 { found.score / best } else { 0.0 };
        Found { score: (0.3 * share + 0.7 * rank).clamp(0.0, 1.0), ..found }
    });
    let mut found: Vec<Found> = ranked.collect();
    found.sort_by(best_first);
    without_copies(&mut found);
    found.truncate(limit);
    found
}

fn of_place(document: &Arc<Document>, passage: &Arc<Passage>, matched: Vec<MatchedWord>) -> Found {
    let (document, passage) = (Arc::clone(document), Arc::clone(passage));
    Found { document, passage, score: 0.0, measure: Measure::Words, is_about: false, matched }
}

/// The terms with their weights. A term that stands nowhere is looked for without umlauts, and by its beginning. What is found nowhere
/// even so is part of the question.
fn weigh(index: &Index, terms: Vec<Term>, all: usize) -> Vec<Weighed<'_>> {
    let mut known: Vec<(Term, Occurrences<'_>)> = Vec::with_capacity(terms.len());
    for term in terms {
        let (term, occurrences) = known_form(index, term);
        // Capitals may be there for stress alone: *What is NOT paid?*
        if term.is_name && occurrences.is_empty() {
            continue;
        }
        if known.iter().all(|(other, _)| other.stems != term.stems) {
            known.push((term, occurrences));
        }
    }
    let weighed = known.into_iter().map(|(term, occurrences)| {
        let count = occurrences.len();
        // A pair of letters that stands nowhere is hardly a word.
        let part = if count == 0 && term.is_unspaced { 0.5 } else { 1.0 };
        let is_telling = all < COMMON_FROM || count * 10 <= all * 6;
        Weighed { weight: part * rarity(count.max(1), all.max(SAMPLE)), is_telling, term, occurrences }
    });
    weighed.collect()
}

/// The first form of a term that stands anywhere, with its occurrences; the term itself where none does.
fn known_form(index: &Index, term: Term) -> (Term, Occurrences<'_>) {
    let plain = term.without_umlauts();
    let beginnings = [term.beginning(), plain.as_ref().and_then(Term::beginning)];
    let forms = [Some(term.clone()), plain].into_iter().chain(beginnings).flatten();
    let mut found = forms.map(|form| (index.occurrences(&form), form)).filter(|(found, _)| !found.is_empty());
    found.next().map_or((term, Occurrences::default()), |(found, form)| (form, found))
}

/// The rarity of a word that `count` of `all` passages have, as BM25 weighs it. Always above 0.
fn rarity(count: usize, all: usize) -> f64 {
    let (count, all) = (count as f64, all as f64);
    (1.0 + (all - count + 0.5).max(0.0) / (count + 0.5)).ln()
}

/// The passages in which words stand side by side.
fn having(index: &Index, phrase: &[SearchWord], limit: usize) -> Vec<Found> {
    let terms: Vec<Term> = phrase.iter().map(|word| Term::of(word, index.languages())).collect();
    let found: Vec<Occurrences<'_>> = terms.iter().map(|term| index.occurrences(term)).collect();
    let weights: Vec<(f64, &Occurrences<'_>)> = found.iter().map(|found| (1.0, found)).collect();
    let all = u32::MAX >> (u32::BITS as usize - terms.len().clamp(1, 32));
    let hits = index.best(&weights, MAX_READ).into_iter().filter(|hit| hit.has & all == all);
    let text: Vec<String> = phrase.iter().map(SearchWord::folded).collect();
    let stands = |hit: &Hit| {
        let (document, passage) = index.contents().passage(hit.place)?;
        let parts = [&passage.text, &passage.headings.join("\n"), &document.title];
        let is_there = parts.iter().any(|part| {
            let words: Vec<String> = words(part).iter().map(SearchWord::folded).collect();
            words.windows(text.len()).any(|words| words == text)
        });
        let matched = MatchedWord { text: text.join(" "), weight: 1.0, stems: Vec::new() };
        let found =
            || Found { is_about: true, score: f64::from(hit.weight), ..of_place(document, passage, vec![matched]) };
        is_there.then(|| (found(), 1.0))
    };
    scored(hits.filter_map(|hit| stands(&hit)).collect(), limit)
}

#[cfg(test)]
mod tests {
    use crate::document::{Found, Library, plain_text};

    /// A language, a text of it, and `question => words of the passage that answers`; questions about something else stand behind
    /// `# off topic`.
    const LANGUAGES: [(&str, &str, &str); 7] = [
        (
            "en",
            include_str!("../../../../tests/fixtures/languages/en.md"),
            include_str!("../../../../tests/fixtures/languages/en.txt"),
        ),
        (
            "de",
            include_str!("../../../../tests/fixtures/languages/de.md"),
            include_str!("../../../../tests/fixtures/languages/de.txt"),
        ),
        (
            "fr",
            include_str!("../../../../tests/fixtures/languages/fr.md"),
            include_str!("../../../../tests/fixtures/languages/fr.txt"),
        ),
        (
            "es",
            include_str!("../../../../tests/fixtures/languages/es.md"),
            include_str!("../../../../tests/fixtures/languages/es.txt"),
        ),
        (
            "cs",
            include_str!("../../../../tests/fixtures/languages/cs.md"),
            include_str!("../../../../tests/fixtures/languages/cs.txt"),
        ),
        (
            "ja",
            include_str!("../../../../tests/fixtures/languages/ja.md"),
            include_str!("../../../../tests/fixtures/languages/ja.txt"),
        ),
        (
            "zh",
            include_str!("../../../../tests/fixtures/languages/zh.md"),
            include_str!("../../../../tests/fixtures/languages/zh.txt"),
        ),
    ];

    async fn found(library: &Library, question: &str) -> Vec<Found> {
        library.search(question, 12).await.expect("a search")
    }

    /// The questions whose best passage does not have the answer, and those about something else that are answered.
    async fn missed(library: &Library, questions: &str) -> (Vec<String>, Vec<String>) {
        let (on_topic, off_topic) = questions.split_once("# off topic\n").expect("two parts");
        let (mut missed, mut answered) = (Vec::new(), Vec::new());
        for line in on_topic.lines() {
            let (question, fact) = line.split_once(" => ").expect("a question and a fact");
            let best = found(library, question).await;
            if !best.first().is_some_and(|best| best.is_about && plain_text(&best.passage.text).contains(fact)) {
                missed.push(line.to_owned());
            }
        }
        for question in off_topic.lines() {
            if found(library, question).await.iter().any(|found| found.is_about) {
                answered.push(question.to_owned());
            }
        }
        (missed, answered)
    }

    #[tokio::test]
    async fn questions_of_seven_languages_find_the_passage_that_answers_them() {
        for (language, text, questions) in LANGUAGES {
            let library = Library::built_in([("handbook.md", text)].into_iter()).await.expect("a library");
            let (missed, answered) = missed(&library, questions).await;
            assert!(missed.len() <= 1 && answered.is_empty(), "{language}: {missed:?} {answered:?}");
        }
    }

    /// The misses of ten questions, and the answers about something else, by language, where the texts of all are in one folder. A
    /// change of the search that changes them is judged here.
    const BESIDE_EACH_OTHER: [(&str, usize, usize); 7] =
        [("en", 0, 0), ("de", 3, 0), ("fr", 4, 0), ("es", 2, 0), ("cs", 0, 0), ("ja", 0, 0), ("zh", 0, 0)];

    #[tokio::test]
    async fn documents_of_all_languages_are_searched_beside_each_other() {
        let paths = ["en.md", "de.md", "fr.md", "es.md", "cs.md", "ja.md", "zh.md"];
        let files = paths.into_iter().zip(LANGUAGES).map(|(path, (_, text, _))| (path, text));
        let library = Library::built_in(files).await.expect("a library");
        let mut counts = Vec::new();
        for (language, _, questions) in LANGUAGES {
            let (missed, answered) = missed(&library, questions).await;
            counts.push((language, missed.len(), answered.len()));
        }
        assert_eq!(counts, BESIDE_EACH_OTHER);
    }

    #[tokio::test]
    async fn a_question_in_french_or_german_is_answered_from_a_small_text_and_declined_off_topic() {
        let french = "# Bail\n\n## Dépôt de garantie\n\nLa caution est de deux mois de loyer.\n\n## Loyer\n\nLe loyer est payé le cinq du mois.\n";
        let german = "# Mietvertrag\n\n## Kaution\n\nDie Kaution wird sechs Monate nach dem Auszug zurückgezahlt.\n\n## Miete\n\nDie Miete ist am Dritten fällig.\n";
        for (text, question, fact, off_topic) in [
            (french, "Quel est le montant de la caution ?", "deux mois", "Quel est le prix du petit déjeuner ?"),
            (
                german,
                "Wann bekomme ich die Kaution zurück?",
                "sechs Monate",
                "Wann fährt der nächste Bus zum Flughafen?",
            ),
        ] {
            let library = Library::built_in([("a.md", text)].into_iter()).await.expect("a library");
            let best = found(&library, question).await;
            assert!(best.first().is_some_and(|best| best.is_about && best.passage.text.contains(fact)), "{best:?}");
            assert!(!found(&library, off_topic).await.iter().any(|found| found.is_about), "{off_topic}");
        }
    }

    #[tokio::test]
    async fn a_file_that_is_there_twice_is_listed_twice_and_found_once() {
        let text = "# House\n\nThe cellar is locked at night.\n\nThe garden is open.";
        let library = Library::built_in([("a.md", text), ("copy of a.md", text)].into_iter()).await.expect("a library");
        assert_eq!(library.len(), 2);
        let paths: Vec<String> = found(&library, "When is the cellar locked?")
            .await
            .iter()
            .map(|found| found.document.path.clone())
            .collect();
        assert_eq!(paths, ["a.md"]);
    }

    #[tokio::test]
    async fn a_name_in_capitals_is_found_where_the_word_would_be_a_stop_word() {
        let text = "# Contacts\n\n## Repairs\n\nIt is Ms Green who repairs it.\n\n## Computers\n\nMr Brown leads IT.\n\n## Post\n\nIt comes at nine.\n";
        let library = Library::built_in([("a.md", text)].into_iter()).await.expect("a library");
        for question in ["Who leads IT?", "Who is the head of IT?"] {
            let best = found(&library, question).await;
            assert!(best.first().is_some_and(|best| best.passage.text.contains("Brown")), "{question}: {best:?}");
        }
        assert!(!found(&library, "Which jobs are NOT for juniors?").await.iter().any(|found| found.is_about));
    }
}
