//! An address as the engines of Markdown read it.

use std::fmt::Write as _;
use std::sync::Arc;

use super::serialized::ORDINARY;
use super::web_url::WebUrl;

impl WebUrl {
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
}
