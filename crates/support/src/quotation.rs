//! Quotations: words that the sentence says to stand in the passage as they are.

use std::ops::Range;

use crate::passage::Passage;
use crate::token::Token;
use crate::verdict::ReasonCode;
use crate::word_sequence::WordSequence;

/// The least words of a quotation, parted by blanks; fewer are a term, a command or a name.
const LEAST_WORDS: usize = 3;
const LEAST_IDEOGRAPHS: usize = 6;

/// A quotation in a sentence, without its marks.
#[derive(Debug)]
pub(crate) struct Quotation {
    /// Its tokens.
    pub(crate) tokens: Range<usize>,
    /// What is wrong with it.
    pub(crate) fault: Option<ReasonCode>,
    /// Where it stands in the passage, in tokens.
    pub(crate) place: Option<Range<usize>>,
}

/// The quotations of a sentence, held against a passage.
pub(crate) fn quotations(sentence: &[Token], passage: &Passage<'_>) -> Vec<Quotation> {
    let quoted = quoted(sentence);
    if quoted.is_empty() {
        return Vec::new();
    }
    quoted.into_iter().filter_map(|tokens| judge(sentence, tokens, &passage.tokens)).collect()
}

/// The tokens between quotation marks that belong together. A mark inside of others counts for itself.
fn quoted(sentence: &[Token]) -> Vec<Range<usize>> {
    let mut open: Option<(usize, char)> = None;
    let mut quoted = Vec::new();
    for (at, token) in sentence.iter().enumerate().filter(|(_, token)| token.is_mark()) {
        match open {
            None if matches!(token.first, '"' | '“' | '„' | '«' | '»' | '「' | '『' | '‟' | '《') => {
                open = Some((at, token.first));
            }
            Some((from, mark)) if closes(mark, token.first) => {
                quoted.push(from + 1..at);
                open = None;
            }
            _ => {}
        }
    }
    quoted
}

fn closes(open: char, mark: char) -> bool {
    match open {
        '"' => mark == '"',
        '“' | '‟' => mark == '”',
        '„' => matches!(mark, '“' | '”' | '"'),
        '«' => mark == '»',
        '»' => mark == '«',
        '「' => mark == '」',
        '『' => mark == '』',
        _ => mark == '》',
    }
}

fn judge(sentence: &[Token], tokens: Range<usize>, passage: &[Token]) -> Option<Quotation> {
    let parts = parts(&sentence[tokens.clone()]);
    let is_ideographic = sentence.get(tokens.start).is_some_and(Token::is_ideograph);
    let is_long = if is_ideographic {
        parts.iter().map(Vec::len).sum::<usize>() >= LEAST_IDEOGRAPHS
    } else {
        words(&sentence[tokens.clone()]) >= LEAST_WORDS
    };
    if !is_long {
        return None;
    }
    let (mut fault, mut from, mut place) = (None, 0, None::<Range<usize>>);
    for part in parts {
        let part = WordSequence::new(part);
        match part.find(passage, from) {
            Some(found) => {
                from = found.end;
                let start = place.as_ref().map_or(found.start, |place| place.start);
                place = Some(start..found.end);
            }
            None if from > 0 && part.find(passage, 0).is_some() => fault = fault.or(Some(ReasonCode::QuoteStitched)),
            None => fault = Some(ReasonCode::QuoteMissing),
        }
    }
    Some(Quotation { tokens, fault, place: place.filter(|_| fault.is_none()) })
}

/// The number of words that blanks part: `doc-file-list` is one.
fn words(tokens: &[Token]) -> usize {
    tokens.chunk_by(|one, next| one.end == next.start).filter(|word| word.iter().any(|token| !token.is_mark())).count()
}

/// The words of a quotation, parted where it leaves some out: `…`, `[…]`.
fn parts(tokens: &[Token]) -> Vec<Vec<u64>> {
    let mut parts = vec![Vec::new()];
    let mut in_brackets = false;
    for (at, token) in tokens.iter().enumerate() {
        let is_dots = token.is('…') || token.is('.') && tokens.get(at + 1).is_some_and(|next| next.is('.'));
        if token.is('[') || is_dots {
            in_brackets |= token.is('[');
            parts.push(Vec::new());
        } else if token.is(']') {
            in_brackets = false;
        } else if !token.is_mark() && !in_brackets {
            parts.last_mut().into_iter().for_each(|part| part.push(token.full));
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::tokens;

    fn faults(sentence: &str, passage: &str) -> Vec<Option<ReasonCode>> {
        quotations(&tokens(sentence), &Passage::read(passage)).into_iter().map(|quotation| quotation.fault).collect()
    }

    #[test]
    fn a_quotation_stands_in_the_passage_or_not() {
        let passage = "Employees may take leave at any time. They ask in writing, and the desk answers.";
        assert_eq!(faults("It says \"take leave at any time\".", passage), [None]);
        assert_eq!(faults("Es heißt „take leave at some time“.", passage), [Some(ReasonCode::QuoteMissing)]);
        assert_eq!(faults("“Employees may … ask in writing”", passage), [None]);
        assert_eq!(faults("“ask in writing […] take leave at”", passage), [Some(ReasonCode::QuoteStitched)]);
        assert_eq!(faults("A \"5 inch\" disk of 3\" and \"two words\"", passage), []);
    }
}
