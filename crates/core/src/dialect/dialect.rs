//! The dialects, by name and channel id.

use std::fmt;
use std::str::FromStr;

use super::row::{Row, Stream};
use super::{
    MessageOptions, Pacing, email_html, google_chat, line, m365_copilot, plain, slack, slack_blocks, teams, telegram,
    web_chat,
};
use crate::activity::Activity;
use crate::cite::Rules;
use crate::graph::{GraphRules, Message};
use crate::report::Entry;
use crate::text::echo;

/// Makes each line a variant of the enum: its name, and the module with its row.
macro_rules! dialects {
    ($($(#[$doc:meta])* $name:ident: $file:ident,)+) => {
        /// The form in which a family of channels takes a message.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Dialect {
            $($(#[$doc])* $name,)+
        }

        impl Dialect {
            /// All dialects.
            pub const ALL: [Self; [$(stringify!($name)),+].len()] = [$(Self::$name),+];

            pub(super) const fn row(self) -> &'static Row {
                match self {
                    $(Self::$name => &$file::ROW,)+
                }
            }
        }
    };
}

dialects! {
    /// Web Chat and all other Direct Line clients.
    WebChat: web_chat,
    /// Microsoft Teams.
    Teams: teams,
    /// Microsoft 365 Copilot.
    M365Copilot: m365_copilot,
    /// Plain text without markup: SMS, e-mail.
    Plain: plain,
    /// Slack.
    Slack: slack,
    /// Slack, as blocks with citations and tables.
    SlackBlocks: slack_blocks,
    /// Google Chat.
    GoogleChat: google_chat,
    /// Telegram.
    Telegram: telegram,
    /// LINE.
    Line: line,
    /// E-mail as HTML.
    EmailHtml: email_html,
}

impl Dialect {
    /// The rules for rewriting the text.
    #[must_use]
    pub fn rules(self) -> Rules {
        (self.row().rules)()
    }

    /// The rules for building the graph.
    #[must_use]
    pub fn graph_rules(self) -> GraphRules {
        (self.row().graph_rules)()
    }

    /// The message in the form of the channel; `entries` collects what was dropped.
    #[must_use]
    pub fn message(self, text: String, message: Message, wishes: MessageOptions, entries: &mut Vec<Entry>) -> Activity {
        let message = (self.row().message)(text, message, wishes, entries);
        if wishes.in_parts { message } else { self.whole(message, entries) }
    }

    /// Whether the channel has its own markup, so that the activity may have no `text`. A caller that forwards only the text
    /// of a message needs another dialect.
    #[must_use]
    pub fn is_drawn(self) -> bool {
        self.row().drawing.is_some()
    }

    /// Whether an update of a stream carries the claims of the text so far. Web Chat takes them; Teams takes them only with
    /// the final message.
    #[must_use]
    pub fn streams_claims(self) -> bool {
        self.row().stream == Some(Stream::Free)
    }
}

impl Pacing {
    /// The pacing of a channel. `dialect` distinguishes Microsoft 365 Copilot, which shares the channel id of Teams.
    #[must_use]
    pub fn of(channel_id: &str, dialect: Dialect) -> Self {
        match channel_id {
            "emulator" if dialect != Dialect::M365Copilot => Self::EMULATOR,
            "msteams" if dialect != Dialect::M365Copilot => Self::TEAMS,
            _ => dialect.row().pacing.clone(),
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.row().slug)
    }
}

/// The name is neither a dialect nor a channel id with a dialect.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown dialect or channel {given:?}; known dialects: {slugs}; known channels: {channels}",
    given = echo(given),
    slugs = slugs(),
    channels = channels()
)]
pub struct UnknownDialect {
    /// The name.
    pub given: String,
}

fn slugs() -> String {
    Dialect::ALL.map(|dialect| dialect.row().slug).join(", ")
}

fn channels() -> String {
    Dialect::ALL.map(|dialect| dialect.row().channels).concat().join(", ")
}

impl FromStr for Dialect {
    type Err = UnknownDialect;

    /// Reads the name of a dialect or a channel id.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let is_called = |dialect: &Self| dialect.row().slug == name || dialect.row().channels.contains(&name);
        Self::ALL.into_iter().find(is_called).ok_or_else(|| UnknownDialect { given: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pace_follows_the_channel_and_copilot_is_told_by_its_dialect() {
        for (channel, dialect, expected) in [
            ("msteams", Dialect::Teams, Pacing::TEAMS),
            ("msteams", Dialect::M365Copilot, Pacing::M365_COPILOT),
            ("webchat", Dialect::WebChat, Pacing::WEB_CHAT),
            ("directline", Dialect::WebChat, Pacing::WEB_CHAT),
            ("emulator", Dialect::WebChat, Pacing::EMULATOR),
            ("slack", Dialect::Plain, Pacing::WEB_CHAT),
            // The caller chose a dialect that is not the channel's: the limits of Teams apply if either is Teams.
            ("email", Dialect::Teams, Pacing::TEAMS),
            ("msteams", Dialect::WebChat, Pacing::TEAMS),
        ] {
            assert_eq!(Pacing::of(channel, dialect), expected, "{channel}");
        }
    }

    #[test]
    fn names_and_channel_ids_lead_to_a_dialect() {
        for dialect in Dialect::ALL {
            assert_eq!(dialect.to_string().parse(), Ok(dialect));
        }
        for (id, dialect) in [
            ("webchat", Dialect::WebChat),
            ("directline", Dialect::WebChat),
            ("emulator", Dialect::WebChat),
            ("msteams", Dialect::Teams),
            ("msteams:COPILOT", Dialect::M365Copilot),
            ("email", Dialect::Plain),
            ("sms", Dialect::Plain),
            ("slack", Dialect::Slack),
            ("telegram", Dialect::Telegram),
            ("line", Dialect::Line),
        ] {
            assert_eq!(id.parse(), Ok(dialect), "{id}");
        }
        let error = "fax".parse::<Dialect>().expect_err("no such channel");
        assert!(error.to_string().contains("\"fax\"") && error.to_string().contains("msteams:COPILOT"), "{error}");
    }
}
