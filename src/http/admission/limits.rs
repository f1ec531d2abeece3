//! Rate limits: token buckets for each address and each token.

use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::time::Duration;

use governor::clock::{Clock as _, MonotonicClock};
use governor::state::keyed::HashMapStateStore;
use governor::{Quota, RateLimiter};

use crate::activity::ConversationId;
use crate::channels::direct_line::Claims;
use crate::metrics::Limit;

/// The rate limits. 0 switches a limit off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LimitOptions {
    /// Sessions of the page that an address may start in a minute.
    pub page_sessions_per_minute: u32,
    /// Posts and uploads of the holder of a token in a second, in the long run.
    pub posts_per_second: u32,
    /// Posts and uploads of the holder of a token that may come at once.
    pub posts_burst: u32,
    /// Credentials that are not good, of an address in a minute.
    pub failed_credentials_per_minute: u32,
    /// Uploads into a conversation at one time.
    pub uploads_per_conversation: u32,
    /// Uploads from an address at one time.
    pub uploads_per_address: u32,
    /// The least rate of an upload in bytes a second, behind its first ten seconds.
    pub upload_bytes_per_second: u32,
    /// Downloads of documents at one time.
    pub downloads: u32,
    /// Downloads of documents to an address at one time.
    pub downloads_per_address: u32,
    /// Requests for documents from an address in a minute.
    pub downloads_per_minute: u32,
    /// The least rate of a download in bytes a second, behind its first thirty seconds.
    pub download_bytes_per_second: u32,
}

impl Default for LimitOptions {
    fn default() -> Self {
        Self {
            page_sessions_per_minute: 30,
            posts_per_second: 5,
            posts_burst: 100,
            failed_credentials_per_minute: 20,
            uploads_per_conversation: 2,
            uploads_per_address: 64,
            upload_bytes_per_second: 64 * 1024,
            downloads: 128,
            downloads_per_address: 32,
            downloads_per_minute: 1_200,
            download_bytes_per_second: 8 * 1024,
        }
    }
}

impl LimitOptions {
    /// No limits.
    pub const NONE: Self = Self {
        page_sessions_per_minute: 0,
        posts_per_second: 0,
        posts_burst: 0,
        failed_credentials_per_minute: 0,
        uploads_per_conversation: 0,
        uploads_per_address: 0,
        upload_bytes_per_second: 0,
        downloads: 0,
        downloads_per_address: 0,
        downloads_per_minute: 0,
        download_bytes_per_second: 0,
    };
}

/// The caller exceeds a rate limit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many {of}; retry after {} s, or raise the setting {setting}", seconds(*wait))]
pub struct LimitError {
    pub(crate) limit: Limit,
    of: &'static str,
    setting: &'static str,
    wait: Duration,
}

impl LimitError {
    pub(super) fn new(limit: Limit, of: &'static str, setting: &'static str, wait: Duration) -> Self {
        Self { limit, of, setting, wait }
    }

    /// Seconds until there is room again; at least one.
    pub(crate) fn retry_after(&self) -> u32 {
        seconds(self.wait)
    }
}

fn seconds(wait: Duration) -> u32 {
    u32::try_from(wait.as_millis().div_ceil(1000)).unwrap_or(u32::MAX).max(1)
}

/// The number of callers that each limit tells apart; all others share one bucket, so that callers from everywhere
/// cannot fill the memory.
const MAX_CALLERS: usize = 200_000;

/// The token buckets.
#[derive(Debug)]
pub(crate) struct RateLimits {
    sessions: Option<Buckets<Network>>,
    posts: Option<Buckets<Holder>>,
    failures: Option<Buckets<Network>>,
    downloads: Option<Buckets<Network>>,
}

/// An address of IPv4, or the network of 64 bits that a subscriber of IPv6 has to himself.
pub(super) type Network = IpAddr;

/// The holder of a token: its conversation and its user. A renewed token has the same holder.
type Holder = (ConversationId, Option<String>);

impl RateLimits {
    pub(crate) fn new(options: LimitOptions) -> Self {
        let LimitOptions { page_sessions_per_minute, posts_per_second, posts_burst, .. } = options;
        let by_minute = |count| NonZeroU32::new(count).map(Quota::per_minute);
        let posts = NonZeroU32::new(posts_per_second).map(Quota::per_second);
        let burst = NonZeroU32::new(posts_burst);
        let posts = posts.map(|quota| burst.map_or(quota, |burst| quota.allow_burst(burst)));
        Self {
            sessions: by_minute(page_sessions_per_minute).map(Buckets::new),
            posts: posts.map(Buckets::new),
            failures: by_minute(options.failed_credentials_per_minute).map(Buckets::new),
            downloads: by_minute(options.downloads_per_minute).map(Buckets::new),
        }
    }

    /// An address starts a session of the page.
    pub(crate) fn session(&self, client: IpAddr) -> Result<(), LimitError> {
        let refused = |wait| LimitError {
            limit: Limit::PageSessions,
            of: "conversations from your address",
            setting: "limits.page_sessions_per_minute (CITEWIRE_LIMITS_PAGE_SESSIONS_PER_MINUTE)",
            wait,
        };
        self.sessions.as_ref().map_or(Ok(()), |buckets| buckets.take(network(client)).map_err(refused))
    }

