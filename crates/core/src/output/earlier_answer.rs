//! Removes source numbers from an earlier answer that comes back as history.

use super::chat_options::ChatForm;
use super::open_webui_text::{NumberedText, bracket, is_marker};
use super::source_list::without_list;
use crate::answer::{Answer, MarkerGrammar};
use crate::cite::{Rules, cite};

/// Invisible; the outputs insert it to keep bracketed numbers from becoming badges.
const WORD_JOINER: char = '\u{2060}';

/// An earlier answer without its source numbers, which a model would confuse with the numbers of its current sources, and without
/// the list of sources that the form appends. Code, formulas and addresses stay unchanged.
#[must_use]
pub fn without_numbers(text: &str, form: ChatForm) -> String {
    // Elsewhere such paragraphs are the answer's own.
    let text = if form == ChatForm::List { without_list(text) } else { text };
    let answer = Answer { text: text.to_owned(), grammar: MarkerGrammar::NONE, ..Answer::default() };
    let cited = cite(&answer, &Rules::numbered());
    let numbered = NumberedText::of(&cited);
    let text = numbered.text;
    let mut out = String::with_capacity(text.len());
    let mut rest = 0;
    while let Some(at) = text[rest..].find('[').map(|at| rest + at) {
        let inner = bracket(&text[at + 1..]).filter(|inner| is_marker(inner) && !numbered.is_opaque(at));
        let Some(inner) = inner else {
            out.push_str(&text[rest..=at]);
            rest = at + 1;
            continue;
        };
        // The blank before the number is removed too.
        out.push_str(&text[rest..at]);
        if out.ends_with(' ') {
            out.pop();
        }
        rest = at + inner.len() + 2;
    }
    out.push_str(&text[rest..]);
    out.retain(|c| c != WORD_JOINER);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without_numbers(text: &str) -> String {
        super::without_numbers(text, ChatForm::Badges)
    }

    #[test]
    fn trap_12_numbers_of_sources_that_nobody_knows_any_more_go() {
        assert_eq!(without_numbers("One [1][2]. Two [1, 2], `a[0]` and [x]."), "One. Two, `a[0]` and [x].");
        let listed = "One [1].\n\n[1] [A](https://x.example/a)";
        assert_eq!(super::without_numbers(listed, ChatForm::List), "One.");
        assert_eq!(without_numbers("Yes.\n\n[1] says so."), "Yes.\n\n says so.");
        assert_eq!(without_numbers("a[\u{2060}0] [see](https://x/[1])"), "a[0] [see](https://x/[1])");
    }
}
