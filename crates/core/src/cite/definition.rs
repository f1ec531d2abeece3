//! Writes citewire's own reference definitions.

use unicode_segmentation::UnicodeSegmentation as _;

use super::CitedSource;
use crate::report::{Entry, Kind};

/// Appends the definitions, one a line, after a blank line (policy P-10).
pub(super) fn append(text: &mut String, sources: &[CitedSource]) {
    if sources.is_empty() {
        return;
    }
    let content = content(text);
    text.truncate(content);
    if !text.is_empty() {
        text.push_str("\n\n");
    }
    for (at, source) in sources.iter().enumerate() {
        if at > 0 {
            text.push('\n');
        }
        text.push('[');
        source.position.write_to(text);
        text.push_str("]: ");
        source.write_definition_url(text);
        text.push(' ');
        push_title(text, &source.title);
    }
}

/// The offset behind the content of a text. Blanks at the end of the last line belong to that line. Blank lines behind it do
/// not: the next conversion would cut them.
pub(super) fn content(text: &str) -> usize {
    let content = text.trim_end_matches([' ', '\t', '\r', '\n']).len();
    content + text[content..].bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// The report entry about a title that was cut in its definition; `None` for a title that fits.
pub(super) fn cut_entry(source: &CitedSource, pointer: &str) -> Option<Entry> {
    beginning(&source.title)?;
    let message =
        format!("the title of [{}] was cut to {MAX_TITLE_CHARS} characters in its definition", source.position);
    Some(Entry::in_input(Kind::Cut, "title", pointer, message))
}

/// Writes a title between double quotes, escaped so that every engine reads it back unchanged. Titles above 300 characters
/// are cut: engines stop resolving links when the titles of all uses are longer than the text.
pub(super) fn push_title(out: &mut String, title: &str) {
    out.push('"');
    let is_plain = |byte| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\' | b'&');
    if title.len() <= MAX_TITLE_CHARS && title.bytes().all(is_plain) {
        out.extend([title, "\""]);
        return;
    }
    let beginning = beginning(title);
    for c in beginning.unwrap_or(title).chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '&' => out.push_str("&amp;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out.push_str(if beginning.is_some() { "…\"" } else { "\"" });
}

/// The beginning of a title above the limit, cut between grapheme clusters; `None` for a title that fits.
fn beginning(title: &str) -> Option<&str> {
    if title.len() <= MAX_TITLE_CHARS {
        return None;
    }
    let (room, _) = title.char_indices().nth(MAX_TITLE_CHARS)?;
    let ends = title.grapheme_indices(true).map(|(at, cluster)| at + cluster.len());
    // Accents can make a single cluster longer than the limit; then cut inside it.
    Some(&title[..ends.take_while(|end| *end <= room).last().unwrap_or(room)])
}

const MAX_TITLE_CHARS: usize = 300;

#[cfg(test)]
mod tests {
    use pulldown_cmark::Parser;

    use super::*;
    use crate::answer::SourceIndex;
    use crate::cite::Position;

    fn cited(n: usize, url: Option<&str>, title: &str) -> CitedSource {
        CitedSource {
            position: Position::after(n - 1),
            sources: smallvec::smallvec![SourceIndex(0)],
            url: url.map(|url| url.parse().expect("a web address")),
            title: title.into(),
            note_bytes: 0,
        }
    }

    #[test]
    fn definitions_come_last_after_one_blank_line() {
        for text in ["a[1]", "a[1]\n", "a[1]\n\n", "a[1]\n \n\n\n", "a[1]\r\n\r\n"] {
            let mut text = text.to_owned();
            append(&mut text, &[cited(1, Some("https://x/a"), "A"), cited(2, None, "B")]);
            assert_eq!(text, "a[1]\n\n[1]: https://x/a \"A\"\n[2]: cite:2 \"B\"");
        }
        let mut untouched = "a\n".to_owned();
        append(&mut untouched, &[]);
        assert_eq!(untouched, "a\n");
    }

    #[test]
    fn a_parser_reads_every_title_back() {
        for title in ["plain", "a \"b\" c", "back\\slash\\", "a &amp; b &copy;", "<b>(x)</b> 'y' [1] `z`", "日本 😀"]
        {
            let mut text = "a[1]".to_owned();
            append(&mut text, &[cited(1, Some("https://x/a"), title)]);
            let parser = Parser::new(&text);
            let definition = parser.reference_definitions().get("1").expect("the definition");
            assert_eq!(definition.title.as_deref(), Some(title));
        }
    }
    /// The cut once split a family emoji into two people, and the report did not mention the cut.
    #[test]
    fn a_long_title_is_cut_between_characters_and_reported() {
        let cut = |title: &str| {
            let mut out = String::new();
            push_title(&mut out, title);
            (out, cut_entry(&cited(1, None, title), "/sources/0").is_some())
        };
        let x = "x".repeat(299);
        assert_eq!(cut(&format!("{x}y")), (format!("\"{x}y\""), false));
        assert_eq!(cut(&format!("{x}é")), (format!("\"{x}é\""), false));
        assert_eq!(cut(&format!("{x}yz")), (format!("\"{x}y…\""), true));
        assert_eq!(cut(&format!("{x}👩‍👩‍👧‍👦")), (format!("\"{x}…\""), true));
        assert_eq!(cut(&format!("e{}", "\u{301}".repeat(400))).0.chars().count(), 303);
    }
}
