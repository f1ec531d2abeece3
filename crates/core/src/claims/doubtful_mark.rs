//! Tells marks of Markdown from signs that a text without Markdown has as well, such as `\$`, `` `this' `` or `<file>`.

use std::ops::Range;

/// The letters of emphasized words among which a blank is looked for.
const LONGEST_WORD: usize = 64;

/// The neighbour of a mark: letters and digits, white space or the end, or another sign.
#[derive(PartialEq, Eq)]
enum Side {
    Word,
    Blank,
    Sign,
}

impl Side {
    fn of(beside: Option<char>) -> Self {
        match beside {
            Some(c) if c.is_alphanumeric() => Self::Word,
            Some(c) if !c.is_whitespace() => Self::Sign,
            Some(_) | None => Self::Blank,
        }
    }
}

/// Whether the ticks around code may be signs of the text: another word touches them, or the code begins or ends with a blank.
pub(super) fn may_be_quotes(passage: &str, whole: &Range<usize>, code: &Range<usize>) -> bool {
    let (before, behind) = around(passage, whole);
    let code = passage.get(code.clone()).unwrap_or_default();
    before == Side::Word
        || behind == Side::Word
        || code.starts_with(char::is_whitespace)
        || code.ends_with(char::is_whitespace)
}

/// Whether the marks around emphasized words may be signs of the text: as in `2*3*4`, `"*" and "*"`, or `__init__`. Each mark has
/// `mark` bytes.
pub(super) fn may_be_signs(passage: &str, whole: &Range<usize>, mark: usize) -> bool {
    let inner = passage.get(whole.start + mark..whole.end.saturating_sub(mark)).unwrap_or_default();
    let is_one_word = !inner.chars().take(LONGEST_WORD).any(char::is_whitespace);
    if is_one_word && passage[whole.start..].starts_with('_') {
        return true;
    }
    let (before, behind) = around(passage, whole);
    Side::of(inner.chars().next()) == before || Side::of(inner.chars().next_back()) == behind
}

fn around(passage: &str, whole: &Range<usize>) -> (Side, Side) {
    let before = passage.get(..whole.start).and_then(|text| text.chars().next_back());
    let behind = passage.get(whole.end..).and_then(|text| text.chars().next());
    (Side::of(before), Side::of(behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(passage: &str, whole: &str) -> Range<usize> {
        let at = passage.find(whole).expect("a part of the passage");
        at..at + whole.len()
    }

    #[test]
    fn ticks_that_touch_other_words_may_be_quotes() {
        let may = |passage: &str, whole: &str| {
            let whole = of(passage, whole);
            may_be_quotes(passage, &whole, &(whole.start + 1..whole.end - 1))
        };
        assert!(may("in `unstable' and in `stable'.", "`unstable' and in `"));
        assert!(may("a ` b `.", "` b `"));
        assert!(!may("Run (`apt update`), then.", "`apt update`"));
    }

    #[test]
    fn marks_with_the_same_on_both_sides_may_be_signs() {
        let may = |passage: &str, whole: &str, mark: usize| may_be_signs(passage, &of(passage, whole), mark);
        assert!(may("It is 2*3*4.", "*3*", 1) && may("write \"*\" and \"*\" there", "*\" and \"*", 1));
        assert!(may("the __init__ of", "__init__", 2) && may("snake _case_", "_case_", 1));
        assert!(!may("**Leave** is", "**Leave**", 2) && !may("(*so it is*), then", "*so it is*", 1));
        assert!(!may("_Two words_.", "_Two words_", 1) && !may("~~**gone**~~", "~~**gone**~~", 2));
    }
}
