//! Posts that were not taken in: the client waits and repeats.

use std::time::Duration;

use citewire::metrics::Metrics;

use super::{Played, Reply, token};

fn busy(retry_after: &str) -> Reply {
    Reply::With(429, "retry-after", retry_after.to_owned(), String::new())
}

#[tokio::test]
async fn a_post_that_is_refused_for_good_is_counted_by_why() {
    let played = Played::new(token(), vec![Reply::With(400, "x-why", "none".to_owned(), String::new())]).await;
    played.failure().await;
    let metrics = Metrics::new();
    metrics.watch_channel(played.client.figures());
    let series = r#"citewire_channel_refusals_total{channel="direct_line_client",reason="refused"} 1"#;
    assert!(metrics.text().contains(series), "{}", metrics.text());
}

#[tokio::test]
async fn a_429_is_repeated_after_the_seconds_that_it_names() {
    let played = Played::new(token(), vec![busy("7"), Reply::id("c1|1")]).await;
    assert_eq!(played.posted_id().await, "c1|1");
    assert_eq!((played.upstream.calls(), played.upstream.waits()), (vec!["POST ".to_owned(); 2], vec![seconds(7)]));
}

#[tokio::test]
async fn a_429_is_repeated_at_the_time_that_it_names() {
    let played = Played::new(token(), vec![busy("Thu, 01 Jan 2026 00:00:05 GMT"), Reply::id("c1|1")]).await;
    assert_eq!(played.posted_id().await, "c1|1");
    assert_eq!(played.upstream.waits(), [seconds(5)]);
}

#[tokio::test]
async fn a_429_that_names_no_time_is_repeated_after_a_growing_wait() {
    let script = vec![busy("soon"), Reply::error(429, "TooManyRequests", "Slow down."), Reply::id("c1|1")];
    let played = Played::new(token(), script).await;
    assert_eq!(played.posted_id().await, "c1|1");
    let waits = played.upstream.waits();
    for (wait, most) in waits.iter().zip([250, 500]) {
        assert!(*wait >= Duration::from_millis(most / 2) && *wait <= Duration::from_millis(most), "{waits:?}");
    }
    assert_eq!(waits.len(), 2);
}

#[tokio::test]
async fn a_429_is_not_waited_for_longer_than_a_minute_altogether() {
    let played = Played::new(token(), vec![busy("86400"); 9]).await;
    let (words, doubtful) = played.failure().await;
    assert!(words.contains(": 429") && !doubtful, "{words}");
    assert_eq!(played.upstream.waits(), [seconds(30)], "each wait is cut, and so is the whole");
}

#[tokio::test]
async fn what_never_passes_is_given_up_after_five_tries() {
    let played = Played::new(token(), vec![busy("0"); 9]).await;
    played.failure().await;
    assert_eq!(played.upstream.calls().len(), 5);
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}
