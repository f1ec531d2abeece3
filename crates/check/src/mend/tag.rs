//! Takes a piece of HTML apart: into tags and the words between them.

/// Elements whose content is no text.
pub(super) const SILENT: [&str; 3] = ["script", "style", "template"];

/// A part of a piece of HTML. Comments are none.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    Words(&'a str),
    Tag(Tag<'a>),
}

/// A tag, with its attributes as they are written.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Tag<'a> {
    /// The name in lower case.
    pub(super) name: String,
    pub(super) is_end: bool,
    attributes: Vec<(String, &'a str)>,
}

impl Tag<'_> {
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| *value)
    }

    /// Reads the tag at the beginning of `source`, and tells its length; `None` if it does not end, or is no tag.
    pub(super) fn read(source: &str) -> Option<(Tag<'_>, usize)> {
        let rest = source.strip_prefix('<')?;
        let (rest, is_end) = rest.strip_prefix('/').map_or((rest, false), |rest| (rest, true));
        let length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).unwrap_or(rest.len());
        let (name, mut rest) = rest.split_at(length);
        // `<https://a.example/>` is an address.
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || !rest.starts_with(|c: char| ends_name(c)) {
            return None;
        }
        let mut attributes = Vec::new();
        loop {
            rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '/');
            if let Some(behind) = rest.strip_prefix('>') {
                let tag = Tag { name: name.to_ascii_lowercase(), is_end, attributes };
                return Some((tag, source.len() - behind.len()));
            }
            let first = rest.chars().next()?.len_utf8();
            let length = rest[first..].find(|c: char| ends_name(c) || c == '=')?;
            let (key, behind) = rest.split_at(first + length);
            rest = behind;
            let mut value = "";
            if let Some(behind) = rest.trim_start().strip_prefix('=') {
                let behind = behind.trim_start();
                (value, rest) = match behind.chars().next()? {
                    quote @ ('"' | '\'') => behind[1..].split_once(quote)?,
                    _ => behind.split_at(behind.find(|c: char| c.is_whitespace() || c == '>')?),
                };
            }
            attributes.push((key.to_ascii_lowercase(), value));
        }
    }
}

fn ends_name(c: char) -> bool {
    c.is_whitespace() || matches!(c, '/' | '>')
}

/// Whether a tag or a comment begins with `<` before `rest`, rather than a word.
pub(super) fn begins(rest: &str) -> bool {
    rest.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'))
}

/// The pieces of a piece of HTML; `None` if a tag does not end. In a block, scripts and styles have no words.
pub(super) fn pieces(html: &str, is_block: bool) -> Option<Vec<Piece<'_>>> {
    let lower = html.to_ascii_lowercase();
    let mut found = Vec::new();
    let (mut start, mut at) = (0, 0);
    while let Some(open) = html[at..].find('<').map(|length| at + length) {
        at = open + 1;
        let rest = &html[at..];
        if !begins(rest) {
            continue;
        }
        found.push(Piece::Words(&html[start..open]));
        if rest.starts_with("!--") {
            at += rest.find("-->")? + 3;
        } else if rest.starts_with(['!', '?']) {
            at += rest.find('>')? + 1;
        } else {
            let (tag, length) = Tag::read(&html[open..])?;
            at = open + length;
            if is_block && !tag.is_end && SILENT.contains(&&*tag.name) {
                at += lower[at..].find(&format!("</{}", tag.name))?;
            }
            found.push(Piece::Tag(tag));
        }
        start = at;
    }
    found.push(Piece::Words(&html[start..]));
    found.retain(|piece| *piece != Piece::Words(""));
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_read_as_browsers_read_them() {
        for written in ["<a\nhref=x>", "<a href = \"x\">", "<A title='>' HREF='x'/>", "<a b href=x c>"] {
            let (tag, length) = Tag::read(written).expect("a tag");
            assert_eq!((&*tag.name, tag.attribute("href"), length), ("a", Some("x"), written.len()), "{written}");
        }
        for none in ["<a", "<a href=\"x>", "<https://a.example/>", "<1>", "</>", "<a b"] {
            assert_eq!(Tag::read(none), None, "{none}");
        }
    }
}
