//! The text of a stream as it grows: by what each event adds, or by events that repeat it.

use super::super::thinking::{self, Thinking};
use super::options::SoFar;

/// The text of a stream, as far as it has arrived.
#[derive(Debug)]
pub(super) struct GrowingText {
    so_far: SoFar,
    /// The text with the reasoning at its beginning.
    text: String,
    /// All pieces one behind the other, until they have told what they are.
    joined: String,
    /// How often a piece has repeated the text and added to it.
    repeated: usize,
    /// Whether a piece took the place of what had been said.
    has_changed: bool,
    thinking: Thinking,
    /// The length of the reasoning, once the answer has begun.
    reasoning: Option<usize>,
}

/// The meaning of a piece to readers.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// More text of the answer; it may be empty.
    More(String),
    /// Another text than what had been said. Only the end tells what the answer is.
    Changed,
}

/// Pieces that each repeat the one before them and add to it: from this many on, no increments look so.
const SETTLED: usize = 2;

impl GrowingText {
    pub(super) fn new(so_far: SoFar) -> Self {
        Self {
            so_far,
            text: String::new(),
            joined: String::new(),
            repeated: 0,
            has_changed: false,
            thinking: Thinking::default(),
            reasoning: None,
        }
    }

    /// Adds a piece. An empty one says nothing, even where pieces are all text so far.
    pub(super) fn add(&mut self, piece: String) -> Said {
        if !piece.is_empty() {
            let text = self.text_with(piece);
            match text.strip_prefix(self.text.as_str()) {
                Some(more) if !self.has_changed => {
                    let more = self.thinking.push(more.to_owned());
                    self.text = text;
                    if !more.is_empty() {
                        self.reasoning.get_or_insert(self.text.len() - more.len());
                    }
                    return Said::More(more);
                }
                Some(_) | None => {
                    self.text = text;
                    self.has_changed = true;
                }
            }
        }
        if self.has_changed { Said::Changed } else { Said::More(String::new()) }
    }

    /// The text with this piece.
    fn text_with(&mut self, piece: String) -> String {
        if self.so_far == SoFar::Auto {
            self.joined.push_str(&piece);
            self.ask(&piece);
            if self.so_far == SoFar::No {
                return std::mem::take(&mut self.joined);
            }
        }
        if self.so_far == SoFar::No { format!("{}{piece}", self.text) } else { piece }
    }

    /// Asks a piece whether pieces are all text so far.
    fn ask(&mut self, piece: &str) {
        if !piece.starts_with(&self.text) {
            self.so_far = SoFar::No;
            return;
        }
        self.repeated += usize::from(!self.text.is_empty() && piece.len() > self.text.len());
        if self.repeated >= SETTLED {
            self.so_far = SoFar::Yes;
            self.joined.clear();
        }
    }

    /// The whole text with its reasoning, and the length of that. `said` is what was said of it.
    pub(super) fn finish(mut self, said: &str) -> (String, usize) {
        if self.has_changed {
            let reasoning = thinking::reasoning(&self.text);
            return (self.text, reasoning);
        }
        let rest = self.thinking.finish();
        let reasoning = self.reasoning.unwrap_or(self.text.len() - rest.len());
        // The said text has no torn letters, which the pieces may have.
        (format!("{}{said}{rest}", &self.text[..reasoning]), reasoning)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grown(so_far: SoFar, pieces: &[&str]) -> (String, bool) {
        let mut text = GrowingText::new(so_far);
        let (mut said, mut changed) = (String::new(), false);
        for piece in pieces {
            match text.add((*piece).to_owned()) {
                Said::More(more) => said.push_str(&more),
                Said::Changed => changed = true,
            }
        }
        let (text, reasoning) = text.finish(&said);
        (text[reasoning..].to_owned(), changed)
    }

    #[test]
    fn the_pieces_tell_whether_they_repeat_the_text() {
        for (pieces, text, changed) in [
            (&["Leave ", "", "is ", "30"][..], "Leave is 30", false),
            (&["Leave ", "Leave is", "", "Leave is 30", "Leave is 30"], "Leave is 30", false),
            (&["", "ha", "haha", "!"], "hahaha!", false),
            (&["ha", "ha", "!"], "haha!", false),
            (&["\n", "\n\n", "a", "b"], "\n\n\nab", false),
            (&["a", "ab", "c"], "aabc", true),
            (&["<think>a", "<think>a</think>b", "<think>a</think>bc"], "bc", false),
            (&["<think>a", "[1]</think>", "b"], "b", false),
            (&["a", "a b", "a b c", "A b c d"], "A b c d", true),
            (&[], "", false),
        ] {
            assert_eq!(grown(SoFar::Auto, pieces), (text.to_owned(), changed), "{pieces:?}");
        }
        assert_eq!(grown(SoFar::No, &["a", "ab", ""]), ("aab".to_owned(), false));
        assert_eq!(grown(SoFar::Yes, &["a", "ab", ""]), ("ab".to_owned(), false));
        assert_eq!(grown(SoFar::Yes, &["a", "b", "<think>x</think>c"]), ("c".to_owned(), true));
    }
}
