//! How fast and how long an answer may be streamed, by channel: data.

use std::time::Duration;

/// What a channel allows a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pacing {
    /// At most one update in this time.
    pub interval: Duration,
    /// The end of a stream comes so long after the last update at least.
    pub gap: Duration,
    /// A stream is ended so long after its first activity, before the service does it.
    pub stream_limit: Option<Duration>,
    /// After so much silence the text is sent once more, so that readers do not see an error.
    pub longest_silence: Option<Duration>,
    /// Whether a message that was sent can be replaced.
    pub can_replace: bool,
}

impl Pacing {
    /// Microsoft Teams: one request a second, with the advice to wait for 1.5 s. A stream may take two minutes; what was sent
    /// can be replaced.
    pub const TEAMS: Self = Self {
        interval: Duration::from_millis(1500),
        gap: Duration::from_secs(1),
        stream_limit: Some(Duration::from_secs(110)),
        longest_silence: None,
        can_replace: true,
    };

    /// Microsoft 365 Copilot: an error is shown after about 45 s of silence, and a stream ends after 105 s. Messages cannot be
    /// replaced, so what comes later is a message of its own.
    pub const M365_COPILOT: Self = Self {
        interval: Duration::from_millis(1500),
        gap: Duration::from_secs(1),
        stream_limit: Some(Duration::from_secs(105)),
        longest_silence: Some(Duration::from_secs(35)),
        can_replace: false,
    };

    /// Web Chat and Direct Line behind Azure, which replace nothing.
    pub const WEB_CHAT: Self = Self {
        interval: Duration::from_millis(500),
        gap: Duration::ZERO,
        stream_limit: None,
        longest_silence: None,
        can_replace: false,
    };

    /// Emulators, which replace what was sent.
    pub const EMULATOR: Self = Self { can_replace: true, ..Self::WEB_CHAT };

    /// Events of `deliveryMode: stream`.
    pub const EVENTS: Self = Self { interval: Duration::from_millis(100), ..Self::WEB_CHAT };
}
