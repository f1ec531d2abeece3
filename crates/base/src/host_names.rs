//! Patterns of host names.

use std::str::FromStr;

/// The longest name of a host (RFC 1035, section 2.3.4).
pub const LONGEST_NAME: usize = 255;

/// Host names: `chat.contoso.example`, or `*.contoso.example` for all subdomains.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostNames(Vec<String>);

/// The text is not a list of host names.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a host name; write chat.contoso.example or *.contoso.example, separated by commas")]
pub struct InvalidHosts(String);

impl FromStr for HostNames {
    type Err = InvalidHosts;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_name = |name: &str| {
            let bare = name.strip_prefix("*.").unwrap_or(name);
            let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
            !bare.is_empty() && bare.len() <= LONGEST_NAME && !bare.starts_with('.') && bare.bytes().all(is_part)
        };
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        let named =
            parts.map(|part| if is_name(part) { Ok(part.to_owned()) } else { Err(InvalidHosts(part.to_owned())) });
        named.collect::<Result<_, _>>().map(Self)
    }
}

impl HostNames {
    /// Whether the list is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether this host is one of them.
    #[must_use]
    pub fn has(&self, host: &str) -> bool {
        self.0.iter().any(|name| match name.strip_prefix('*') {
            // The name keeps its dot, so that `evilcontoso.example` is not below `contoso.example`.
            Some(parent) => {
                let split = host.len().saturating_sub(parent.len());
                split > 0 && host.is_char_boundary(split) && host[split..].eq_ignore_ascii_case(parent)
            }
            None => name.eq_ignore_ascii_case(host),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_none_is_named() {
        for bad in ["https://a.example", "a.example:80", "*", "a.example/x", "*.", ".example"] {
            let error = format!("ok.example, {bad}").parse::<HostNames>().expect_err(bad).to_string();
            assert!(error.contains(&format!("`{bad}`")), "{error}");
        }
    }
}
