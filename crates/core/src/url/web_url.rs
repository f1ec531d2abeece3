//! A web address, and what its parts say.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::str::FromStr;
use std::sync::Arc;

use percent_encoding::percent_decode_str;
use url::Url;

use super::serialized::read_serialized;

/// An absolute `http` or `https` address with a host, in its
/// [WHATWG serialization](https://url.spec.whatwg.org/#url-serializing).
///
/// User and password are removed: `https://bank.example@evil.example/` deceives readers, and they must not see a password. A
/// clone is cheap (reference-counted), because an address goes from a source to its definition, its claim and the report.
#[derive(Clone)]
pub struct WebUrl {
    pub(super) text: Arc<str>,
    /// Byte range of the host in `text`.
    pub(super) host: Range<usize>,
    /// Whether all bytes are known to be [`ORDINARY`](super::serialized::ORDINARY). `false` means unknown.
    pub(super) ordinary: bool,
}

impl PartialEq for WebUrl {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for WebUrl {}

impl Hash for WebUrl {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

/// Why a text is not a [`WebUrl`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidWebUrl {
    /// The address has a scheme other than `http` and `https`, for example `javascript:`, `file:` or `gs:`.
    #[error("an address with the scheme {scheme:?} is not shown; only http and https are")]
    Scheme {
        /// The scheme, in lower case.
        scheme: String,
    },
    /// The text is no absolute address: a file name, a path, or empty.
    #[error("not an absolute address")]
    NotAbsolute,
}

impl FromStr for WebUrl {
    type Err = InvalidWebUrl;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Some((host, ordinary)) = read_serialized(text) {
            return Ok(Self { text: text.into(), host, ordinary });
        }
        match Url::parse(text.trim()) {
            Ok(mut url) if matches!(url.scheme(), "http" | "https") && url.has_host() => {
                remove_user(&mut url);
                Ok(Self::of(&url))
            }
            Ok(url) => Err(InvalidWebUrl::Scheme { scheme: url.scheme().to_owned() }),
            Err(_) => Err(InvalidWebUrl::NotAbsolute),
        }
    }
}

/// The ends of the hosts of [Azure AI Search](https://learn.microsoft.com/azure/search/search-create-service-portal) in each
/// cloud.
const SEARCH_SERVICES: [&str; 4] =
    [".search.windows.net", ".search.azure.us", ".search.azure.cn", ".search.microsoftazure.de"];

/// The longest file name extension, without the dot.
const MAX_EXTENSION_BYTES: usize = 8;

impl WebUrl {
    fn of(url: &Url) -> Self {
        let at = |position| url[..position].len();
        let host = at(url::Position::BeforeHost)..at(url::Position::AfterHost);
        Self { text: url.as_str().into(), host, ordinary: false }
    }

    /// The WHATWG serialization. For Markdown definitions, use [`markdown`](Self::markdown).
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The host without `www.`: lower case, and punycode for non-ASCII names.
    #[must_use]
    pub fn host(&self) -> &str {
        let host = &self.text[self.host.clone()];
        host.strip_prefix("www.").unwrap_or(host)
    }

    /// Whether it is the address of a search service, an index or a knowledge base of Azure AI Search: programs ask there, and
    /// readers cannot.
    pub(crate) fn is_service(&self) -> bool {
        let host = &self.text[self.host.clone()];
        SEARCH_SERVICES.iter().any(|service| host.ends_with(service))
            || matches!(self.last_part(), Some("mcp" | "retrieve")) && self.text.contains("/knowledgebases")
    }

    /// Whether its path ends like that of a server of MCP, `/mcp`.
    pub(crate) fn is_mcp(&self) -> bool {
        self.last_part() == Some("mcp")
    }

    /// Whether a label says no more than the address: it is its host or the domain above, or the address itself or its
    /// beginning, without regard to case, scheme, `www.` and blanks. `Example.com`, `x.example/hr…`
    pub(crate) fn is_said_by(&self, label: &str) -> bool {
        let bare = |text: &str| {
            let text: String = text.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect();
            let text = text.split_once("://").map_or(text.as_str(), |(_, rest)| rest);
            text.strip_prefix("www.").unwrap_or(text).trim_end_matches('/').to_owned()
        };
        let said = bare(label);
        let beginning = said.strip_suffix('…').or_else(|| said.strip_suffix("...")).unwrap_or(&said);
        let is_domain = self.host().strip_suffix(said.as_str()).is_some_and(|sub| sub.is_empty() || sub.ends_with('.'));
        said.contains('.') && (is_domain || bare(&self.text) == said)
            || beginning.len() < said.len() && beginning.contains('.') && bare(&self.text).starts_with(beginning)
    }

    /// Whether the host is in `hosts`, which are in lower case. `www.` is not removed.
    pub(crate) fn is_on(&self, hosts: &BTreeSet<String>) -> bool {
        hosts.contains(&self.text[self.host.clone()])
    }

    /// The file name at the end of the path, percent-decoded: `Leave policy.pdf` for `/hr/Leave%20policy.pdf`, without folders,
    /// query and fragment. A name whose percent encoding is no UTF-8 stays encoded.
    ///
    /// A file name has an extension of at most eight ASCII letters or digits with at least one letter; so `settings` and `v1.0`
    /// give `None`.
    #[must_use]
    pub fn file_name(&self) -> Option<Cow<'_, str>> {
        let part = self.last_part()?;
        let name = match percent_decode_str(part).decode_utf8().unwrap_or(part.into()) {
            Cow::Borrowed(name) => Cow::Borrowed(last_of_path(name)?),
            // Blob stores also encode the slashes between folders.
            Cow::Owned(path) => Cow::Owned(last_of_path(&path)?.to_owned()),
        };
        let (stem, extension) = name.rsplit_once('.')?;
        let is_extension = extension.len() <= MAX_EXTENSION_BYTES
            && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && extension.bytes().any(|byte| byte.is_ascii_alphabetic());
        (is_extension && !stem.is_empty()).then_some(name)
    }

    /// The last part of the path, percent-encoded, if it names a file: `Leave%20policy.pdf`.
    #[must_use]
    pub fn encoded_file_name(&self) -> Option<&str> {
        self.last_part().filter(|_| self.file_name().is_some())
    }

    /// The last part of the path; `None` when the path ends with `/`.
    pub(super) fn last_part(&self) -> Option<&str> {
        let behind = &self.text[self.host.end..];
        let path = memchr::memchr2(b'?', b'#', behind.as_bytes()).map_or(behind, |end| &behind[..end]);
        path.rsplit_once('/').map(|(_, name)| name).filter(|name| !name.is_empty())
    }
}

/// The address without user and password; `None` when it has neither, or is no absolute address.
pub(crate) fn without_user(address: &str) -> Option<String> {
    if !address.contains('@') {
        return None;
    }
    let mut url = Url::parse(address.trim()).ok()?;
    remove_user(&mut url).then(|| url.into())
}

/// Removes user and password; returns whether there were any.
pub(super) fn remove_user(url: &mut Url) -> bool {
    let names_user = !url.username().is_empty() || url.password().is_some();
    // Setting fails only for addresses without a host, and those have no user.
    names_user && url.set_username("").is_ok() && url.set_password(None).is_ok()
}

/// The last part of a path that is not blank, trimmed. Both `/` and `\` separate parts.
pub(crate) fn last_of_path(path: &str) -> Option<&str> {
    path.rsplit(['/', '\\']).map(str::trim).find(|part| !part.is_empty())
}
