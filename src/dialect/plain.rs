//! A text that is read as it stands: SMS, e-mail (`docs/plain.md`).

use super::Wishes;
use super::reference_list::{self, Form};
use crate::activity::Activity;
use crate::graph::Message;
use crate::report::{Entry, Kind};

/// The text with a numbered list of references under it; there is nothing else that such a channel could show.
pub(super) fn message(mut text: String, message: &Message, wishes: Wishes, entries: &mut Vec<Entry>) -> Activity {
    reference_list::append(&mut text, message, Form::Plain);
    if wishes.feedback {
        let message = "a plain text has no thumbs";
        entries.push(Entry::in_input(Kind::Dropped, "feedback", "/options/feedback", message));
    }
    let mut activity = Activity::message(text);
    activity.text_format = Some("plain".into());
    activity
}
