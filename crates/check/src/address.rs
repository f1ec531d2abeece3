//! Reads URLs like Web Chat: by scheme, and by the characters that both of its Markdown parsers accept.

/// The way in which Web Chat treats a scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scheme {
    /// `http` and `https`: a link.
    Web,
    /// `ftp`, `mailto`, `tel`, `sip`: a link that opens a program.
    Program,
    /// `javascript`, `vbscript`, `data`, `file`: a live link in the reference list of 4.18.1.
    Dangerous,
    /// All others, including relative references: a button that opens a dialog.
    Dialog,
}

impl Scheme {
    /// The scheme of `url` as a browser reads it, without control characters and blanks.
    pub(super) fn of(url: &str) -> Self {
        let name: String = url
            .chars()
            .filter(|c| !c.is_control() && !c.is_whitespace())
            .take_while(|c| *c != ':')
            .take(16)
            .map(|c| c.to_ascii_lowercase())
            .collect();
        if !url.contains(':') {
            return Self::Dialog;
        }
        match name.as_str() {
            "http" | "https" => Self::Web,
            "ftp" | "mailto" | "tel" | "sip" => Self::Program,
            "javascript" | "vbscript" | "data" | "file" => Self::Dangerous,
            _ => Self::Dialog,
        }
    }
}

/// The first character of `url` that keeps 4.18.1 from drawing a link as a badge, described for people.
pub(super) fn first_odd_character(url: &str) -> Option<String> {
    let bytes = url.as_bytes();
    let balanced = has_balanced_parentheses(url);
    for (index, c) in url.char_indices() {
        let fine = match c {
            '(' | ')' => balanced,
            '%' => {
                bytes.get(index + 1).is_some_and(u8::is_ascii_hexdigit)
                    && bytes.get(index + 2).is_some_and(u8::is_ascii_hexdigit)
            }
            c => c.is_ascii_alphanumeric() || ";/?:@&=+$,-_.!~*'#".contains(c),
        };
        if !fine {
            return Some(match c {
                '%' => "a bare %".to_owned(),
                ' ' => "a space".to_owned(),
                '(' | ')' => "an unbalanced parenthesis".to_owned(),
                c if c.is_control() => format!("the control character U+{:04X}", u32::from(c)),
                c => format!("the character {c}"),
            });
        }
    }
    None
}

/// Whether each parenthesis of `url` has its partner, so that all Markdown engines take both for a part of the address.
pub(super) fn has_balanced_parentheses(url: &str) -> bool {
    let mut open = 0_usize;
    for c in url.chars() {
        match c {
            '(' => open += 1,
            ')' if open == 0 => return false,
            ')' => open -= 1,
            _ => {}
        }
    }
    open == 0
}

/// Whether two spellings are one address to a browser: in another case of the host, with the port that is the scheme's own, or
/// with `%20` for a blank.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    one == other || parsed(one) == parsed(other)
}

/// An address as a browser writes it; one that it cannot read, as it is.
pub(super) fn parsed(address: &str) -> String {
    url::Url::parse(address).map_or_else(|_| address.to_owned(), String::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Balanced ones were drawn as badges in 4.18.1.
    #[test]
    fn only_unbalanced_parentheses_are_odd() {
        for fine in ["https://a.example/b_(c)", "https://a.example/((b)(c))?d=(e)"] {
            assert_eq!(first_odd_character(fine), None, "{fine}");
        }
        for odd in ["https://a.example/(b", "https://a.example/b)", "https://a.example/)b("] {
            assert_eq!(first_odd_character(odd).as_deref(), Some("an unbalanced parenthesis"), "{odd}");
        }
    }

    #[test]
    fn spellings_of_one_address_are_the_same() {
        for (one, other) in [
            ("https://a.example", "https://a.example/"),
            ("https://A.Example/b", "https://a.example/b"),
            ("https://a.example/b c", "https://a.example/b%20c"),
            ("https://a.example:443/b", "https://a.example/b"),
            ("cite:1", "cite:1"),
        ] {
            assert!(is_same(one, other), "{one} {other}");
        }
        for (one, other) in [
            ("https://a.example/b", "https://a.example/b/"),
            ("https://a.example/b", "http://a.example/b"),
            ("https://a.example/b", "https://a.example/B"),
            ("https://a.example/b", "https://a.example/b#c"),
            ("b", "B"),
        ] {
            assert!(!is_same(one, other), "{one} {other}");
        }
    }

    #[test]
    fn schemes_are_judged_as_a_browser_judges_them() {
        assert_eq!(Scheme::of("HTTPS://x"), Scheme::Web);
        assert_eq!(Scheme::of(" java\nscript:alert(1)"), Scheme::Dangerous);
        assert_eq!(Scheme::of("data:text/html,x"), Scheme::Dangerous);
        assert_eq!(Scheme::of("mailto:a@b"), Scheme::Program);
        for dialog in ["cite:1", "/relative", "#x", "urn:x", "", "cite"] {
            assert_eq!(Scheme::of(dialog), Scheme::Dialog, "{dialog}");
        }
    }

    #[test]
    fn only_plain_ascii_and_whole_escapes_pass() {
        assert_eq!(first_odd_character("https://a.example/b%20c?d=e&f=g#h*~'!"), None);
        for odd in ["https://a/ü", "https://a/b|c", "https://a/(b", "https://a/100%", "https://a/%2", "a b", "[x]"] {
            assert!(first_odd_character(odd).is_some(), "{odd}");
        }
    }
}
