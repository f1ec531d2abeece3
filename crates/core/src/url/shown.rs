//! An address in logs and messages.

use std::fmt;

use url::Url;

use super::directives::without_directives;
use super::web_url::WebUrl;

impl WebUrl {
    /// The address, if it has no query and no directive: [`Display`](fmt::Display) masks only secrets in queries, and leaves out
    /// directives.
    pub(crate) fn open(&self) -> Option<&str> {
        (!self.text.contains('?') && !self.text.contains(":~:")).then_some(&*self.text)
    }
}

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
