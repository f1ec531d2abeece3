//! The credential for the other Direct Line, and its lifetime.

use std::sync::{Mutex, PoisonError};

use chrono::{DateTime, Duration, Utc};

use crate::activity::Role;
use crate::secret::Secret;

/// The credential for the other Direct Line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Credential {
    /// Opens one conversation for a while, and speaks as its user.
    Token(Secret),
    /// Opens every conversation, and never expires. At citewire it speaks as a bot as well.
    Secret(Secret),
}

impl Credential {
    /// As what the bearer asks to appear. A Direct Line that lets nobody but its bot be a bot says so itself, or is silent.
    pub(super) fn role(&self) -> Role {
        match self {
            Self::Token(_) => Role::User,
            Self::Secret(_) => Role::Bot,
        }
    }

    fn bearer(&self) -> &Secret {
        match self {
            Self::Token(bearer) | Self::Secret(bearer) => bearer,
        }
    }
}

/// A renewed token from the other Direct Line.
#[derive(Clone, Debug)]
pub(super) struct Renewed {
    pub(super) bearer: Secret,
    /// In seconds.
    pub(super) expires_in: u32,
}

/// The current credential. Newer tokens replace older ones.
#[derive(Debug)]
pub(super) struct Session {
    credential: Credential,
    current: Mutex<Current>,
}

#[derive(Debug)]
struct Current {
    bearer: Secret,
    /// When a token is to be renewed. Nothing is known of the first one, so it is due at once.
    renew_at: Option<DateTime<Utc>>,
}

/// After a renewal that failed, the next one is tried so much later.
const AFTER_A_FAILURE: Duration = Duration::minutes(5);

impl Session {
    pub(super) fn new(credential: Credential) -> Self {
        let current = Current { bearer: credential.bearer().clone(), renew_at: None };
        Self { credential, current: Mutex::new(current) }
    }

    pub(super) fn credential(&self) -> &Credential {
        &self.credential
    }

    /// The credential of the next call.
    pub(super) fn bearer(&self) -> Secret {
        self.lock().bearer.clone()
    }

    /// Whether the token should be renewed by now.
    pub(super) fn is_due(&self, now: DateTime<Utc>) -> bool {
        match self.credential {
            Credential::Token(_) => self.lock().renew_at.is_none_or(|time| time <= now),
            Credential::Secret(_) => false,
        }
    }

    /// Takes a new token into use until half of its time is over.
    pub(super) fn take(&self, renewed: &Renewed, now: DateTime<Utc>) {
        let half = Duration::seconds(i64::from(renewed.expires_in / 2));
        *self.lock() = Current { bearer: renewed.bearer.clone(), renew_at: Some(now + half) };
    }

    /// Puts the next renewal off.
    pub(super) fn put_off(&self, now: DateTime<Utc>) {
        self.lock().renew_at = Some(now + AFTER_A_FAILURE);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Current> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(text: &str) -> Secret {
        Secret::parse(text).expect("a secret")
    }

    #[test]
    fn a_token_is_renewed_at_half_of_its_time() {
        let start = "2026-01-01T00:00:00Z".parse().expect("a time");
        let session = Session::new(Credential::Token(secret("the-first-token-of-all")));
        assert!(session.is_due(start), "nobody knows how long the first one lasts");
        session.take(&Renewed { bearer: secret("the-second-token-then"), expires_in: 1800 }, start);
        assert_eq!(session.bearer(), secret("the-second-token-then"));
        assert!(!session.is_due(start + Duration::seconds(899)));
        assert!(session.is_due(start + Duration::seconds(900)));
        session.put_off(start + Duration::seconds(900));
        assert!(!session.is_due(start + Duration::seconds(1000)));
        assert!(session.is_due(start + Duration::seconds(1200)));
    }

    #[test]
    fn a_secret_is_never_due_and_neither_prints() {
        let session = Session::new(Credential::Secret(secret("the-secret-of-the-bot")));
        assert!(!session.is_due(DateTime::<Utc>::MAX_UTC));
        assert!(!format!("{session:?}").contains("the-secret"), "{session:?}");
    }
}
