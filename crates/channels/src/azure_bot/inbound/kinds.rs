//! Classifies activities by what the bot must do with them.

use super::Inbound;

/// The bot's task with an activity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind<'a> {
    /// A user asks something.
    Question,
    /// A user has sent a file or a card, and no words.
    Wordless,
    /// A user is there who can be greeted.
    Arrival,
    /// The sender waits for the outcome of this, by its name.
    Invoke(&'a str),
    /// The sender has ended the conversation.
    End,
    /// A user types, which is over before anything could be done about it.
    Passing,
    /// Nothing is asked. Types that nobody knows yet are among these (A2006).
    Nothing,
}

impl Inbound {
    /// The task that it sets.
    #[must_use]
    pub fn asks(&self) -> Kind<'_> {
        match self.kind() {
            // A bot that hears itself would never stop.
            "message" if self.from_id().is_some() && self.from_id() == self.recipient_id() => Kind::Nothing,
            "message" if !self.words().is_empty() => Kind::Question,
            // A card sends back a value and no words, which is no question.
            "message" if self.has_attachments() => Kind::Wordless,
            "conversationUpdate" if self.adds_somebody() => Kind::Arrival,
            "installationUpdate" if self.action() == Some("add") => Kind::Arrival,
            "invoke" => Kind::Invoke(self.name().unwrap_or_default()),
            "endOfConversation" => Kind::End,
            "typing" => Kind::Passing,
            _ => Kind::Nothing,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn every_type_has_its_meaning_and_unknown_types_have_none() {
        let of = |mut activity: Value, expected: Kind<'_>| {
            activity["conversation"] = json!({"id": "c"});
            activity["recipient"] = json!({"id": "bot"});
            let inbound = Inbound::parse(activity.to_string().as_bytes()).expect("an activity");
            assert_eq!(inbound.asks(), expected, "{activity}");
        };
        of(json!({"type": "message", "text": "hi"}), Kind::Question);
        of(json!({"type": "message", "text": "hi", "attachments": [{}]}), Kind::Question);
        of(json!({"type": "message", "text": "hi", "from": {"id": "bot"}}), Kind::Nothing);
        of(json!({"type": "message", "text": " \n", "attachments": [{"contentType": "image/png"}]}), Kind::Wordless);
        of(json!({"type": "message", "value": {"action": "save"}}), Kind::Nothing);
        of(json!({"type": "conversationUpdate", "membersAdded": [{"id": "ann"}]}), Kind::Arrival);
        of(json!({"type": "conversationUpdate", "membersAdded": [{"id": "bot"}]}), Kind::Nothing);
        of(json!({"type": "conversationUpdate", "membersRemoved": [{"id": "ann"}]}), Kind::Nothing);
        of(json!({"type": "installationUpdate", "action": "add"}), Kind::Arrival);
        of(json!({"type": "installationUpdate", "action": "remove"}), Kind::Nothing);
        of(json!({"type": "invoke", "name": "message/submitAction"}), Kind::Invoke("message/submitAction"));
        of(json!({"type": "invoke"}), Kind::Invoke(""));
        of(json!({"type": "endOfConversation", "code": "completedSuccessfully"}), Kind::End);
        of(json!({"type": "typing", "text": "hi"}), Kind::Passing);
        for nothing in ["event", "messageReaction", "messageUpdate", "trace", "Message", "somethingNew"] {
            of(json!({"type": nothing, "text": "hi"}), Kind::Nothing);
        }
    }
}