    /// The holder of a token posts something.
    pub(crate) fn post(&self, claims: &Claims) -> Result<(), LimitError> {
        let refused = |wait| LimitError {
            limit: Limit::Posts,
            of: "posts with this token",
            setting: "limits.posts_per_second (CITEWIRE_LIMITS_POSTS_PER_SECOND)",
            wait,
        };
        let holder = || (claims.conv.clone(), claims.user.clone());
        self.posts.as_ref().map_or(Ok(()), |buckets| buckets.take(holder()).map_err(refused))
    }

    /// An address has shown a credential that is not good.
    pub(crate) fn failure(&self, client: IpAddr) -> Result<(), LimitError> {
        let refused = |wait| LimitError {
            limit: Limit::FailedCredentials,
            of: "wrong credentials from your address",
            setting: "limits.failed_credentials_per_minute (CITEWIRE_LIMITS_FAILED_CREDENTIALS_PER_MINUTE)",
            wait,
        };
        self.failures.as_ref().map_or(Ok(()), |buckets| buckets.take(network(client)).map_err(refused))
    }

    /// An address asks for a document, or for a part of one.
    pub(crate) fn download(&self, client: IpAddr) -> Result<(), LimitError> {
        let refused = |wait| LimitError {
            limit: Limit::Downloads,
            of: "requests for documents from your address",
            setting: "limits.downloads_per_minute (CITEWIRE_LIMITS_DOWNLOADS_PER_MINUTE)",
            wait,
        };
        self.downloads.as_ref().map_or(Ok(()), |buckets| buckets.take(network(client)).map_err(refused))
    }

    /// Forgets callers whose buckets are full again.
    pub(crate) fn forget(&self) {
        for buckets in [&self.sessions, &self.failures, &self.downloads].into_iter().flatten() {
            buckets.forget();
        }
        self.posts.iter().for_each(Buckets::forget);
    }
}

pub(super) fn network(client: IpAddr) -> Network {
    match client.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX))),
        IpAddr::V4(address) => IpAddr::V4(address),
    }
}

/// A bucket for each caller; `None` is the bucket of those for whom there is no room.
#[derive(Debug)]
struct Buckets<K: Clone + Eq + Hash>(RateLimiter<Option<K>, HashMapStateStore<Option<K>>, MonotonicClock>);

impl<K: Clone + Eq + Hash> Buckets<K> {
    fn new(quota: Quota) -> Self {
        Self(RateLimiter::hashmap_with_clock(quota, MonotonicClock))
    }

    /// Takes one from the bucket of a caller.
    ///
    /// # Errors
    /// When it is empty: with the time until there is one again.
    fn take(&self, key: K) -> Result<(), Duration> {
        let key = Some(key).filter(|_| self.0.len() < MAX_CALLERS);
        self.0.check_key(&key).map_err(|refused| refused.wait_time_from(MonotonicClock.now()))
    }

    fn forget(&self) {
        self.0.retain_recent();
        self.0.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claims(conversation: &str, user: Option<&str>, id: &str) -> Claims {
        let claims =
            serde_json::json!({"conv": conversation, "user": user, "kind": "token", "nbf": 0, "exp": 1, "jti": id});
        serde_json::from_value(claims).expect("claims")
    }

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn an_address_has_its_share_and_takes_nothing_from_others() {
        let limits = RateLimits::new(LimitOptions::default());
        for _ in 0..30 {
            assert_eq!(limits.session(address("192.0.2.1")), Ok(()));
        }
        let refused = limits.session(address("192.0.2.1")).expect_err("the thirty-first of a minute");
        assert!((1..=2).contains(&refused.retry_after()), "{refused}");
        assert!(refused.to_string().contains("CITEWIRE_LIMITS_PAGE_SESSIONS_PER_MINUTE"), "{refused}");
        assert_eq!(limits.session(address("192.0.2.2")), Ok(()));
        assert_eq!(limits.failure(address("192.0.2.1")), Ok(()), "another limit");
    }

    /// A subscriber of IPv6 has 2^64 addresses, each of which would have a share of its own.
    #[test]
    fn all_addresses_of_a_network_of_ipv6_share() {
        let limits = RateLimits::new(LimitOptions { failed_credentials_per_minute: 1, ..LimitOptions::default() });
        assert_eq!(limits.failure(address("2001:db8::1")), Ok(()));
        assert!(limits.failure(address("2001:db8::ffff:2")).is_err());
        assert_eq!(limits.failure(address("2001:db8:0:1::1")), Ok(()));
    }

    /// A token can be renewed as often as its holder likes.
    #[test]
    fn a_renewed_token_has_no_share_of_its_own() {
        let limits = RateLimits::new(LimitOptions { posts_burst: 1, ..LimitOptions::default() });
        assert_eq!(limits.post(&claims("a", Some("ann"), "1")), Ok(()));
        assert!(limits.post(&claims("a", Some("ann"), "2")).is_err());
        assert_eq!(limits.post(&claims("a", Some("bob"), "3")), Ok(()));
        assert_eq!(limits.post(&claims("b", Some("ann"), "4")), Ok(()));
    }

    #[test]
    fn a_limit_of_0_is_none() {
        let limits = RateLimits::new(LimitOptions::NONE);
        for _ in 0..1000 {
            assert_eq!(limits.post(&claims("a", None, "1")), Ok(()));
            assert_eq!(limits.session(address("::1")), Ok(()));
            assert_eq!(limits.failure(address("::1")), Ok(()));
        }
    }
}
