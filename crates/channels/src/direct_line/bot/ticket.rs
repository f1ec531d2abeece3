//! The ticket in `serviceUrl`, with which a bot without credentials authenticates.

use std::time::Duration;

use aws_lc_rs::hmac;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use chrono::{DateTime, Utc};

use crate::activity::ConversationId;
use crate::secret::Secret;

/// Keeps the key apart from every other use of the secret.
const PURPOSE: &[u8] = b"citewire connector ticket 2\n";

/// The bytes of a ticket for the time until which it is good, in seconds since 1970; the rest is the tag.
const TIME_BYTES: usize = size_of::<i64>();

/// Makes and checks tickets. A ticket is good for one conversation and for a time, as long as the secret stays the same: a bot may
/// keep its `serviceUrl` and come back days later. Each activity brings a new one.
pub(super) struct Tickets {
    key: hmac::Key,
    lifetime: Duration,
}

impl Tickets {
    pub(super) fn new(secret: &Secret, lifetime: Duration) -> Self {
        Self { key: hmac::Key::new(hmac::HMAC_SHA256, secret.expose().as_bytes()), lifetime }
    }

    pub(super) fn issue(&self, id: &ConversationId, now: DateTime<Utc>) -> String {
        let until = now.timestamp().saturating_add(i64::try_from(self.lifetime.as_secs()).unwrap_or(i64::MAX));
        let tag = hmac::sign(&self.key, &message(id, until));
        URL_SAFE_NO_PAD.encode([&until.to_be_bytes(), tag.as_ref()].concat())
    }

    /// Whether the ticket is good for the conversation. Takes the same time wherever it differs.
    pub(super) fn is_good(&self, ticket: &str, id: &ConversationId, now: DateTime<Utc>) -> bool {
        let Ok(ticket) = URL_SAFE_NO_PAD.decode(ticket) else { return false };
        let Some((until, tag)) = ticket.split_first_chunk::<TIME_BYTES>() else { return false };
        let until = i64::from_be_bytes(*until);
        hmac::verify(&self.key, &message(id, until), tag).is_ok() && now.timestamp() < until
    }
}

impl std::fmt::Debug for Tickets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tickets(…)")
    }
}

fn message(id: &ConversationId, until: i64) -> Vec<u8> {
    [PURPOSE, &until.to_be_bytes(), id.as_str().as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_is_good_for_its_conversation_and_its_secret_only() {
        let hour = Duration::from_secs(3600);
        let tickets = |secret| Tickets::new(&Secret::parse(secret).expect("a secret"), hour);
        let now: DateTime<Utc> = "2026-01-01T00:00:00Z".parse().expect("a time");
        let id = |id: &str| id.parse::<ConversationId>().expect("an id");
        let ours = tickets("the-secret-of-the-bot");
        let ticket = ours.issue(&id("c1"), now);
        assert!(ours.is_good(&ticket, &id("c1"), now));
        assert!(!ours.is_good(&ticket, &id("c2"), now));
        assert!(!tickets("the-secret-of-another").is_good(&ticket, &id("c1"), now));
        for bad in ["", "x", &ticket[1..], &format!("{ticket}A")] {
            assert!(!ours.is_good(bad, &id("c1"), now), "{bad:?}");
        }
        assert!(ticket.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b)), "it can stand in a path");
    }
    /// Tickets were good for as long as their conversation was there, and so was one that had come into a log.
    #[test]
    fn a_ticket_is_good_for_its_time() {
        let secret = Secret::parse("the-secret-of-the-bot").expect("a secret");
        let tickets = Tickets::new(&secret, Duration::from_secs(3600));
        let id: ConversationId = "c1".parse().expect("an id");
        let now: DateTime<Utc> = "2026-01-01T00:00:00Z".parse().expect("a time");
        let ticket = tickets.issue(&id, now);
        assert!(tickets.is_good(&ticket, &id, now + chrono::Duration::seconds(3599)));
        assert!(!tickets.is_good(&ticket, &id, now + chrono::Duration::seconds(3600)));
        let mut longer = URL_SAFE_NO_PAD.decode(&ticket).expect("base64");
        longer[TIME_BYTES - 2] = longer[TIME_BYTES - 2].wrapping_add(16);
        assert!(!tickets.is_good(&URL_SAFE_NO_PAD.encode(longer), &id, now), "the time is signed");
    }
}
