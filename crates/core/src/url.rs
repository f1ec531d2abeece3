//! Web addresses of sources: the only addresses that reach a claim or a definition (policy P-07).

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::fmt::Write as _;
use std::hash::{Hash, Hasher};
use std::num::NonZeroU32;
use std::ops::Range;
use std::str::FromStr;
use std::sync::Arc;

use percent_encoding::percent_decode_str;
use url::Url;

use crate::text::ByteSet;

/// An absolute `http` or `https` address with a host, in its
/// [WHATWG serialization](https://url.spec.whatwg.org/#url-serializing).
///
/// User and password are removed: `https://bank.example@evil.example/` deceives readers, and they must not see a password. A
/// clone is cheap (reference-counted), because an address goes from a source to its definition, its claim and the report.
#[derive(Clone)]
pub struct WebUrl {
    text: Arc<str>,
    /// Byte range of the host in `text`.
    host: Range<usize>,
    /// Whether all bytes are known to be [`ORDINARY`]. `false` means unknown.
    ordinary: bool,
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

/// The most sentences that an address names by text directives.
pub(crate) const MAX_DIRECTIVES: usize = 3;

/// The text between two text directives.
pub(crate) const DIRECTIVE_PARTING: &str = "&text=";

/// The longest text directives of an address together, in bytes.
pub(crate) const MAX_DIRECTIVE_BYTES: usize = 1_000 - ":~:text=".len();

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
            || memchr::memmem::find(self.text.as_bytes(), b"/knowledgebases").is_some()
                && (self.is_mcp() || self.last_part() == Some("retrieve"))
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
    fn last_part(&self) -> Option<&str> {
        let behind = &self.text[self.host.end..];
        let path = behind.find(['?', '#']).map_or(behind, |end| &behind[..end]);
        path.rsplit_once('/').map(|(_, name)| name).filter(|name| !name.is_empty())
    }

    /// Whether a Markdown link can lead to this address: its host is no IPv6 address. Every Markdown engine encodes the
    /// brackets of an IPv6 host as `%5B` and `%5D`, and the result is no valid host.
    #[must_use]
    pub fn is_linkable(&self) -> bool {
        !self.host().starts_with('[')
    }

