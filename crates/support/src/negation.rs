//! Negations: where both sides speak of the same words, and only one of them negates.

use std::sync::LazyLock;

use crate::fold::hash_of;
use crate::language::Language;
use crate::phrases::Phrases;
use crate::token::{Kind, Token};
use crate::words::{Hashes, Languages, Meaning, WORDS};

/// Words that compare.
const THAN: [u64; 7] =
    [hash_of("than"), hash_of("als"), hash_of("que"), hash_of("che"), hash_of("чем"), hash_of("dan"), hash_of("nez")];

/// Words that say with a negation that something has ended.
const LONGER: [u64; 3] = [hash_of("longer"), hash_of("mehr"), hash_of("meer")];

/// Words that negate by themselves also beside a negation: `n'est pas interdit`.
const PROHIBITS: [u64; 16] = [
    hash_of("zakazano"),
    hash_of("zakazan"),
    hash_of("zakazana"),
    hash_of("zakazane"),
    hash_of("interdit"),
    hash_of("interdite"),
    hash_of("interdits"),
    hash_of("prohibido"),
    hash_of("prohibida"),
    hash_of("prohibidos"),
    hash_of("vietato"),
    hash_of("vietata"),
    hash_of("proibido"),
    hash_of("proibida"),
    hash_of("zabronione"),
    hash_of("запрещено"),
];

/// Words behind which a sentence says the opposite of what it said before.
static CONTRASTS: LazyLock<Phrases<()>> =
    LazyLock::new(|| Phrases::named(include_str!("tables/contrasts.txt"), &[("but", ())]));

/// Words for what is before or after what was said.
static OTHER_TIMES: LazyLock<Phrases<()>> =
    LazyLock::new(|| Phrases::named(include_str!("tables/contrasts.txt"), &[("then", ())]));

/// Whether a text tells of another case, or of another time, than the one that it begins with: `later ones in August`.
pub(crate) fn tells_another_case(tokens: &[Token], languages: Languages) -> bool {
    let begins = |at: usize| [&CONTRASTS, &OTHER_TIMES].iter().any(|words| words.at(tokens, at, languages).is_some());
    (0..tokens.len()).any(begins)
}

/// The tokens behind a negation among which two words stand that it negates.
const MOST_NEGATED: usize = 6;

/// The denials of a passage of which it is seen whether it says their words once more.
const MOST_DENIED: usize = 8;

/// Whether a passage negates the very words of a sentence that negates nothing: `keine aufschiebende Wirkung`. All that stands before the
/// negation has to stand in the sentence as well: what is not true of members may be true of guests.
pub(crate) fn denies(sentence: &[Token], passage: &[Token], languages: [Languages; 2]) -> bool {
    let is_soft = |token: &Token| token.meaning.is_some_and(|meaning| meaning.is_soft_negation || meaning.unnegates);
    let is_plain = |tokens: &[Token], languages: Languages| {
        let contrasts = (0..tokens.len()).any(|at| CONTRASTS.at(tokens, at, languages).is_some());
        !contrasts && !tokens.iter().any(|token| is_soft(token) || token.is(';'))
    };
    let negates = |tokens: &[Token], languages: Languages| tokens.iter().any(|token| token.negates(languages));
    if !negates(passage, languages[1]) || negates(sentence, languages[0]) || !is_plain(sentence, languages[0]) {
        return false;
    }
    let own: Vec<u64> = sentence.iter().filter(|token| token.weight() > 0.0).map(|token| token.stem).collect();
    let stems: Hashes = own.iter().copied().collect();
    let pairs = |tokens: &[Token], pair: [u64; 2]| {
        let words: Vec<u64> = tokens.iter().filter(|token| token.weight() > 0.0).map(|token| token.stem).collect();
        words.windows(2).filter(|words| **words == pair).count()
    };
    let mut looks = 0;
    let mut before: &[Token] = &[];
    for said in passage.chunk_by(|one, next| one.sentence == next.sentence) {
        let previous = std::mem::replace(&mut before, said);
        let mut negations = (0..said.len()).filter(|at| said[*at].negates(languages[1]));
        let (Some(at), None) = (negations.next(), negations.next()) else { continue };
        let mut behind = said[at + 1..].iter().take(MOST_NEGATED).take_while(|token| !token.is_mark());
        let (Some(first), Some(next)) =
            (behind.find(|token| token.weight() > 0.0), behind.find(|token| token.weight() > 0.0))
        else {
            continue;
        };
        let pair = [first.stem, next.stem];
        let subject: Vec<&Token> = said[..at].iter().filter(|token| token.weight() > 0.0).collect();
        let has_subject = subject.iter().all(|token| stems.contains(&token.stem));
        let is_about_it =
            !subject.is_empty() || previous.iter().any(|token| token.weight() > 0.0 && stems.contains(&token.stem));
        if has_subject && is_about_it && own.windows(2).any(|words| *words == pair) && is_plain(said, languages[1]) {
            // Each look reads the whole passage.
            looks += 1;
            if pairs(passage, pair) == 1 {
                return true;
            }
            if looks == MOST_DENIED {
                return false;
            }
        }
    }
    false
}

/// The number of negations of two sentences, each near words that both have.
pub(crate) fn negations(sentence: &[Token], other: &[Token], language: Language) -> (usize, usize) {
    let has_any = |tokens: &[Token]| (0..tokens.len()).any(|at| negates(tokens, at, language));
    if !has_any(sentence) && !has_any(other) {
        return (0, 0);
    }
    let (own, others) = (stems(sentence), stems(other));
    // Where both sides say it so, one may negate it once more.
    let says_without = |tokens: &[Token]| (0..tokens.len()).any(|at| is_undone(tokens, at, language));
    let undoes = says_without(sentence) != says_without(other);
    (count(sentence, &others, language, undoes), count(other, &own, language, undoes))
}

