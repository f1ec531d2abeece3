//! What a bot without credentials can show: a ticket that it was given with each activity.

use aws_lc_rs::hmac;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::activity::ConversationId;
use crate::secret::Secret;

/// Keeps the key apart from every other use of the secret.
const PURPOSE: &[u8] = b"citewire connector ticket 1\n";

/// Makes and checks tickets. A ticket is good for one conversation, as long as the secret stays the same: a bot may keep
/// its `serviceUrl` and come back days later.
pub(super) struct Tickets(hmac::Key);

impl Tickets {
    pub(super) fn new(secret: &Secret) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA256, secret.expose().as_bytes()))
    }

    pub(super) fn issue(&self, id: &ConversationId) -> String {
        URL_SAFE_NO_PAD.encode(hmac::sign(&self.0, &message(id)))
    }

    /// Whether the ticket is good for the conversation. Takes the same time wherever it differs.
    pub(super) fn is_good(&self, ticket: &str, id: &ConversationId) -> bool {
        URL_SAFE_NO_PAD.decode(ticket).is_ok_and(|tag| hmac::verify(&self.0, &message(id), &tag).is_ok())
    }
}

impl std::fmt::Debug for Tickets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tickets(…)")
    }
}

fn message(id: &ConversationId) -> Vec<u8> {
    [PURPOSE, id.as_str().as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_is_good_for_its_conversation_and_its_secret_only() {
        let tickets = |secret| Tickets::new(&Secret::parse(secret).expect("a secret"));
        let id = |id: &str| id.parse::<ConversationId>().expect("an id");
        let ours = tickets("the-secret-of-the-bot");
        let ticket = ours.issue(&id("c1"));
        assert!(ours.is_good(&ticket, &id("c1")));
        assert!(!ours.is_good(&ticket, &id("c2")));
        assert!(!tickets("the-secret-of-another").is_good(&ticket, &id("c1")));
        for bad in ["", "x", &ticket[1..], &format!("{ticket}A")] {
            assert!(!ours.is_good(bad, &id("c1")), "{bad:?}");
        }
        assert!(ticket.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b)), "it can stand in a path");
    }
}
