//! The signing keys of an issuer: fetched, cached and renewed.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Duration, Utc};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::key::{Key, Keys};
use super::key_source::KeySource;
use super::{KeyIssuer, KeysError, Unauthorized};
use crate::clock::Clock;

/// After so long keys are fetched again though nobody misses one.
const RENEW_AFTER: Duration = Duration::hours(24);

/// The pause after an attempt, whatever key a caller has.
const PAUSE: Duration = Duration::seconds(30);

/// The pause as long as there are no keys at all, and nobody can be let in.
const PAUSE_WITHOUT_KEYS: Duration = Duration::seconds(5);

/// The keys of one issuer. They are fetched when they are first needed, when they are old, and when one is missing; those
/// that are there stay in use until newer ones have arrived.
///
/// A fetch is a task of its own, one at a time: a caller who goes away does not end it for the others, and cannot start
/// another.
pub(super) struct KeySet {
    kept: Arc<Kept>,
    fetches: Mutex<JoinSet<()>>,
}

struct Kept {
    issuer: KeyIssuer,
    source: KeySource,
    clock: Arc<dyn Clock>,
    state: Mutex<State>,
    /// Changes whenever a fetch has ended.
    ended: watch::Sender<()>,
}

#[derive(Default)]
struct State {
    keys: Option<Arc<Keys>>,
    fetched_at: Option<DateTime<Utc>>,
    tried_at: Option<DateTime<Utc>>,
    is_fetching: bool,
    /// The last attempt failed, which was said already.
    is_failing: bool,
}

impl fmt::Debug for KeySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeySet").field("issuer", &self.kept.issuer).finish_non_exhaustive()
    }
}

impl KeySet {
    pub(super) fn new(issuer: KeyIssuer, source: KeySource, clock: Arc<dyn Clock>) -> Self {
        let (state, ended) = (Mutex::default(), watch::Sender::new(()));
        Self { kept: Arc::new(Kept { issuer, source, clock, state, ended }), fetches: Mutex::default() }
    }

    /// The key with this id. One that is missing is looked for where keys are published, unless that was just done.
    pub(super) async fn find(&self, id: &str) -> Result<Arc<Key>, Unauthorized> {
        if let Ok(Some(key)) = self.kept.known(id) {
            return Ok(key);
        }
        self.fetch().await;
        let issuer = self.kept.issuer;
        self.kept.known(id)?.ok_or(Unauthorized::UnknownKey { issuer })
    }

    /// Fetches the keys when they are old or were never there.
    pub(super) async fn keep_fresh(&self) {
        let now = self.kept.clock.now();
        let is_due = self.kept.lock().fetched_at.is_none_or(|at| now - at >= RENEW_AFTER);
        if is_due {
            self.fetch().await;
        }
    }

    /// Waits for the end of a fetch: the one that is under way, or a new one. When it is too early for that, nothing
    /// happens.
    async fn fetch(&self) {
        // Listening comes first, so that the end cannot slip through.
        let mut ended = self.kept.ended.subscribe();
        if self.start() {
            // The sender is ours, so there is always an end to come.
            ended.changed().await.ok();
        }
    }

    /// Sees to it that a fetch is under way; whether one is.
    fn start(&self) -> bool {
        let now = self.kept.clock.now();
        let mut state = self.kept.lock();
        if !state.is_fetching {
            let pause = if state.keys.is_some() { PAUSE } else { PAUSE_WITHOUT_KEYS };
            // A clock that was set back does not make the pause longer.
            if state.tried_at.is_some_and(|at| at <= now && now - at < pause) {
                return false;
            }
            state.is_fetching = true;
            state.tried_at = Some(now);
            let mut fetches = self.fetches.lock().unwrap_or_else(PoisonError::into_inner);
            while fetches.try_join_next().is_some() {}
            let ending = Ending(Arc::clone(&self.kept));
            fetches.spawn(async move { ending.0.renew().await });
        }
        true
    }
}

/// Says that a fetch has ended, in whichever way.
struct Ending(Arc<Kept>);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.lock().is_fetching = false;
        self.0.ended.send_replace(());
    }
}

