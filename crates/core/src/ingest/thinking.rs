//! Removes the reasoning of a model, `<think>…</think>`, from the beginning of its text (rule N-09).

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// The most bytes of blanks before `<think>`; after more, the text is the answer.
const MAX_BLANKS: usize = 64;

/// Removes the reasoning from the beginning of a text that arrives in pieces.
#[derive(Debug, Default)]
pub(super) struct Thinking {
    place: Place,
    /// Text that has arrived and may still be reasoning.
    held: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    /// Only blanks have arrived, or a beginning of `<think>`.
    #[default]
    Beginning,
    /// Between `<think>` and `</think>`.
    Inside,
    /// Behind `</think>`. Blanks here are removed too.
    Behind,
    /// In the answer.
    Answer,
}

impl Thinking {
    /// Takes the next piece of the text and returns the part that belongs to the answer.
    pub(super) fn push(&mut self, piece: String) -> String {
        if self.place == Place::Answer {
            return piece;
        }
        self.held.push_str(&piece);
        if self.place == Place::Beginning {
            let begun = self.held.trim_start();
            if begun.starts_with(OPEN) {
                self.place = Place::Inside;
            } else if !OPEN.starts_with(begun) || self.held.len() > MAX_BLANKS {
                self.place = Place::Answer;
            }
        }
        if self.place == Place::Inside {
            if let Some(end) = self.held.find(CLOSE) {
                self.held.drain(..end + CLOSE.len());
                self.place = Place::Behind;
            } else {
                let end = self.held.floor_char_boundary(self.held.len().saturating_sub(CLOSE.len()));
                self.held.drain(..end);
            }
        }
        if self.place == Place::Behind {
            let blanks = self.held.len() - self.held.trim_start().len();
            self.held.drain(..blanks);
            if !self.held.is_empty() {
                self.place = Place::Answer;
            }
        }
        if self.place == Place::Answer { std::mem::take(&mut self.held) } else { String::new() }
    }

    /// Returns held text at the end. Reasoning without `</think>` is discarded.
    pub(super) fn finish(&mut self) -> String {
        let held = std::mem::take(&mut self.held);
        let is_text = self.place == Place::Beginning;
        self.place = Place::Answer;
        if is_text { held } else { String::new() }
    }
}

/// The length of the reasoning at the beginning of a whole text.
pub(super) fn reasoning(text: &str) -> usize {
    if !text.trim_start().starts_with(OPEN) {
        return 0;
    }
    let mut thinking = Thinking::default();
    text.len() - thinking.push(text.to_owned()).len() - thinking.finish().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_model_thinks_is_no_answer_however_it_is_cut() {
        for (text, answer) in [
            ("<think>\nWhat of [1]?\n</think>\n\nIt is so [2].", "It is so [2]."),
            ("\n <think></think>a", "a"),
            ("<think>ü </thi</think> ü", "ü"),
            ("<think>without an end", ""),
            ("<thin", "<thin"),
            ("<thinking>a</thinking>", "<thinking>a</thinking>"),
            ("a <think>b</think>", "a <think>b</think>"),
            ("  a", "  a"),
            ("", ""),
        ] {
            let mut whole = Thinking::default();
            let read = whole.push(text.to_owned()) + &whole.finish();
            assert_eq!(read, answer, "{text:?}");
            assert_eq!(&text[reasoning(text)..], answer, "{text:?}");
            let mut pieces = Thinking::default();
            let read: String = text.chars().map(|c| pieces.push(c.to_string())).collect();
            assert_eq!(read + &pieces.finish(), answer, "{text:?} in pieces");
        }
    }
}
