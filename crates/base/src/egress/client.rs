//! The HTTP client of all outgoing calls.

use std::error::Error;
use std::fmt;

use reqwest::header::HeaderMap;
use reqwest::redirect::Policy;
use reqwest::{Request, Response, StatusCode, Url};

use super::judging::judge;
use super::resolver::JudgingResolver;
use super::{EgressError, EgressOptions};

const USER_AGENT: &str = concat!("citewire/", env!("CARGO_PKG_VERSION"));

/// Makes calls to addresses that are public or allowed. Cheap to clone; clones share their connections.
///
/// Redirects are not followed: they come back as answers. Proxies that the environment names are not used, because they
/// would look names up by themselves.
#[derive(Clone)]
pub struct Client {
    inner: reqwest::Client,
    options: EgressOptions,
}

/// A complete response.
#[derive(Clone, Debug)]
pub struct Fetched {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body, no longer than [`EgressOptions::max_answer_bytes`].
    pub body: Vec<u8>,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("options", &self.options).finish_non_exhaustive()
    }
}

impl Client {
    /// A client.
    ///
    /// # Errors
    /// When the system has no certificates to trust.
    pub fn new(options: EgressOptions) -> Result<Self, EgressError> {
        let inner = reqwest::Client::builder()
            .dns_resolver(JudgingResolver::new(options.allow.clone()))
            .connect_timeout(options.connect_timeout)
            .redirect(Policy::none())
            .referer(false)
            .no_proxy()
            // Callers decide whether to make a call again.
            .retry(reqwest::retry::never())
            .user_agent(USER_AGENT)
            .build()
            .map_err(EgressError::Setup)?;
        Ok(Self { inner, options })
    }

    /// The options that it was made with.
    #[must_use]
    pub fn options(&self) -> &EgressOptions {
        &self.options
    }

    /// Makes a call and reads the whole answer, whatever its status.
    ///
    /// # Errors
    /// When the address is refused, or no whole answer comes in time.
    pub async fn fetch(&self, request: Request) -> Result<Fetched, EgressError> {
        let host = request.url().host_str().unwrap_or_default().to_owned();
        let mut response = self.call(request).await?;
        let limit = self.options.max_answer_bytes;
        let too_long = || EgressError::TooLong { host: host.clone(), limit };
        if response.content_length().is_some_and(|length| usize::try_from(length).map_or(true, |length| length > limit))
        {
            return Err(too_long());
        }
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| failure(error, &host))? {
            if body.len() + chunk.len() > limit {
                return Err(too_long());
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Fetched { status: response.status(), headers: std::mem::take(response.headers_mut()), body })
    }

    /// Makes a call and reads the status and the headers of the answer; whatever else it holds is left unread.
    ///
    /// # Errors
    /// When the address is refused, or no answer comes in time.
    pub async fn fetch_head(&self, request: Request) -> Result<(StatusCode, HeaderMap), EgressError> {
        let mut response = self.call(request).await?;
        Ok((response.status(), std::mem::take(response.headers_mut())))
    }

    /// Makes a call with a limit of time for all of it.
    async fn call(&self, mut request: Request) -> Result<Response, EgressError> {
        request.timeout_mut().get_or_insert(self.options.total_timeout);
        self.execute(request).await
    }

    /// Makes a call for which its maker keeps the time.
    pub(super) async fn execute(&self, request: Request) -> Result<Response, EgressError> {
        let url = request.url().clone();
        self.judge(&url)?;
        self.inner.execute(request).await.map_err(|error| failure(error, url.host_str().unwrap_or_default()))
    }

    /// An address in the URL itself is never looked up, so the resolver does not see it.
    fn judge(&self, url: &Url) -> Result<(), EgressError> {
        judge(&self.options.allow, url)
    }
}

/// Translates an error of the library. Its own words name the URL, which may hold what is nobody's business.
pub(super) fn failure(error: reqwest::Error, host: &str) -> EgressError {
    let host = host.to_owned();
    let error = error.without_url();
    match judged(&error) {
        Some(EgressError::Refused { host, address, kind }) => {
            EgressError::Refused { host: host.clone(), address: *address, kind: *kind }
        }
        Some(EgressError::UnknownHost { host }) => EgressError::UnknownHost { host: host.clone() },
        _ if error.is_connect() => EgressError::Connect { host, cause: error },
        _ if error.is_timeout() => EgressError::Timeout { host },
        _ => EgressError::Broken { host, cause: error },
    }
}