fn stems(tokens: &[Token]) -> Hashes {
    tokens.iter().filter(|token| token.weight() > 0.0).map(|token| token.stem).collect()
}

fn count(tokens: &[Token], shared: &Hashes, language: Language, undoes: bool) -> usize {
    let doubles =
        ["fr", "es", "it", "pt", "pl", "ru", "cs"].iter().any(|code| language.or_english().has(WORDS.language(code)));
    let (mut count, mut last) = (0, None);
    for at in 0..tokens.len() {
        if !negates(tokens, at, language) || is_taken_away(tokens, at) || undoes && is_undone(tokens, at, language) {
            continue;
        }
        // `ne … pas`, `no … nunca` negate once.
        let is_second = doubles && !PROHIBITS.contains(&tokens[at].full) && last.is_some_and(|last| at - last <= 3);
        last = Some(at);
        if !is_second && is_about_shared_words(tokens, at, shared) {
            count += 1;
        }
    }
    count
}

/// Whether a token negates. Without a known language, a word of any counts.
fn negates(tokens: &[Token], at: usize, language: Language) -> bool {
    let token = &tokens[at];
    let next = |signs: &[char]| tokens.get(at + 1).is_some_and(|next| signs.contains(&next.first));
    match token.kind {
        Kind::Word => token.negates(language.known.unwrap_or(Languages::ANY)),
        Kind::Ideograph => match token.first {
            '不' | '没' | '沒' | '無' | '无' | '非' | '未' | '勿' => true,
            'な' => next(&['い', 'く', 'か']),
            'せ' => next(&['ん']),
            'ไ' => next(&['ม']),
            _ => false,
        },
        Kind::Identifier | Kind::Number(_) | Kind::Date(_) | Kind::Mark => false,
    }
}

/// The tokens between `not` and the `without` that undoes it.
const MOST_UNDONE: usize = 12;

/// "Not without approval" asks for it: neither word negates.
fn is_undone(tokens: &[Token], at: usize, language: Language) -> bool {
    if !negates(tokens, at, language) {
        return false;
    }
    let is_without = |token: &Token| token.meaning.is_some_and(|meaning| meaning.negates_noun);
    // Behind a joining word or a comma something else is said: "not waterproof and works without batteries".
    let ends = |at: usize| {
        tokens[at].is_mark()
            || tokens[at].meaning.is_some_and(|meaning| meaning.joins)
            || CONTRASTS.at(tokens, at, language.or_english()).is_some()
    };
    if is_without(&tokens[at]) {
        let before = (at.saturating_sub(MOST_UNDONE)..at).rev().take_while(|at| !ends(*at));
        return before.into_iter().any(|other| negates(tokens, other, language) && !is_without(&tokens[other]));
    }
    let behind = (at + 1..tokens.len()).take(MOST_UNDONE).take_while(|at| !ends(*at));
    behind.into_iter().any(|other| is_without(&tokens[other]))
}

/// `not only`, `no more than`, and comparisons: `not later than`.
fn is_taken_away(tokens: &[Token], at: usize) -> bool {
    // "No longer supported" negates, "no longer than a week" does not.
    let is_no_more = tokens.get(at + 1).is_some_and(|token| LONGER.contains(&token.full));
    let next = tokens.get(at + 1).filter(|_| !is_no_more).and_then(|token| token.meaning);
    let compares = tokens.get(at + 2).is_some_and(|token| token.is_word() && THAN.contains(&token.full));
    next.is_some_and(|meaning| meaning.unnegates) || compares
}

/// Whether most of the two words behind it (or before it, at the end of a clause) are shared.
fn is_about_shared_words(tokens: &[Token], at: usize, shared: &Hashes) -> bool {
    if tokens[at].is_ideograph() {
        let near = tokens[..at].iter().rev().take(3).chain(tokens[at + 1..].iter().take(3));
        return near.filter(|token| token.is_ideograph()).any(|token| shared.contains(&token.stem));
    }
    let goes_on = |token: &&Token| !token.is(',') && !token.is(';');
    if tokens[at].meaning.is_some_and(|meaning| meaning.negates_noun) {
        let noun = tokens[at + 1..].iter().take_while(goes_on).find(|token| token.weight() > 0.0);
        return noun.is_some_and(|noun| shared.contains(&noun.stem));
    }
    let behind = tokens[at + 1..].iter().take(9).take_while(goes_on);
    let before = tokens[..at].iter().rev().take(9).take_while(goes_on);
    let mut near: Vec<&Token> = behind.filter(|token| token.weight() > 0.0).take(2).collect();
    let missing = 2 - near.len();
    near.extend(before.filter(|token| token.weight() > 0.0).take(missing));
    let known = near.iter().filter(|token| shared.contains(&token.stem)).count();
    known * 2 >= near.len().max(1)
}

/// Whether the side with fewer negations may say what the other one does: "closed" and "not open", "at most" and "must not exceed".
pub(crate) fn says_it_otherwise(fewer: &[Token], more: &[Token]) -> bool {
    let is = |token: &Token, is_it: fn(&Meaning) -> bool| token.meaning.is_some_and(is_it);
    // "Not closed" contradicts "closed".
    let lacks = |tokens: &[Token], token: &Token| !tokens.iter().any(|other| other.stem == token.stem);
    fewer.iter().any(|token| is(token, |meaning| meaning.is_soft_negation) && lacks(more, token))
        || more.iter().any(|token| is(token, |meaning| meaning.is_excess) && lacks(fewer, token))
}
