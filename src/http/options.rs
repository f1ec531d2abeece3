//! The options of the server.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use url::Url;

use super::EmbedOptions;
use super::admission::{ApiKey, HostNames, LimitOptions, TrustedProxies};
use crate::answer::LabelCatalog;
use crate::ingest::Mappings;
use crate::output::{ChatForm, Redirectors};
use crate::secret::Secret;

/// The options of the HTTP server.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// The address to listen on; port 0 takes a free one.
    pub bind: SocketAddr,
    /// Worker threads; 0 takes one for each core.
    pub workers: usize,
    /// The number of connections that are served at one time; more wait until one of them ends.
    pub max_connections: usize,
    /// The keys of `/v1`; that which opens everything comes first.
    pub keys: Vec<ApiKey>,
    /// The secret of Direct Line, from which the key that signs tokens follows.
    pub direct_line_secret: Secret,
    /// The other secret, while the secret is exchanged: it opens the same, and its signatures are valid.
    pub second_direct_line_secret: Option<Secret>,
    /// The address by which clients reach this server, when that is not the one in `Host`.
    pub public_url: Option<PublicUrl>,
    /// The proxies whose `X-Forwarded-Proto`, `X-Forwarded-Host` and `X-Forwarded-For` are believed. They must set all three.
    pub trusted_proxies: TrustedProxies,
    /// Names besides that of the public URL under which the page is served.
    pub allowed_hosts: HostNames,
    /// The rate limits of callers.
    pub limits: LimitOptions,
    /// The size of a request body on `/v1` and of the page, in bytes.
    pub max_body_bytes: usize,
    /// The longest time for a client to send a request body, or the next bytes of an answer that is shown while it
    /// comes.
    pub body_timeout: Duration,
    /// Serve the page with Web Chat.
    pub page: bool,
    /// Whether the page takes answers to convert.
    pub page_answers: bool,
    /// The JSON schema of an assistant, from which the settings page makes its form. Without it, there is no such page.
    pub admin_schema: Option<Arc<str>>,
    /// The form of the citations of chat completions that name none.
    pub chat_citations: ChatForm,
    /// Rights of pages of other sites.
    pub embed: EmbedOptions,
    /// The file with the Web Chat bundle.
    pub webchat_js: Option<PathBuf>,
    /// The time after which conversations in which nothing happened are deleted.
    pub retention: Duration,
    /// The time for which a server that is to end goes on serving after `/readyz` has said so, while no answer is
    /// begun: a proxy takes a while to notice.
    pub drain: Duration,
    /// The longest wait of a shutdown for requests that are being answered.
    pub shutdown_grace: Duration,
    /// The time between comments in a stream of server-sent events that has no events.
    pub comment_every: Duration,
    /// The sensitivity labels of the organisation.
    pub labels: Arc<LabelCatalog>,
    /// The formats that the configuration describes.
    pub formats: Mappings,
    /// The addresses that only lead to a source.
    pub redirectors: Arc<Redirectors>,
}

impl HttpOptions {
    /// The defaults, with the secrets that have none.
    #[must_use]
    pub fn new(bind: SocketAddr, api_key: Secret, direct_line_secret: Secret) -> Self {
        Self {
            bind,
            workers: 0,
            max_connections: 50_000,
            keys: vec![ApiKey::single(api_key)],
            direct_line_secret,
            second_direct_line_secret: None,
            public_url: None,
            trusted_proxies: TrustedProxies::default(),
            allowed_hosts: HostNames::default(),
            limits: LimitOptions::default(),
            max_body_bytes: 16 * 1024 * 1024,
            body_timeout: Duration::from_secs(60),
            page: true,
            page_answers: bind.ip().is_loopback(),
            admin_schema: None,
            chat_citations: ChatForm::default(),
            embed: EmbedOptions::default(),
            webchat_js: None,
            retention: Duration::from_secs(24 * 60 * 60),
            drain: Duration::ZERO,
            shutdown_grace: Duration::from_secs(10),
            comment_every: Duration::from_secs(15),
            labels: Arc::default(),
            formats: Mappings::default(),
            redirectors: Arc::default(),
        }
    }
}

impl HttpOptions {
    /// The key of the API that the credential is.
    pub(crate) fn key(&self, credential: &str) -> Option<&ApiKey> {
        self.keys.iter().find(|key| key.matches(credential))
    }

    /// Whether the credential is a secret of Direct Line.
    pub(crate) fn is_direct_line_secret(&self, credential: &str) -> bool {
        let second = self.second_direct_line_secret.as_ref();
        self.direct_line_secret.matches(credential) || second.is_some_and(|secret| secret.matches(credential))
    }

    /// Whether others can reach the page, and no name is set under which it is served.
    #[must_use]
    pub fn is_page_without_a_name(&self) -> bool {
        self.page && !self.bind.ip().is_loopback() && self.public_url.is_none() && self.allowed_hosts.is_empty()
    }
}

/// The URL of this server for clients: `https://bot.example`, with a path if a proxy adds one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicUrl(Url);

/// The text is not a valid public URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a public URL must be an absolute http or https URL without user, query and fragment")]
pub struct InvalidPublicUrl;

impl FromStr for PublicUrl {
    type Err = InvalidPublicUrl;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let url = Url::parse(text).map_err(|_| InvalidPublicUrl)?;
        let plain = url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() || !plain || url.password().is_some() {
            return Err(InvalidPublicUrl);
        }
        Ok(Self(url))
    }
}

impl PublicUrl {
    /// The address for WebSockets, without a slash at the end.
    #[must_use]
    pub fn web_socket_base(&self) -> String {
        let url = self.0.as_str().trim_end_matches('/');
        // http becomes ws, https becomes wss.
        url.replacen("http", "ws", 1)
    }

    /// The address as text, without a slash at the end.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str().trim_end_matches('/')
    }

    /// Host and port, as a browser writes them into `Host`.
    #[must_use]
    pub fn authority(&self) -> String {
        let host = self.0.host_str().unwrap_or_default();
        self.0.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sockets_use_the_scheme_that_goes_with_the_public_url() {
        let base = |text: &str| text.parse::<PublicUrl>().expect("a URL").web_socket_base();
        assert_eq!(base("https://bot.example"), "wss://bot.example");
        assert_eq!(base("http://httpd.example:8080/chat/"), "ws://httpd.example:8080/chat");
    }

    #[test]
    fn what_is_no_public_url_is_refused() {
        for bad in ["", "bot.example", "ftp://bot.example", "https://u:p@bot.example", "https://bot.example/?a=1"] {
            assert_eq!(bad.parse::<PublicUrl>(), Err(InvalidPublicUrl), "{bad:?}");
        }
    }
}
