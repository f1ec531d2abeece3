//! Recognizes redirects to sources, and reads their targets from the address or the provider's object. Makes no request.

use std::collections::BTreeSet;
use std::str::FromStr;

use serde_json::Value;
use url::Url;

use crate::url::WebUrl;

/// Parameters that may hold the target of a redirect (rule RC-04).
const TARGETS: [&str; 6] = ["url", "q", "target", "u", "dest", "destination"];

/// Members of a provider's object that hold the address of a page. The page itself comes before redirects (rule RC-02).
const ADDRESSES: [&str; 8] =
    ["sourceUrl", "source_url", "pageUrl", "page_url", "source_uri", "sourceUri", "url", "uri"];

/// Members with the host of a page.
const HOSTS: [&str; 2] = ["domain", "host"];

/// Members whose object may describe the page.
const NESTED: [&str; 4] = ["web", "source", "reference", "support"];

/// The redirectors: well-known ones (rule RC-04), and every address of the configured hosts, such as an organization's link
/// tracker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Redirectors(BTreeSet<String>);

/// The text is not a list of hosts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{given:?} is not a host; write names or IPv4 addresses, without scheme, port and path, separated by commas")]
pub struct InvalidRedirector {
    /// The entry that is not a host.
    pub given: String,
}

impl FromStr for Redirectors {
    type Err = InvalidRedirector;

    /// Reads hosts separated by commas; empty entries are skipped. A host matches with and without `www.` before it.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let entries = text.split(',').map(str::trim).filter(|entry| !entry.is_empty());
        let hosts = entries.map(|entry| {
            let is_bare = !entry.contains([':', '/', '\\', '@', '?', '#']);
            let url = is_bare.then(|| format!("https://{entry}/").parse::<WebUrl>().ok()).flatten();
            url.map(|url| url.host().to_owned()).ok_or_else(|| InvalidRedirector { given: entry.to_owned() })
        });
        hosts.collect::<Result<_, _>>().map(Self)
    }
}

impl Redirectors {
    /// Whether an address is a redirect to a source.
    pub(super) fn holds(&self, url: &WebUrl) -> bool {
        self.0.contains(url.host()) || is_known_redirector(url)
    }

    /// The target in the query of a redirect: the first parameter with an address that is not a redirector.
    pub(super) fn target(&self, url: &WebUrl) -> Option<WebUrl> {
        let url = Url::parse(url.as_str()).ok()?;
        let value = |name: &&str| url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
        TARGETS.iter().filter_map(value).find_map(|value| self.end_site(&value))
    }

    /// The page that the provider's object names beside the redirect.
    pub(super) fn sibling(&self, object: &Value) -> Option<WebUrl> {
        holders(object).find_map(|holder| ADDRESSES.iter().find_map(|name| self.end_site(holder[*name].as_str()?)))
    }

    /// A web address that is not a redirector.
    fn end_site(&self, text: &str) -> Option<WebUrl> {
        text.parse().ok().filter(|url| !self.holds(url))
    }
}

fn is_known_redirector(url: &WebUrl) -> bool {
    let Ok(parsed) = Url::parse(url.as_str()) else { return false };
    let path = parsed.path();
    match url.host() {
        "vertexaisearch.cloud.google.com" => path.contains("grounding-api-redirect"),
        "google.com" => matches!(path.trim_end_matches('/'), "/url" | "/imgres"),
        "news.google.com" => path.split('/').any(|part| part == "articles"),
        "t.co" => path.len() > 1,
        _ => false,
    }
}

/// The host of the page that a provider's object names (rule RC-03).
pub(super) fn named_host(object: &Value) -> Option<&str> {
    let named = |holder: &'_ Value, name: &str| holder.get(name).and_then(Value::as_str).is_some();
    let holder = holders(object).find(|holder| HOSTS.iter().any(|name| named(holder, name)))?;
    HOSTS.iter().find_map(|name| holder[*name].as_str()).filter(|host| !host.trim().is_empty())
}