/// The verdict of the resolver, when that is what the error goes back to.
fn judged(error: &reqwest::Error) -> Option<&EgressError> {
    let mut source = error.source();
    while let Some(error) = source {
        if let Some(verdict) = error.downcast_ref() {
            return Some(verdict);
        }
        source = error.source();
    }
    None
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use reqwest::Method;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::{TcpListener, TcpSocket};

    use super::*;
    use crate::egress::AddressKind;

    fn client(allow: &str) -> Client {
        let options = EgressOptions {
            allow: allow.parse().expect("hosts"),
            max_answer_bytes: 1000,
            total_timeout: Duration::from_secs(20),
            ..EgressOptions::default()
        };
        Client::new(options).expect("a client")
    }

    fn get(url: &str) -> Request {
        Request::new(Method::GET, url.parse().expect("a URL"))
    }

    /// A server that gives one answer; returns its port and, later, what it was sent.
    async fn answering(answer: &'static [u8]) -> (u16, impl Future<Output = String>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let served = async move {
            let (mut stream, _) = listener.accept().await.expect("a connection");
            let mut seen = vec![0; 4096];
            let length = stream.read(&mut seen).await.expect("a request");
            // A client that has seen enough may be gone.
            stream.write_all(answer).await.ok();
            stream.shutdown().await.ok();
            String::from_utf8_lossy(&seen[..length]).into_owned()
        };
        (port, served)
    }

    async fn kind_refused(allow: &str, url: &str) -> AddressKind {
        match client(allow).fetch(get(url)).await {
            Err(EgressError::Refused { kind, .. }) => kind,
            other => panic!("{url}: {other:?}"),
        }
    }

    #[tokio::test]
    async fn addresses_in_urls_are_judged_in_every_spelling() {
        for url in ["http://127.0.0.1:9/", "http://2130706433:9/", "http://0x7f.1:9/", "http://[::1]:9/"] {
            assert_eq!(kind_refused("", url).await, AddressKind::Loopback, "{url}");
        }
        assert_eq!(kind_refused("", "http://[::ffff:a00:1]/").await, AddressKind::Private);
        assert_eq!(kind_refused("127.0.0.1", "http://169.254.169.254/").await, AddressKind::LinkLocal);
    }

    #[tokio::test]
    async fn names_are_judged_by_where_they_lead() {
        assert_eq!(kind_refused("", "http://localhost:9/").await, AddressKind::Loopback);
    }

    #[tokio::test]
    async fn an_allowed_host_is_called_and_told_who_calls() {
        let (port, served) = answering(b"HTTP/1.1 201 Created\r\ncontent-length: 2\r\n\r\nok").await;
        let client = client("localhost");
        let url = format!("http://localhost:{port}/x");
        let (fetched, seen) = tokio::join!(client.fetch(get(&url)), served);
        let fetched = fetched.expect("an answer");
        assert_eq!((fetched.status, fetched.body.as_slice()), (StatusCode::CREATED, b"ok".as_slice()));
        assert!(seen.contains(concat!("user-agent: citewire/", env!("CARGO_PKG_VERSION"))), "{seen}");
    }

    #[tokio::test]
    async fn a_redirect_is_an_answer_like_any_other() {
        let (port, served) = answering(
            b"HTTP/1.1 307 Temporary Redirect\r\nlocation: http://169.254.169.254/\r\ncontent-length: 0\r\n\r\n",
        )
        .await;
        let client = client("127.0.0.1");
        let (fetched, _) = tokio::join!(client.fetch(get(&format!("http://127.0.0.1:{port}/"))), served);
        assert_eq!(fetched.expect("an answer").status, StatusCode::TEMPORARY_REDIRECT);
    }

    #[tokio::test]
    async fn an_answer_that_is_too_long_is_not_read() {
        let long: &[u8] = Box::leak([b"HTTP/1.1 200 OK\r\n\r\n".as_slice(), &[b'x'; 2000]].concat().into_boxed_slice());
        for answer in [long, b"HTTP/1.1 200 OK\r\ncontent-length: 1001\r\n\r\nx"] {
            let (port, served) = answering(answer).await;
            let client = client("127.0.0.1");
            let (fetched, _) = tokio::join!(client.fetch(get(&format!("http://127.0.0.1:{port}/"))), served);
            assert!(matches!(fetched, Err(EgressError::TooLong { limit: 1000, .. })), "{fetched:?}");
        }
    }

    #[tokio::test]
    async fn a_connection_that_ends_early_is_broken_and_one_that_never_was_is_another_thing() {
        let (port, served) = answering(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc").await;
        let client = client("127.0.0.1");
        let url = format!("http://127.0.0.1:{port}/");
        let (fetched, _) = tokio::join!(client.fetch(get(&url)), served);
        assert!(
            matches!(&fetched, Err(error @ EgressError::Broken { .. }) if !error.nothing_was_sent()),
            "{fetched:?}"
        );
        // Taken, but nobody listens there.
        let silent = TcpSocket::new_v4().expect("a socket");
        silent.bind("127.0.0.1:0".parse().expect("an address")).expect("a port");
        let fetched = client.fetch(get(&format!("http://{}/", silent.local_addr().expect("an address")))).await;
        assert!(
            matches!(&fetched, Err(error @ EgressError::Connect { .. }) if error.nothing_was_sent()),
            "{fetched:?}"
        );
    }

    #[tokio::test]
    async fn only_http_is_spoken() {
        let fetched = client("").fetch(get("ftp://bot.example/")).await;
        assert!(matches!(fetched, Err(EgressError::Scheme)), "{fetched:?}");
    }
}