    /// The address in a form that every Markdown engine of Web Chat reads as the same address.
    ///
    /// It is ASCII with the host in punycode. Only `A-Z a-z 0-9 ; / ? : @ & = + $ , - _ . ! ~ * ' #` and well-formed `%HH`
    /// stay; everything else is percent-encoded, and so is a `;` that would end an HTML entity (`docs/guides/web-chat.md`,
    /// rule 6). The brackets of an IPv6 host stay, because an encoded host would be invalid; such an address is not
    /// [linkable](Self::is_linkable).
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut out = String::with_capacity(self.text.len());
        self.write_markdown(&mut out);
        out
    }

    /// Like [`markdown`](Self::markdown), but shares the text if the address is known to need no changes.
    #[must_use]
    pub fn shared_markdown(&self) -> Arc<str> {
        if self.ordinary { Arc::clone(&self.text) } else { self.markdown().into() }
    }

    /// Like [`markdown`](Self::markdown), but appends to `out`.
    pub fn write_markdown(&self, out: &mut String) {
        let text = self.as_str();
        let host_end = self.host.end;
        let bytes = text.as_bytes();
        if self.ordinary || bytes.iter().all(|byte| ORDINARY.holds(*byte)) {
            return out.push_str(text);
        }
        // Offset in `out` behind the last `&`, while only letters, digits and `#` follow it: a `;` would then end an entity.
        let mut entity_from: Option<usize> = None;
        for (at, &byte) in bytes.iter().enumerate() {
            let plain = match byte {
                b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' => true,
                b'[' | b']' => at < host_end,
                b';' => entity_from.is_none_or(|from| out.len() <= from),
                b'%' => bytes.get(at + 1..at + 3).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit)),
                _ => b"/?:@&=+$,-_.!~*'#".contains(&byte),
            };
            if plain {
                out.push(char::from(byte));
            } else {
                // Writing to a String cannot fail.
                let _ = write!(out, "%{byte:02X}");
            }
            entity_from = match byte {
                b'&' => Some(out.len()),
                b'#' => entity_from,
                _ if byte.is_ascii_alphanumeric() => entity_from,
                _ => None,
            };
        }
    }

    /// The key that the addresses of one document share (rule N-03): the address without fragment and tracking parameters
    /// ([`Tracking::Usual`]). Scheme and host are in lower case, and an empty path equals `/`. Other parameters and their order
    /// count.
    #[must_use]
    pub fn merge_key(&self) -> Cow<'_, str> {
        self.merge_key_under(Tracking::Usual)
    }

    /// Like [`merge_key`](Self::merge_key), with the given set of tracking parameters.
    #[must_use]
    pub fn merge_key_under(&self, tracking: Tracking) -> Cow<'_, str> {
        let end = memchr::memchr(b'#', self.text.as_bytes()).unwrap_or(self.text.len());
        let document = &self.text[..end];
        let Some((path, query)) = document.split_once('?') else { return document.into() };
        let is_kept = |pair: &&str| {
            let name = pair.split('=').next().unwrap_or_default();
            !tracking.holds(&name.to_ascii_lowercase())
        };
        if !query.is_empty() && query.split('&').all(|pair| is_kept(&pair)) {
            return document.into();
        }
        let kept: Vec<&str> = query.split('&').filter(is_kept).collect();
        let kept = kept.join("&");
        if kept.is_empty() { path.into() } else { format!("{path}?{kept}").into() }
    }

    /// Like [`merge_key_under`](Self::merge_key_under), but shares the text if the key equals the address.
    pub(crate) fn shared_merge_key(&self, tracking: Tracking) -> Arc<str> {
        match self.merge_key_under(tracking) {
            Cow::Borrowed(key) if key.len() == self.text.len() => Arc::clone(&self.text),
            key @ (Cow::Borrowed(_) | Cow::Owned(_)) => key.into(),
        }
    }

    /// The address with the fragment `#page=n`, which opens a page of a PDF. It replaces any other fragment.
    #[must_use]
    pub fn with_page(&self, page: NonZeroU32) -> Self {
        let document = self.text.split_once('#').map_or(&*self.text, |(document, _)| document);
        Self { text: format!("{document}#page={page}").into(), host: self.host.clone(), ordinary: false }
    }

    /// The address of a claim whose document shares it with another claim: `/p#:~:cite=2`. Browsers cut such a
    /// [directive](https://wicg.github.io/scroll-to-text-fragment/#the-fragment-directive) off before they open the page.
    pub(crate) fn as_claim(&self, number: impl fmt::Display) -> Self {
        let parting = match self.fragment() {
            None => "#:~:",
            Some(fragment) if fragment.contains(":~:") => "&",
            Some(_) => ":~:",
        };
        Self { text: format!("{}{parting}cite={number}", self.text).into(), host: self.host.clone(), ordinary: false }
    }

    /// The address, if it has no query and no directive: [`Display`](fmt::Display) masks only secrets in queries, and leaves out
    /// directives.
    pub(crate) fn open(&self) -> Option<&str> {
        (!self.text.contains('?') && !self.text.contains(":~:")).then_some(&*self.text)
    }

    /// The address with [text directives](https://wicg.github.io/scroll-to-text-fragment/#syntax), which have the browser mark
    /// sentences of its page: the first ones that fit. An address that has directives keeps them. One whose fragment is a place in
    /// a program of the page stays as it is, because a browser that does not know directives would lose the place.
    #[must_use]
    pub fn with_directives<'d>(&self, directives: impl IntoIterator<Item = &'d str>) -> Self {
        let fragment = self.fragment();
        if fragment.is_some_and(|fragment| fragment.starts_with(['/', '!']) || fragment.contains(":~:")) {
            return self.clone();
        }
        let mut named = String::new();
        for (at, directive) in directives.into_iter().take(MAX_DIRECTIVES).enumerate() {
            let parting = if at > 0 { DIRECTIVE_PARTING } else { "" };
            if named.len() + parting.len() + directive.len() > MAX_DIRECTIVE_BYTES {
                break;
            }
            named.extend([parting, directive]);
        }
        if named.is_empty() {
            return self.clone();
        }
        let hash = if fragment.is_some() { "" } else { "#" };
        Self { text: format!("{}{hash}:~:text={named}", self.text).into(), host: self.host.clone(), ordinary: false }
    }

    /// The fragment, without `#`.
    #[must_use]
    pub fn fragment(&self) -> Option<&str> {
        self.text.split_once('#').map(|(_, fragment)| fragment)
    }

    /// The place in the document that the fragment names, without what only marks a
    /// [text](https://wicg.github.io/scroll-to-text-fragment/#syntax) there.
    pub(crate) fn anchor(&self) -> Option<&str> {
        let fragment = self.fragment()?;
        Some(fragment.split_once(":~:").map_or(fragment, |(anchor, _)| anchor)).filter(|anchor| !anchor.is_empty())
    }
}

