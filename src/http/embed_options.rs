//! The options for embedding the chat in other web sites.

use std::str::FromStr;

use url::Url;

/// The options for embedding sites.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EmbedOptions {
    /// The web sites whose pages may have the chat; none switches it off.
    pub origins: EmbedOrigins,
    /// Whether visitors of these sites get a session without a token of the site.
    pub anonymous: bool,
    /// Assistants that such visitors may choose, besides the one of the channel.
    pub assistants: Vec<String>,
}

impl EmbedOptions {
    /// Whether any page may embed the chat.
    pub(crate) fn is_on(&self) -> bool {
        !self.origins.0.is_empty()
    }
}

/// Origins of web sites as browsers write them into `Origin`: `https://www.contoso.example`, without a path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EmbedOrigins(Vec<String>);

/// The text is not the origin of a web site.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not an origin: {mend}")]
pub struct InvalidOrigin {
    text: String,
    mend: String,
}

impl FromStr for EmbedOrigins {
    type Err = InvalidOrigin;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        parts.map(origin).collect::<Result<_, _>>().map(Self)
    }
}

impl EmbedOrigins {
    /// Each of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Whether the list is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The origin as browsers write it: in lower case, without the port that the scheme implies.
fn origin(text: &str) -> Result<String, InvalidOrigin> {
    let invalid = |mend: String| InvalidOrigin { text: text.to_owned(), mend };
    if text.contains('*') {
        return Err(invalid(
            "wildcards are not supported; list each site, such as https://www.contoso.example".to_owned(),
        ));
    }
    let Some((scheme, _)) = text.split_once("://") else {
        return Err(invalid(format!("an origin begins with a scheme; write https://{text}")));
    };
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    let Some(url) = url else {
        return Err(invalid(format!("`{scheme}://…` is not a web site; write https://www.contoso.example")));
    };
    let exact = url.origin().ascii_serialization();
    // A parsed address has a path always, so only the text tells whether one was written.
    if text.matches('/').count() > 2 || text.contains(['?', '#', '@', '\\']) {
        return Err(invalid(format!("an origin has no path, query or user; write {exact}")));
    }
    Ok(exact)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origins(text: &str) -> Result<Vec<String>, String> {
        text.parse::<EmbedOrigins>().map(|origins| origins.0).map_err(|error| error.to_string())
    }

    #[test]
    fn origins_are_as_browsers_write_them() {
        let text = "https://WWW.contoso.example, http://127.0.0.1:8080 ,https://shop.example:443,";
        let expected = ["https://www.contoso.example", "http://127.0.0.1:8080", "https://shop.example"];
        assert_eq!(origins(text), Ok(expected.map(str::to_owned).to_vec()));
    }

    #[test]
    fn what_is_no_exact_origin_is_refused_with_the_right_one() {
        for (text, mend) in [
            ("www.contoso.example", "write https://www.contoso.example"),
            ("https://www.contoso.example/shop", "no path, query or user; write https://www.contoso.example"),
            ("https://www.contoso.example/", "no path, query or user; write https://www.contoso.example"),
            ("https://ann@www.contoso.example", "no path, query or user; write https://www.contoso.example"),
            ("https://*.contoso.example", "wildcards are not supported"),
            ("*", "wildcards are not supported"),
            ("ftp://www.contoso.example", "`ftp://…` is not a web site"),
            ("https://", "`https://…` is not a web site"),
        ] {
            let refused = origins(text).expect_err(text);
            assert!(refused.starts_with(&format!("`{text}` is not an origin")) && refused.contains(mend), "{refused}");
        }
    }
}
