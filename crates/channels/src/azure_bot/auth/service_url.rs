//! Compares the `serviceUrl` of a token with that of an activity.

use url::Url;

/// Whether both are the same service: scheme, host and port. A port that is not said is the usual one; the path is free,
/// because the Connector gives each channel one of its own.
pub(super) fn same_service(claim: &str, activity: &str) -> bool {
    match (parse(claim), parse(activity)) {
        (Some(claim), Some(activity)) => claim.origin() == activity.origin(),
        _ => false,
    }
}

/// Reads a service address. One with a user name is none: it reads as another host than it is.
fn parse(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let is_plain = matches!(url.scheme(), "http" | "https") && url.username().is_empty() && url.password().is_none();
    is_plain.then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_service_may_be_spelled_in_several_ways() {
        for activity in [
            "https://smba.trafficmanager.net/teams/",
            "https://smba.trafficmanager.net",
            "https://SMBA.trafficmanager.net:443/amer/",
        ] {
            assert!(same_service("https://smba.trafficmanager.net/teams/", activity), "{activity}");
        }
        assert!(same_service("http://localhost:80", "http://localhost/"));
        assert!(same_service("http://[::1]:3979/", "http://[0::1]:3979"));
    }

    #[test]
    fn what_only_looks_like_it_is_another_service() {
        for activity in [
            "http://smba.trafficmanager.net/teams/",
            "https://smba.trafficmanager.net:8443/teams/",
            "https://smba.trafficmanager.net.evil.test/teams/",
            "https://evil.test/smba.trafficmanager.net/teams/",
            "https://evilsmba.trafficmanager.net/teams/",
            "https://trafficmanager.net/teams/",
            "https://smba.trafficmanager.net./teams/",
            "https://smba.trafficmanager.net@evil.test/teams/",
            "https://someone@smba.trafficmanager.net/teams/",
            "https://:secret@smba.trafficmanager.net/teams/",
            "https://smba.trafficmanager.net\u{2024}evil.test/",
            "https://ѕmba.trafficmanager.net/teams/",
            "ftp://smba.trafficmanager.net/teams/",
            "//smba.trafficmanager.net/teams/",
            "smba.trafficmanager.net",
            "data:text/plain,smba.trafficmanager.net",
            "",
        ] {
            assert!(!same_service("https://smba.trafficmanager.net/teams/", activity), "{activity}");
        }
    }

    #[test]
    fn what_is_no_address_equals_nothing_not_even_itself() {
        for text in ["", "urn:botframework:websocket", "file:///etc/passwd", "data:,x", "http://"] {
            assert!(!same_service(text, text), "{text}");
        }
    }
}
