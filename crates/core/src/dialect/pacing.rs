//! The stream limits of channels, as data.

use std::time::Duration;

/// The timing that a channel allows a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pacing {
    /// The shortest time between two updates.
    pub interval: Duration,
    /// The shortest time between the last update and the end of the stream.
    pub gap: Duration,
    /// The time after the first activity at which the sender ends the stream, before the service would.
    pub stream_limit: Option<Duration>,
    /// The silence after which the sender repeats the text, so that readers see no error.
    pub longest_silence: Option<Duration>,
    /// Whether a sent message can be replaced.
    pub can_replace: bool,
}

impl Pacing {
    /// Microsoft Teams allows one request per second and recommends 1.5 s. A stream may take two minutes; sent messages can
    /// be replaced.
    pub const TEAMS: Self = Self {
        interval: Duration::from_millis(1500),
        gap: Duration::from_secs(1),
        stream_limit: Some(Duration::from_secs(110)),
        longest_silence: None,
        can_replace: true,
    };

    /// Microsoft 365 Copilot shows an error after about 45 s of silence, and a stream ends after 105 s. Messages cannot be
    /// replaced, so later text is a message of its own.
    pub const M365_COPILOT: Self = Self {
        interval: Duration::from_millis(1500),
        gap: Duration::from_secs(1),
        stream_limit: Some(Duration::from_secs(105)),
        longest_silence: Some(Duration::from_secs(35)),
        can_replace: false,
    };

    /// Web Chat and Direct Line behind Azure; sent messages cannot be replaced.
    pub const WEB_CHAT: Self = Self {
        interval: Duration::from_millis(500),
        gap: Duration::ZERO,
        stream_limit: None,
        longest_silence: None,
        can_replace: false,
    };

    /// Emulators; sent messages can be replaced.
    pub const EMULATOR: Self = Self { can_replace: true, ..Self::WEB_CHAT };

    /// Events of `deliveryMode: stream`.
    pub const EVENTS: Self = Self { interval: Duration::from_millis(100), ..Self::WEB_CHAT };
}