impl Kept {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A key that is there; an error when none at all has ever arrived.
    fn known(&self, id: &str) -> Result<Option<Arc<Key>>, Unauthorized> {
        match &self.lock().keys {
            Some(keys) => Ok(keys.get(id)),
            None => Err(Unauthorized::NoKeys { issuer: self.issuer }),
        }
    }

    async fn renew(&self) {
        let fetched = self.source.fetch().await;
        let notice = self.lock().take(fetched, self.clock.now());
        if let Some(notice) = notice {
            self.say(notice);
        }
    }

    fn say(&self, notice: Notice) {
        let (host, issuer) = (self.source.host(), self.issuer);
        match notice {
            Notice::Arrived(keys) => tracing::info!(host, keys, "the keys of {issuer} were fetched"),
            Notice::Renewed(keys) => tracing::debug!(host, keys, "the keys of {issuer} were renewed"),
            Notice::Back(keys) => tracing::info!(host, keys, "the keys of {issuer} can be fetched again"),
            Notice::NotRenewed(error) => tracing::warn!(
                host, %error, "the keys of {issuer} could not be renewed; the current keys stay in use"
            ),
            Notice::NoKeys(error) => tracing::error!(
                host, %error, "the keys of {issuer} cannot be fetched; its callers get 503 until then"
            ),
        }
    }
}

/// The log line after a fetch.
#[derive(Debug)]
enum Notice {
    /// The first keys, so many.
    Arrived(usize),
    /// Newer keys, so many.
    Renewed(usize),
    /// Keys, so many, after a failure.
    Back(usize),
    /// A failure that does no harm yet.
    NotRenewed(KeysError),
    /// A failure, and there are no keys at all.
    NoKeys(KeysError),
}

impl State {
    /// Puts what was fetched in the place of what was there, unless it is a failure. One failure after another is said
    /// once.
    fn take(&mut self, fetched: Result<Keys, KeysError>, now: DateTime<Utc>) -> Option<Notice> {
        let was_failing = std::mem::replace(&mut self.is_failing, fetched.is_err());
        match fetched {
            Ok(keys) => {
                let count = keys.count();
                self.fetched_at = Some(now);
                let had_keys = self.keys.replace(Arc::new(keys)).is_some();
                Some(match (was_failing, had_keys) {
                    (true, _) => Notice::Back(count),
                    (false, true) => Notice::Renewed(count),
                    (false, false) => Notice::Arrived(count),
                })
            }
            Err(_) if was_failing => None,
            Err(error) if self.keys.is_some() => Some(Notice::NotRenewed(error)),
            Err(error) => Some(Notice::NoKeys(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use serde_json::json;

    use super::*;

    fn keys() -> Result<Keys, KeysError> {
        let key = json!({"kty": "RSA", "kid": "k1", "n": URL_SAFE_NO_PAD.encode([0xc5; 256]), "e": "AQAB"});
        Ok(Keys::read(json!({"keys": [key]}).to_string().as_bytes()).expect("keys"))
    }

    fn failure() -> Result<Keys, KeysError> {
        Err(KeysError::Status { host: "login.example".to_owned(), document: "metadata", status: 500 })
    }

    #[test]
    fn a_failure_is_said_once_and_so_is_its_end() {
        let now = "2026-01-01T00:00:00Z".parse().expect("a time");
        let mut state = State::default();
        assert!(matches!(state.take(failure(), now), Some(Notice::NoKeys(_))));
        assert!(state.take(failure(), now).is_none());
        assert!(matches!(state.take(keys(), now), Some(Notice::Back(1))));
        assert!(matches!(state.take(keys(), now), Some(Notice::Renewed(1))));
        assert!(matches!(state.take(failure(), now), Some(Notice::NotRenewed(_))));
        assert!(state.take(failure(), now).is_none());
        assert!(matches!(state.take(keys(), now), Some(Notice::Back(1))));
        assert!(matches!(State::default().take(keys(), now), Some(Notice::Arrived(1))));
    }

    #[test]
    fn a_failure_takes_nothing_away_and_makes_nothing_younger() {
        let first = "2026-01-01T00:00:00Z".parse().expect("a time");
        let mut state = State::default();
        state.take(keys(), first);
        state.take(failure(), first + RENEW_AFTER);
        assert!(state.keys.as_ref().is_some_and(|keys| keys.get("k1").is_some()));
        assert_eq!(state.fetched_at, Some(first));
    }
}
