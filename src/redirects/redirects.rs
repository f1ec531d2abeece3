//! Follows redirects.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use chrono::TimeDelta;
use futures_util::future::join_all;
use reqwest::header::{HeaderMap, LOCATION};
use reqwest::{Method, Request, StatusCode};
use tokio::time::timeout;
use url::Url;

use crate::clock::Clock;
use crate::egress::{Client, EgressError, EgressOptions};
use crate::expiring_map::ExpiringMap;
use crate::output::Records;
use crate::url::WebUrl;

/// The limits for following redirects. Sources beyond a limit keep the flag `redirect`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RedirectLimits {
    /// The maximum number of steps of one redirect.
    pub max_hops: usize,
    /// The maximum number of redirects of one answer that are followed.
    pub max_urls: usize,
    /// The time for one redirect.
    pub per_url: Duration,
    /// The time for all redirects of an answer.
    pub total: Duration,
    /// The maximum number of redirects that are remembered.
    pub max_remembered: usize,
    /// The time for which a redirect is remembered.
    pub remembered_for: TimeDelta,
}

impl Default for RedirectLimits {
    fn default() -> Self {
        Self {
            max_hops: 3,
            max_urls: 8,
            per_url: Duration::from_secs(2),
            total: Duration::from_secs(3),
            max_remembered: 10_000,
            remembered_for: TimeDelta::hours(24),
        }
    }
}

/// Follows redirects, and remembers their targets.
pub struct Redirects {
    client: Client,
    clock: Arc<dyn Clock>,
    limits: RedirectLimits,
    cache: Mutex<ExpiringMap<String, WebUrl>>,
}

impl fmt::Debug for Redirects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redirects").field("client", &self.client).field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl Redirects {
    /// Redirects that are followed with these options of outgoing connections.
    ///
    /// # Errors
    /// When the system has no certificates to trust.
    pub fn new(egress: EgressOptions, limits: RedirectLimits, clock: Arc<dyn Clock>) -> Result<Self, EgressError> {
        let options = EgressOptions {
            connect_timeout: egress.connect_timeout.min(limits.per_url),
            total_timeout: egress.total_timeout.min(limits.per_url),
            ..egress
        };
        let cache = Mutex::new(ExpiringMap::new(limits.max_remembered, limits.remembered_for));
        Ok(Self { client: Client::new(options)?, clock, limits, cache })
    }

    /// Puts the page in the place of each redirect whose end can be found out; the others stay flagged.
    pub async fn settle(&self, records: &mut Records) {
        let open: Vec<(usize, WebUrl)> = records.open_redirects().collect();
        if open.is_empty() {
            return;
        }
        let found = self.resolve(open.iter().map(|(_, url)| url)).await;
        for (at, redirect) in open {
            if let Some(page) = found.get(redirect.as_str()) {
                records.settle_redirect(at, page);
            }
        }
    }

    /// The targets of redirects, by their addresses, as far as they are found.
    async fn resolve(&self, redirects: impl Iterator<Item = &WebUrl>) -> BTreeMap<String, WebUrl> {
        let mut found = BTreeMap::new();
        let mut unknown: Vec<&WebUrl> = Vec::new();
        for redirect in redirects {
            if let Some(page) = self.remembered(redirect) {
                found.insert(redirect.as_str().to_owned(), page);
            } else if unknown.len() < self.limits.max_urls && !unknown.contains(&redirect) {
                unknown.push(redirect);
            }
        }
        // All at once, so that together they take no longer than the slowest of them.
        let within = self.limits.per_url.min(self.limits.total);
        let asked = unknown.into_iter().map(|redirect| async move {
            let page = timeout(within, self.follow(redirect)).await.ok().flatten()?;
            Some((redirect, page))
        });
        for (redirect, page) in join_all(asked).await.into_iter().flatten() {
            let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
            cache.insert_new(redirect.as_str().to_owned(), page.clone(), self.clock.now());
            found.insert(redirect.as_str().to_owned(), page);
        }
        found
    }

    fn remembered(&self, redirect: &WebUrl) -> Option<WebUrl> {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        cache.get(redirect.as_str(), self.clock.now()).cloned()
    }

    /// The page at the end of a redirect; `None` where it cannot be reached, or is too far.
    async fn follow(&self, redirect: &WebUrl) -> Option<WebUrl> {
        let mut at = Url::parse(redirect.as_str()).ok()?;
        for hops in 0..=self.limits.max_hops {
            let (status, headers) = self.ask(&at).await.ok()?;
            let Some(next) = location(&at, status, &headers) else {
                // A redirector that does not redirect has no page behind it.
                return (hops > 0).then(|| at.as_str().parse().ok()).flatten();
            };
            at = next;
        }
        None
    }

    /// Asks for the headers alone, of a server that understands it.
    async fn ask(&self, url: &Url) -> Result<(StatusCode, HeaderMap), EgressError> {
        let (status, headers) = self.client.fetch_head(Request::new(Method::HEAD, url.clone())).await?;
        match status {
            StatusCode::METHOD_NOT_ALLOWED | StatusCode::NOT_IMPLEMENTED => {
                self.client.fetch_head(Request::new(Method::GET, url.clone())).await
            }
            _ => Ok((status, headers)),
        }
    }
}

