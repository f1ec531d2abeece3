//! What readers see of the words beside the text: passages, names of labels, and who stands behind the answer.
//!
//! The text itself stays as it is, because spans refer to it; its unseen letters go when it is written. Titles go through
//! [`one_line`](crate::text::one_line).

use std::borrow::Cow;

use super::{Answer, Interpreter, SensitivityLabel, Source};
use crate::report::{Entry, Kind};
use crate::text::{UNSEEN, visible};

impl Answer {
    /// Takes the letters out of the sources, labels and the interpreter that nobody sees, or that turn the direction. The report
    /// says how many, with those that went before.
    pub(crate) fn make_visible(&mut self, before: usize) {
        let gone = before
            + self.sources.iter_mut().map(Source::make_visible).sum::<usize>()
            + self.label.as_mut().map_or(0, SensitivityLabel::make_visible)
            + self.interpreter.as_mut().map_or(0, Interpreter::make_visible);
        if gone > 0 {
            let message = format!(
                "{gone} letters that cannot be seen, or that turn the direction of the text, were taken out of the sources and \
                 labels"
            );
            self.oddities.push(Entry::in_input(Kind::Neutralised, UNSEEN, "", message));
        }
    }
}

impl Source {
    /// Returns how many letters went.
    pub(crate) fn make_visible(&mut self) -> usize {
        let texts = self.content.iter_mut().chain(&mut self.author).chain(&mut self.modified).chain(&mut self.keywords);
        texts.map(show).sum::<usize>() + self.label.as_mut().map_or(0, SensitivityLabel::make_visible)
    }
}

impl SensitivityLabel {
    /// Returns how many letters went.
    pub(crate) fn make_visible(&mut self) -> usize {
        self.name.iter_mut().chain(&mut self.description).map(show).sum()
    }
}

impl Interpreter {
    /// Returns how many letters went.
    pub(crate) fn make_visible(&mut self) -> usize {
        show(&mut self.slogan)
    }
}

fn show(text: &mut String) -> usize {
    let Cow::Owned(seen) = visible(text) else { return 0 };
    let gone = text.chars().count() - seen.chars().count();
    *text = seen;
    gone
}