/// An address without the directives of its fragment, which people need not read.
#[must_use]
pub fn without_directives(address: &str) -> &str {
    let Some(at) = address.find('#') else { return address };
    let Some(directives) = address[at..].find(":~:") else { return address };
    // Without a place before them, they are all of the fragment.
    &address[..if directives == 1 { at } else { at + directives }]
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
fn remove_user(url: &mut Url) -> bool {
    let names_user = !url.username().is_empty() || url.password().is_some();
    // Setting fails only for addresses without a host, and those have no user.
    names_user && url.set_username("").is_ok() && url.set_password(None).is_ok()
}

/// The last part of a path that is not blank, trimmed. Both `/` and `\` separate parts.
pub(crate) fn last_of_path(path: &str) -> Option<&str> {
    path.rsplit(['/', '\\']).map(str::trim).find(|part| !part.is_empty())
}

/// The query parameters that count as tracking: they tell where a reader came from, and do not select the document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tracking {
    /// `utm_*`, `fbclid` and `gclid`.
    #[default]
    Usual,
    /// Also `ref` and `source`, which some sites use to select content.
    RefToo,
}

impl Tracking {
    /// Whether a parameter is tracking. `name` is in lower case.
    fn holds(self, name: &str) -> bool {
        let usual = name.starts_with("utm_") || matches!(name, "fbclid" | "gclid");
        usual || self == Self::RefToo && matches!(name, "ref" | "source")
    }
}

/// Fast path for addresses that are certainly serialized already. Returns the byte range of the host, and whether all bytes
/// of the path are [`ORDINARY`]; `None` when the address needs a full parse, which costs several times more.
///
/// Accepted are a lower-case host of letters, digits, single hyphens and dots, without user and port, and a path and query
/// without anything to encode or resolve. Most addresses are of this kind.
fn read_serialized(text: &str) -> Option<(Range<usize>, bool)> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"))?;
    let start = text.len() - rest.len();
    let (host, path) = rest.as_bytes().split_at(memchr::memchr(b'/', rest.as_bytes())?);
    // Refused: punycode names, which have two hyphens in a row, and hosts whose last part begins with a digit (maybe IPv4).
    let (mut before, mut first) = (b'.', b'.');
    for &byte in host {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' if before == b'.' => first = byte,
            b'a'..=b'z' | b'0'..=b'9' => {}
            b'-' | b'.' if !matches!(before, b'-' | b'.') => {}
            _ => return None,
        }
        before = byte;
    }
    if matches!(before, b'-' | b'.') || !first.is_ascii_lowercase() {
        return None;
    }
    let mut ordinary = true;
    for &byte in path {
        // A path segment that begins with a dot, encoded or not, may be `.` or `..`.
        let is_dot = before == b'/' && matches!(byte, b'.' | b'%');
        let is_ordinary = ORDINARY.holds(byte) && byte != b'\'';
        if is_dot || !is_ordinary && !matches!(byte, b'%' | b'&' | b';' | b'(' | b')') {
            return None;
        }
        ordinary &= is_ordinary;
        before = byte;
    }
    Some((start..start + host.len(), ordinary))
}

/// Bytes that [`WebUrl::markdown`] never changes, whatever their neighbors.
static ORDINARY: ByteSet =
    ByteSet::of(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/?:@=+$,-_.!~*'");

/// For logs and messages: signatures and tokens in the query are written as `****`, and directives, which quote passages, are left
/// out.
impl fmt::Display for WebUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(text) = self.open() {
            return f.write_str(text);
        }
        // Every serialization can be parsed. If one could not, the whole address would be masked.
        let Ok(mut url) = Url::parse(without_directives(&self.text)) else { return f.write_str("****") };
        if let Some(query) = url.query() {
            const SECRET: [&str; 6] =
                ["sig", "signature", "token", "access_token", "x-amz-signature", "x-goog-signature"];
            let masked: Vec<String> = query
                .split('&')
                .map(|pair| match pair.split_once('=') {
                    Some((name, _)) if SECRET.contains(&name.to_ascii_lowercase().as_str()) => format!("{name}=****"),
                    _ => pair.to_owned(),
                })
                .collect();
            url.set_query(Some(&masked.join("&")));
        }
        f.write_str(url.as_str())
    }
}