/// The target of a redirect; `None` for a response that is none.
fn location(at: &Url, status: StatusCode, headers: &HeaderMap) -> Option<Url> {
    let location = headers.get(LOCATION).filter(|_| status.is_redirection())?;
    // The scheme, and where the host is, is judged when it is called.
    at.join(std::str::from_utf8(location.as_bytes()).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::*;
    use crate::clock::ManualClock;
    use crate::output::Record;

    /// A server that gives these answers, each on a connection of its own, `{port}` in them being its own port; returns the
    /// port and, once all are given, the first lines of what it was sent.
    async fn serving(answers: &[&str]) -> (u16, tokio::task::JoinHandle<Vec<String>>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let mut answers: VecDeque<String> =
            answers.iter().map(|answer| answer.replace("{port}", &port.to_string())).collect();
        #[expect(clippy::disallowed_methods, reason = "the test waits for the task itself")]
        let served = tokio::spawn(async move {
            let mut seen = Vec::new();
            while let Some(answer) = answers.pop_front() {
                let (mut stream, _) = listener.accept().await.expect("a connection");
                let mut request = vec![0; 4096];
                let length = stream.read(&mut request).await.expect("a request");
                let request = String::from_utf8_lossy(&request[..length]).into_owned();
                seen.push(request.lines().next().unwrap_or_default().replace(" HTTP/1.1", ""));
                if answer == SILENCE {
                    // Open until the other side has had enough.
                    stream.read_to_end(&mut Vec::new()).await.ok();
                } else {
                    stream.write_all(answer.as_bytes()).await.expect("sent");
                    stream.shutdown().await.ok();
                }
            }
            seen
        });
        (port, served)
    }

    const SILENCE: &str = "silence";
    const PAGE: &str = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

    fn to(location: &str) -> String {
        format!("HTTP/1.1 302 Found\r\nconnection: close\r\ncontent-length: 0\r\nlocation: {location}\r\n\r\n")
    }

    fn redirects(allow: &str, limits: RedirectLimits) -> Redirects {
        let egress = EgressOptions { allow: allow.parse().expect("hosts"), ..EgressOptions::default() };
        let clock = ManualClock::at("2026-01-01T00:00:00Z".parse().expect("a time"));
        Redirects::new(egress, limits, Arc::new(clock)).expect("a client")
    }

    async fn resolve(redirects: &Redirects, urls: &[String]) -> Vec<Option<String>> {
        let urls: Vec<WebUrl> = urls.iter().map(|url| url.parse().expect("an address")).collect();
        let found = redirects.resolve(urls.iter()).await;
        urls.iter().map(|url| found.get(url.as_str()).map(|page| page.as_str().to_owned())).collect()
    }

    #[tokio::test]
    async fn hops_are_followed_by_hand_with_head_and_remembered() {
        let (port, served) = serving(&[&to("/second"), &to("http://127.0.0.1:{port}/page?a=1"), PAGE]).await;
        let redirects = redirects("127.0.0.1", RedirectLimits::default());
        let (first, page) = (format!("http://127.0.0.1:{port}/first"), format!("http://127.0.0.1:{port}/page?a=1"));
        assert_eq!(resolve(&redirects, std::slice::from_ref(&first)).await, [Some(page.clone())]);
        assert_eq!(served.await.expect("served"), ["HEAD /first", "HEAD /second", "HEAD /page?a=1"]);
        // The server is gone.
        assert_eq!(resolve(&redirects, &[first]).await, [Some(page)]);
    }

    #[tokio::test]
    async fn get_takes_the_place_of_head_where_that_is_not_understood() {
        let refused = "HTTP/1.1 405 Method Not Allowed\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
        let unknown = "HTTP/1.1 501 Not Implemented\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
        let (port, served) = serving(&[refused, &to("/page"), unknown, PAGE]).await;
        let found =
            resolve(&redirects("127.0.0.1", RedirectLimits::default()), &[format!("http://127.0.0.1:{port}/r")]).await;
        assert_eq!(found, [Some(format!("http://127.0.0.1:{port}/page"))]);
        assert_eq!(served.await.expect("served"), ["HEAD /r", "GET /r", "HEAD /page", "GET /page"]);
    }

    #[tokio::test]
    async fn more_than_three_hops_lead_nowhere() {
        for (hops, found) in [(3, true), (4, false)] {
            let mut answers = vec![to("/on"); hops];
            answers.extend(found.then(|| PAGE.to_owned()));
            let (port, served) = serving(&answers.iter().map(String::as_str).collect::<Vec<_>>()).await;
            let redirects = redirects("127.0.0.1", RedirectLimits::default());
            let pages = resolve(&redirects, &[format!("http://127.0.0.1:{port}/")]).await;
            assert_eq!(pages[0].is_some(), found, "{hops} hops");
            assert_eq!(served.await.expect("served").len(), 4);
        }
    }

    #[tokio::test]
    async fn no_hop_leads_to_a_private_address_or_another_scheme() {
        for target in [
            "http://127.0.0.2/",
            "http://169.254.169.254/latest",
            "http://[::1]/",
            "http://localhost/",
            "file:///etc/x",
            "ftp://x.example/",
        ] {
            let (port, served) = serving(&[&to(target)]).await;
            let redirects = redirects("127.0.0.1", RedirectLimits::default());
            assert_eq!(resolve(&redirects, &[format!("http://127.0.0.1:{port}/")]).await, [None], "{target}");
            assert_eq!(served.await.expect("served"), ["HEAD /"], "{target}");
        }
        // The redirect itself is judged as well.
        let nowhere = redirects("", RedirectLimits::default());
        assert_eq!(resolve(&nowhere, &["http://127.0.0.1:9/".to_owned()]).await, [None]);
    }

    #[tokio::test]
    async fn a_slow_redirect_is_given_up_and_the_others_are_not() {
        let (slow, given_up) = serving(&[SILENCE]).await;
        let (quick, served) = serving(&[&to("/page"), PAGE]).await;
        let limits = RedirectLimits::default();
        let urls = [slow, quick].map(|port| format!("http://127.0.0.1:{port}/"));
        let found = resolve(&redirects("127.0.0.1", limits), &urls).await;
        assert_eq!(found, [None, Some(format!("{}page", urls[1]))]);
        assert_eq!((given_up.await.expect("served").len(), served.await.expect("served").len()), (1, 2));
    }

    #[tokio::test]
    async fn what_is_over_the_limit_stays_flagged_and_one_address_is_asked_once() {
        let (port, served) = serving(&[&to("/page"), PAGE]).await;
        let limits = RedirectLimits { max_urls: 1, ..RedirectLimits::default() };
        let url = |path: &str| Some(format!("http://127.0.0.1:{port}/{path}"));
        let record = |path, redirect| {
            let mut record = Record::default();
            (record.url, record.redirect) = (url(path), redirect);
            record
        };
        let sources = vec![record("a", true), record("b", false), record("a", true), record("c", true)];
        let mut records = Records { sources, ..Records::default() };
        redirects("127.0.0.1", limits).settle(&mut records).await;
        let left: Vec<_> = records.sources.iter().map(|record| (record.url.clone(), record.redirect)).collect();
        assert_eq!(left, [(url("page"), false), (url("b"), false), (url("page"), false), (url("c"), true)]);
        assert_eq!(records.sources[0].source_domain.as_deref(), Some("127.0.0.1"));
        assert_eq!(served.await.expect("served").len(), 2);
    }

    #[tokio::test]
    async fn a_redirector_that_does_not_redirect_has_no_page() {
        let (port, served) = serving(&[PAGE]).await;
        let redirects = redirects("127.0.0.1", RedirectLimits::default());
        assert_eq!(resolve(&redirects, &[format!("http://127.0.0.1:{port}/")]).await, [None]);
        assert_eq!(served.await.expect("served"), ["HEAD /"]);
    }
}
