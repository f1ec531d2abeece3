//! The key by which addresses of one document are told to be one.

use std::borrow::Cow;
use std::sync::Arc;

use super::web_url::WebUrl;

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

impl WebUrl {
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
}