impl fmt::Debug for WebUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WebUrl({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn markdown(text: &str) -> String {
        text.parse::<WebUrl>().expect("a web address").markdown()
    }

    #[test]
    fn an_address_is_written_with_characters_that_every_engine_leaves_alone() {
        for (given, written) in [
            ("https://contoso.com/a", "https://contoso.com/a"),
            ("https://contoso.com/a b", "https://contoso.com/a%20b"),
            ("https://contoso.com/f(1).pdf", "https://contoso.com/f%281%29.pdf"),
            ("https://contoso.com/Überblick", "https://contoso.com/%C3%9Cberblick"),
            ("https://bücher.example/", "https://xn--bcher-kva.example/"),
            ("https://contoso.com/a|b[c]{d}^`\"", "https://contoso.com/a%7Cb%5Bc%5D%7Bd%7D%5E%60%22"),
            ("https://contoso.com/100%", "https://contoso.com/100%25"),
            ("https://contoso.com/?a=1&copy;=2;b", "https://contoso.com/?a=1&copy%3B=2;b"),
            ("https://contoso.com/?a=1&copy=2", "https://contoso.com/?a=1&copy=2"),
            ("https://contoso.com/?a&#35;", "https://contoso.com/?a&#35%3B"),
            ("HTTPS://CONTOSO.com", "https://contoso.com/"),
            ("http://[::1]:80/[x]", "http://[::1]/%5Bx%5D"),
        ] {
            assert_eq!(markdown(given), written, "{given}");
        }
    }

    #[test]
    fn only_absolute_http_and_https_are_web_addresses() {
        assert_eq!("report.pdf".parse::<WebUrl>(), Err(InvalidWebUrl::NotAbsolute));
        assert_eq!("/docs/report.pdf".parse::<WebUrl>(), Err(InvalidWebUrl::NotAbsolute));
        assert_eq!(
            " java\nscript:alert(1)".parse::<WebUrl>(),
            Err(InvalidWebUrl::Scheme { scheme: "javascript".into() })
        );
        assert_eq!("gs://bucket/a".parse::<WebUrl>(), Err(InvalidWebUrl::Scheme { scheme: "gs".into() }));
    }

    /// Pieces of hosts, paths and queries, with the characters that the parsing rules treat specially.
    const PIECES: [&str; 32] = [
        "a", "b", "com", "www", "xn--", "xn", "-", "--", ".", "..", "1", "0x1", "127", "/", "//", "?", "#", "%", "%2e",
        "%2E", "%41", ":", ":80", "@", "&", ";", "'", "(", "\\", " ", "A", "é",
    ];

    proptest::proptest! {
        #[test]
        fn an_address_that_is_not_parsed_is_what_parsing_would_make_of_it(
            scheme in proptest::sample::select(&["http://", "https://", "HTTP://", "ftp://"][..]),
            pieces in proptest::collection::vec(proptest::sample::select(&PIECES[..]), 0..12),
        ) {
            let text = format!("{scheme}{}", pieces.concat());
            let Some((host, _)) = read_serialized(&text) else { return Ok(()) };
            let url = Url::parse(&text).expect("an address");
            proptest::prop_assert_eq!(url.as_str(), &text);
            proptest::prop_assert_eq!(url.host_str(), Some(&text[host]));
        }

        #[test]
        fn the_parts_of_an_address_are_those_that_parsing_finds(
            pieces in proptest::collection::vec(proptest::sample::select(&PIECES[..]), 0..12),
        ) {
            let text = format!("https://a{}", pieces.concat());
            let (Ok(ours), Ok(mut url)) = (text.parse::<WebUrl>(), Url::parse(&text)) else { return Ok(()) };
            remove_user(&mut url);
            proptest::prop_assert_eq!(ours.as_str(), url.as_str());
            proptest::prop_assert_eq!(Url::parse(ours.as_str()), Ok(url.clone()));
            let looked_at = WebUrl { ordinary: false, ..ours.clone() };
            proptest::prop_assert_eq!(&*ours.shared_markdown(), looked_at.markdown());
            let host = url.host_str().unwrap_or_default();
            proptest::prop_assert_eq!(ours.host(), host.strip_prefix("www.").unwrap_or(host));
            proptest::prop_assert_eq!(ours.fragment(), url.fragment());
            let name = url.path_segments().and_then(|mut parts| parts.next_back()).filter(|name| !name.is_empty());
            proptest::prop_assert_eq!(ours.last_part(), name);
            let mut document = url.clone();
            document.set_fragment(None);
            document.set_query(url.query().filter(|query| !query.is_empty()));
            proptest::prop_assert_eq!(ours.merge_key(), document.as_str());
            let (mut paged, third) = (url, ours.with_page(NonZeroU32::MIN.saturating_add(2)));
            paged.set_fragment(Some("page=3"));
            proptest::prop_assert_eq!(third.as_str(), paged.as_str());
        }
    }

    #[test]
    fn addresses_of_one_document_share_a_key() {
        let key = |text: &str| text.parse::<WebUrl>().expect("a web address").merge_key().into_owned();
        assert_eq!(key("https://Contoso.com"), key("https://contoso.com/?utm_source=openai#top"));
        assert_eq!(key("https://contoso.com/a?x=1&gclid=2&y=3"), key("https://contoso.com/a?x=1&y=3"));
        assert_ne!(key("https://contoso.com/a?ref=1"), key("https://contoso.com/a"));
        let url: WebUrl = "https://contoso.com/a?Ref=1&x=2&source=y&utm_id=3".parse().expect("a web address");
        assert_eq!(url.merge_key_under(Tracking::RefToo), "https://contoso.com/a?x=2");
        assert_ne!(key("https://contoso.com/a?x=1&y=3"), key("https://contoso.com/a?y=3&x=1"));
    }

    #[test]
    fn the_address_of_a_service_is_known_by_its_host_or_path() {
        let is_service = |text: &str| text.parse::<WebUrl>().expect("a web address").is_service();
        for service in [
            "https://s.search.windows.net/",
            "https://s.search.windows.net:443/indexes/i/docs/k?api-version=1",
            "https://s.search.azure.us/knowledgebases/kb/mcp",
            "https://gateway.example/kb/knowledgebases/hr/mcp?api-version=1",
            "https://gateway.example/knowledgebases('hr')/retrieve",
        ] {
            assert!(is_service(service), "{service}");
        }
        for page in
            ["https://search.windows.net.example/", "https://x.example/mcp", "https://x.example/knowledgebases/hr"]
        {
            assert!(!is_service(page), "{page}");
        }
    }

    #[test]
    fn directives_follow_the_place_that_an_address_names() {
        let with = |address: &str, directives: &[&str]| {
            let url: WebUrl = address.parse().expect("a web address");
            url.with_directives(directives.iter().copied()).as_str().to_owned()
        };
        assert_eq!(with("https://x/a?b=1", &["A%20b"]), "https://x/a?b=1#:~:text=A%20b");
        assert_eq!(with("https://x/a#id", &["A", "b,c", "d", "e"]), "https://x/a#id:~:text=A&text=b,c&text=d");
        for stays in
            ["https://x/a#/route", "https://x/a#!route", "https://x/a#:~:text=own", "https://x/a#id:~:text=own"]
        {
            assert_eq!(with(stays, &["A"]), stays);
        }
        assert_eq!(with("https://x/a", &[]), "https://x/a");
        let long = "x".repeat(600);
        assert_eq!(with("https://x/a", &[&long, &long, "y"]), format!("https://x/a#:~:text={long}"));
        for (bytes, fits) in [(992, true), (993, false)] {
            assert_eq!(with("https://x/a", &[&"x".repeat(bytes)]).contains("text"), fits);
        }
        let url: WebUrl = "https://x/a?sig=s#id:~:text=secret".parse().expect("a web address");
        assert_eq!(url.to_string(), "https://x/a?sig=****#id");
        assert_eq!(without_directives("https://x/a#:~:text=b"), "https://x/a");
        assert_eq!(without_directives("https://x/a:~:b#c"), "https://x/a:~:b#c");
    }

    #[test]
    fn secrets_in_an_address_are_never_shown() {
        let url: WebUrl = "https://contoso.com/a?se=1&sig=abc".parse().expect("a web address");
        assert_eq!(format!("{url:?}"), "WebUrl(https://contoso.com/a?se=1&sig=****)");
    }

    #[test]
    fn an_address_names_no_user() {
        for (given, expected) in [
            ("https://user:password@hr.example/a", Some("https://hr.example/a")),
            ("https://bank.example@evil.example", Some("https://evil.example/")),
            ("https://:password@x.example/", Some("https://x.example/")),
            ("https://a@b@x.example:8443/?c=d@e", Some("https://x.example:8443/?c=d@e")),
            ("https://x.example/@user", None),
            ("mailto:a@x.example", None),
            ("a@x.example", None),
        ] {
            assert_eq!(without_user(given).as_deref(), expected);
            if let (Ok(url), Some(expected)) = (given.parse::<WebUrl>(), expected) {
                assert_eq!((url.as_str(), url.markdown().as_str()), (expected, expected));
            }
        }
        assert_eq!(without_user("s3://user:password@bucket/a").as_deref(), Some("s3://bucket/a"));
    }
}
