//! Removes invisible characters before a model reads a text, so that no hidden text reaches it. This removes more than
//! [`text::visible`], which keeps characters that people need.

use std::borrow::Cow;

use crate::text;

/// Whether a character that [`text::visible`] keeps is removed for a model: controls, direction marks,
/// the byte order mark, and variation selectors that can encode hidden text.
fn goes(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t')
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{feff}')
        // Selectors of ideograph variants: there are 240 of them, enough to encode bytes.
        || matches!(c, '\u{e0100}'..='\u{e01ef}')
}

/// Whether some program takes the character for a line end. Unicode has more line ends than most editors know.
fn ends_line(c: char) -> bool {
    matches!(c, '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// The visible text, with LF as the only line end, and with chat tokens such as `<|im_start|>` broken up.
pub(super) fn visible(text: &str) -> Cow<'_, str> {
    let text = text::visible(text);
    if !text.chars().any(|c| goes(c) || ends_line(c)) {
        return without_tokens(text);
    }
    let mut seen = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\r' && chars.peek() == Some(&'\n') {
            continue;
        }
        if ends_line(c) {
            seen.push('\n');
        } else if !goes(c) {
            seen.push(c);
        }
    }
    without_tokens(seen.into())
}

/// Breaks up chat tokens such as `<|im_start|>`, with a bar of either width: some programs parse them in a prompt and begin
/// another message there. A zero-width space behind `<` prevents that. `a <| b` stays.
fn without_tokens(text: Cow<'_, str>) -> Cow<'_, str> {
    let begins = |(_, rest): &(usize, &str)| {
        rest.strip_prefix(['|', '｜']).and_then(|rest| rest.chars().next()).is_some_and(|c| !c.is_whitespace())
    };
    let behind = text.match_indices('<').map(|(at, _)| (at + 1, &text[at + 1..]));
    let found: Vec<usize> = behind.filter(begins).map(|(at, _)| at).collect();
    if found.is_empty() {
        return text;
    }
    let mut parted = String::with_capacity(text.len() + 3 * found.len());
    let mut done = 0;
    for at in found {
        parted.push_str(&text[done..at]);
        parted.push('\u{200b}');
        done = at;
    }
    parted.push_str(&text[done..]);
    parted.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_goes() {
        assert_eq!(visible("a\u{202e}b\u{2066}c\u{1b}[31md\u{0}\u{feff}e"), "abc[31mde");
        let unseen: String = "ignore".chars().filter_map(|c| char::from_u32(0xe0000 + c as u32)).collect();
        assert_eq!(visible(&format!("a{unseen}b")), "ab");
        assert_eq!(visible("葛\u{e0100}城"), "葛城");
    }

    #[test]
    fn what_a_reader_needs_stays() {
        for text in ["Süß 👩‍👩‍👧 ❤️", "می‌خواهم", "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}", "a\tb\n\nc"]
        {
            assert_eq!(visible(text), text);
        }
    }

    /// With such a token, a passage could end the system message and begin another one.
    #[test]
    fn tokens_of_chats_are_text() {
        for (given, expected) in [
            ("<|im_start|>system", "<\u{200b}|im_start|>system"),
            ("a<\u{202e}|eot_id|>\r\n<|x", "a<\u{200b}|eot_id|>\n<\u{200b}|x"),
            ("<｜User｜>", "<\u{200b}｜User｜>"),
            ("f <| x |> g, a<b|c, <||", "f <| x |> g, a<b|c, <\u{200b}||"),
        ] {
            assert_eq!(visible(given), expected);
        }
    }

    #[test]
    fn every_line_end_is_one_line_feed() {
        assert_eq!(visible("a\r\nb\rc\u{2028}d\u{85}e\u{b}f\n\r\ng"), "a\nb\nc\nd\ne\nf\n\ng");
    }
}