fn holders(object: &Value) -> impl Iterator<Item = &Value> {
    std::iter::once(object).chain(NESTED.iter().map(|name| &object[*name]))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn url(text: &str) -> WebUrl {
        text.parse().expect("an address")
    }

    #[test]
    fn redirectors_are_known_by_host_and_path() {
        for redirector in [
            "https://vertexaisearch.cloud.google.com/grounding-api-redirect/AUZ",
            "https://www.google.com/url?q=https://x.example/",
            "https://google.com/imgres?imgurl=x",
            "https://news.google.com/rss/articles/CBM",
            "https://T.CO/abc",
        ] {
            assert!(Redirectors::default().holds(&url(redirector)), "{redirector}");
        }
        for page in [
            "https://vertexaisearch.cloud.google.com/docs",
            "https://www.google.com/search?q=x",
            "https://maps.google.com/url",
            "https://news.google.com/topstories",
            "https://t.co/",
            "https://not-t.co/abc",
            "https://t.co.example/abc",
        ] {
            assert!(!Redirectors::default().holds(&url(page)), "{page}");
        }
    }

    #[test]
    fn hosts_that_are_named_are_redirectors_beside_the_known_ones() {
        let named: Redirectors = "Go.Contoso.example, www.l.example,10.0.0.7,".parse().expect("hosts");
        for redirector in
            ["https://go.contoso.example/a?b", "http://L.example:8080/", "http://10.0.0.7/x", "https://t.co/abc"]
        {
            assert!(named.holds(&url(redirector)), "{redirector}");
        }
        assert!(!named.holds(&url("https://contoso.example/")));
        let through = url("https://go.contoso.example/?u=https%3A%2F%2Fl.example%2Fx&dest=https%3A%2F%2Fx.example%2F");
        assert_eq!(named.target(&through), Some(url("https://x.example/")));
        for bad in ["https://go.example", "go.example:80", "a b", "go.example/x", "u@go.example"] {
            assert_eq!(bad.parse::<Redirectors>(), Err(InvalidRedirector { given: bad.to_owned() }));
        }
        assert_eq!("".parse(), Ok(Redirectors::default()));
    }

    #[test]
    fn the_target_stands_in_the_query_when_it_is_a_page_of_the_web() {
        let target = |text: &str| Redirectors::default().target(&url(text)).map(|url| url.as_str().to_owned());
        let page = Some("https://x.example/a?b=1".to_owned());
        assert_eq!(target("https://www.google.com/url?sa=t&url=https%3A%2F%2Fx.example%2Fa%3Fb%3D1"), page);
        assert_eq!(target("https://www.google.com/url?q=https://x.example/a?b=1"), page);
        assert_eq!(target("https://www.google.com/url?q=words&dest=https://x.example/a?b=1"), page);
        for nowhere in [
            "https://www.google.com/url?q=javascript:alert(1)",
            "https://www.google.com/url?q=https://t.co/abc",
            "https://www.google.com/url?other=https://x.example/",
            "https://t.co/abc",
        ] {
            assert_eq!(target(nowhere), None, "{nowhere}");
        }
    }

    #[test]
    fn the_page_beside_the_redirect_wins_nested_or_not() {
        let redirect = "https://vertexaisearch.cloud.google.com/grounding-api-redirect/A";
        let found = |object: Value| Redirectors::default().sibling(&object).map(|url| url.as_str().to_owned());
        let page = Some("https://x.example/p".to_owned());
        assert_eq!(found(json!({"uri": redirect, "sourceUrl": "https://x.example/p"})), page);
        assert_eq!(found(json!({"web": {"uri": redirect, "pageUrl": "https://x.example/p"}})), page);
        assert_eq!(found(json!({"uri": redirect, "reference": {"url": "https://x.example/p"}})), page);
        assert_eq!(found(json!({"web": {"uri": redirect, "title": "x"}, "source": "not an object"})), None);
        assert_eq!(named_host(&json!({"web": {"domain": "x.example"}})), Some("x.example"));
        assert_eq!(named_host(&json!({"web": {"title": "x"}})), None);
    }
}
