//! Microsoft 365 Copilot: Teams without labels, icons and feedback (`docs/teams.md`).

use super::{Wishes, teams};
use crate::activity::Activity;
use crate::graph::Message;
use crate::report::{Entry, Kind};

/// The message that Microsoft 365 Copilot takes. What its readers think of an answer never reaches the sender, so nobody
/// is asked.
pub(super) fn message(text: String, message: Message, wishes: Wishes, entries: &mut Vec<Entry>) -> Activity {
    if wishes.feedback {
        let message = "Microsoft 365 Copilot does not pass feedback on";
        entries.push(Entry::in_input(Kind::Dropped, "feedback", "/options/feedback", message));
    }
    teams::cited(text, message, wishes, entries)
}
