//! Cleans the words beside the text for readers: passages, names and addresses of sources, labels, the interpreter, and code.
//!
//! The text itself stays, because spans refer to its offsets; it is cleaned when it is written. Titles go through
//! [`one_line`](crate::text::one_line).

use std::borrow::Cow;

use super::{Answer, Interpreter, SensitivityLabel, Source, SourceCode};
use crate::report::{Entry, Kind};
use crate::text::{UNSEEN, visible};
use crate::url::without_user;

/// Content that the cleaning removed, for the report.
#[derive(Debug, Default)]
pub(crate) struct TakenOut {
    /// The number of removed letters that are invisible or change the text direction.
    letters: usize,
    /// The JSON pointers of the sources whose addresses named a user.
    users: Vec<String>,
}

impl Answer {
    /// Cleans sources, labels, the interpreter and the code, and reports what was removed here and before (`taken`).
    pub(crate) fn clean(&mut self, mut taken: TakenOut) {
        self.sources.iter_mut().for_each(|source| source.clean(&mut taken));
        self.label.iter_mut().for_each(|label| label.clean(&mut taken));
        self.interpreter.iter_mut().for_each(|interpreter| interpreter.clean(&mut taken));
        self.code.iter_mut().for_each(|code| code.clean(&mut taken));
        let TakenOut { letters, users } = taken;
        if letters > 0 {
            let message = format!(
                "letters that cannot be seen, or that turn the direction of the text, were taken out of the sources and labels: \
                 {letters}"
            );
            self.warnings.push(Entry::in_input(Kind::Neutralised, UNSEEN, "", message));
        }
        self.warnings.extend(users.into_iter().map(|pointer| {
            let message = "the address of the source named a user or a password, which was taken out";
            Entry::in_input(Kind::Neutralised, "url-user", pointer, message)
        }));
    }
}

impl Source {
    pub(crate) fn clean(&mut self, taken: &mut TakenOut) {
        let texts = self.content.iter_mut().chain(&mut self.author).chain(&mut self.modified).chain(&mut self.keywords);
        texts.for_each(|text| show(text, taken));
        self.label.iter_mut().for_each(|label| label.clean(taken));
        let mut names_user = false;
        for address in [&mut self.address, &mut self.filepath, &mut self.title] {
            if let Some(without) = address.as_deref().and_then(without_user) {
                names_user = true;
                *address = Some(without);
            }
        }
        if names_user {
            // `address` holds only an address that differs from `url`.
            self.address =
                self.address.take().filter(|address| self.url.as_ref().is_none_or(|url| url.as_str() != address));
            taken.users.push(self.pointer.clone());
        }
    }
}

impl SensitivityLabel {
    pub(crate) fn clean(&mut self, taken: &mut TakenOut) {
        self.name.iter_mut().chain(&mut self.description).for_each(|text| show(text, taken));
    }
}

impl Interpreter {
    pub(crate) fn clean(&mut self, taken: &mut TakenOut) {
        show(&mut self.slogan, taken);
    }
}

impl SourceCode {
    pub(crate) fn clean(&mut self, taken: &mut TakenOut) {
        self.language.iter_mut().chain([&mut self.text]).for_each(|text| show(text, taken));
    }
}

fn show(text: &mut String, taken: &mut TakenOut) {
    let Cow::Owned(seen) = visible(text) else { return };
    taken.letters += text.chars().count() - seen.chars().count();
    *text = seen;
}
