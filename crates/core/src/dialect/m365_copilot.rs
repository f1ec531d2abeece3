//! [Microsoft 365 Copilot](https://learn.microsoft.com/microsoft-365/copilot/extensibility/custom-engine-agent-architecture):
//! Teams without labels, icons and feedback (`docs/guides/teams.md`).

use super::row::Row;
use super::{MessageOptions, Pacing, teams};
use crate::activity::Activity;
use crate::graph::{GraphRules, Message};
use crate::report::{Entry, Kind};

pub(super) const ROW: Row = Row {
    slug: "m365-copilot",
    channels: &["msteams:COPILOT"],
    graph_rules: GraphRules::m365_copilot,
    message,
    pacing: Pacing::M365_COPILOT,
    ..teams::ROW
};

/// The message for Microsoft 365 Copilot. It asks for no feedback, because Copilot does not pass feedback to the sender.
fn message(text: String, message: Message, wishes: MessageOptions, entries: &mut Vec<Entry>) -> Activity {
    if wishes.feedback {
        let message = "Microsoft 365 Copilot does not pass feedback on";
        entries.push(Entry::in_input(Kind::Dropped, "feedback", "/options/feedback", message));
    }
    teams::cited(text, message, wishes, entries)
}
