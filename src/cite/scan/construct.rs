//! What binds tighter than brackets: code, autolinks, tags, math; and what may follow a bracket: addresses, labels.

use super::cursor::{Cursor, Peek, Place};

/// What reading a construct gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Parsed<T> {
    /// It is one.
    Found(T),
    /// It is none; reading went as far as this place.
    Fails(usize),
    /// More must arrive.
    Unknown,
    /// It does not end in time.
    TooLong,
}

/// Ends the reading at whatever is not a byte.
macro_rules! byte {
    ($cursor:expr) => {
        match $cursor.peek() {
            Peek::Byte(byte) => byte,
            Peek::End => return Parsed::Fails($cursor.at()),
            Peek::Unknown => return Parsed::Unknown,
            Peek::Limit => return Parsed::TooLong,
        }
    };
}

/// Where an address leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// The address as written, without `<>`; backslash escapes are undone.
    pub(super) url: String,
    /// The title as written, on one line; backslash escapes are undone.
    pub(super) title: String,
    /// Where the text goes on.
    pub(super) end: usize,
}

/// The end of the code span that `run` backticks open.
pub(super) fn code_span(mut cursor: Cursor<'_>, run: usize) -> Parsed<usize> {
    let mut length = 0;
    loop {
        match cursor.peek() {
            Peek::Byte(b'`') => length += 1,
            peek @ (Peek::Byte(_) | Peek::End | Peek::Unknown | Peek::Limit) => {
                if length == run && peek != Peek::Unknown {
                    return Parsed::Found(cursor.at());
                }
                length = 0;
                let _ = byte!(cursor);
            }
        }
        cursor.advance();
    }
}

/// The end of the math that `$` or `$$` opens. A single dollar is an amount when a digit follows, or a blank; and it closes
/// nothing when a blank stands before it or a digit behind it. Such math is short and on one line.
pub(super) fn math(mut cursor: Cursor<'_>, run: usize) -> Parsed<usize> {
    const MAX_SHORT: usize = 256;
    let start = cursor.at();
    let mut before = b'$';
    if run == 1 && (byte!(cursor).is_ascii_digit() || byte!(cursor).is_ascii_whitespace()) {
        return Parsed::Fails(cursor.at());
    }
    loop {
        let byte = byte!(cursor);
        if run == 1 && (byte == b'\n' || cursor.at() - start > MAX_SHORT) {
            return Parsed::Fails(cursor.at());
        }
        cursor.advance();
        if byte == b'\\' {
            let _ = byte!(cursor);
            cursor.advance();
        } else if byte == b'$' {
            let mut next = cursor.clone();
            match next.peek() {
                Peek::Unknown => return Parsed::Unknown,
                Peek::Byte(b'$') if run == 2 => {
                    next.advance();
                    return Parsed::Found(next.at());
                }
                Peek::Byte(byte) if run == 1 && (byte.is_ascii_digit() || byte == b'$') => {}
                _ if run == 1 && !before.is_ascii_whitespace() => return Parsed::Found(cursor.at()),
                Peek::Byte(_) | Peek::End | Peek::Limit => {}
            }
        }
        before = byte;
    }
}

/// The end of the formula that `\(` or `\[` opens, as far as the closing bracket says; one in parentheses is short and on one
/// line, and none holds another. To Markdown these are escaped brackets, and models write both.
pub(super) fn formula(mut cursor: Cursor<'_>, open: u8) -> Parsed<usize> {
    let start = cursor.at();
    let (close, longest) = if open == b'(' { (b')', 256) } else { (b']', 1024) };
    loop {
        let byte = byte!(cursor);
        if open == b'(' && byte == b'\n' || cursor.at() - start > longest {
            return Parsed::Fails(cursor.at());
        }
        cursor.advance();
        if byte == b'\\' {
            let escaped = byte!(cursor);
            cursor.advance();
            if escaped == close {
                return Parsed::Found(cursor.at());
            }
            if escaped == open {
                return Parsed::Fails(cursor.at());
            }
        }
    }
}

/// Whether what stands between escaped brackets is a formula, and no prose: outside of brackets it holds a sign that prose does
/// not. What an earlier conversion has written in it says that it was prose then.
pub(super) fn is_formula(content: &str) -> bool {
    if content.contains(['\u{200b}', '\u{200a}']) || content.contains("&#") || content.contains("&lt;") {
        return false;
    }
    let mut depth = 0_usize;
    let mut holds_sign = false;
    for c in content.chars() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            '=' | '^' | '_' | '{' | '\\' | '+' | '<' | '>' => holds_sign |= depth == 0,
            _ => {}
        }
    }
    holds_sign || content.starts_with(char::is_alphabetic) && !content.contains(char::is_whitespace)
}

/// Whether an address holds no such byte. A NUL is none of them: engines read U+FFFD in its place (CommonMark 0.31, section 2.3).
fn ends_address(byte: u8) -> bool {
    byte.is_ascii_control() && byte != 0
}

/// The end of an autolink behind its `<`, and whether the address may be followed.
pub(super) fn autolink(mut cursor: Cursor<'_>, text: &str) -> Parsed<(usize, bool)> {
    let start = cursor.at();
    if !byte!(cursor).is_ascii_alphanumeric() && !b".!#$%&'*+/=?^_`{|}~-".contains(&byte!(cursor)) {
        return Parsed::Fails(start);
    }
    loop {
        match byte!(cursor) {
            b'>' => break,
            b' ' | b'\n' | b'\t' | b'<' => return Parsed::Fails(cursor.at()),
            byte if ends_address(byte) => return Parsed::Fails(cursor.at()),
            _ => cursor.advance(),
        }
    }
    let address = &text[start..cursor.at()];
    let end = cursor.at() + 1;
    let scheme = address.split_once(':').map_or("", |(scheme, _)| scheme);
    let is_scheme = (2..=32).contains(&scheme.len())
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(&byte));
    if is_scheme {
        return Parsed::Found((end, super::bracket::is_allowed(address)));
    }
    if is_mail(address) { Parsed::Found((end, true)) } else { Parsed::Fails(end - 1) }
}

fn is_mail(address: &str) -> bool {
    let Some((local, domain)) = address.split_once('@') else { return false };
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    !local.is_empty()
        && local.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".!#$%&'*+/=?^_`{|}~-".contains(&byte))
        && domain.split('.').all(is_label)
}

/// Ends of tags that were looked for in vain, and how far: no text is searched twice for the same one.
#[derive(Clone, Debug, Default)]
pub(super) struct Searched {
    comment: Option<Search>,
    instruction: Option<Search>,
    data: Option<Search>,
    declaration: Option<Search>,
}

#[derive(Clone, Copy, Debug)]
struct Search {
    from: usize,
    to: Place,
    /// How many bytes of the end stand right before that place.
    found: usize,
}

/// The end of a piece of HTML inside a paragraph, behind its `<`.
pub(super) fn tag(mut cursor: Cursor<'_>, searched: &mut Searched) -> Parsed<usize> {
    match byte!(cursor) {
        b'!' => {
            cursor.advance();
            match byte!(cursor) {
                b'-' => comment(cursor, &mut searched.comment),
                b'[' => until(cursor, b"]]>", &mut searched.data),
                byte if byte.is_ascii_alphabetic() => until(cursor, b">", &mut searched.declaration),
                _ => Parsed::Fails(cursor.at()),
            }
        }
        b'?' => {
            cursor.advance();
            until(cursor, b"?>", &mut searched.instruction)
        }
        b'/' => {
            cursor.advance();
            if !byte!(cursor).is_ascii_alphabetic() {
                return Parsed::Fails(cursor.at());
            }
            while byte!(cursor).is_ascii_alphanumeric() || byte!(cursor) == b'-' {
                cursor.advance();
            }
            cursor.skip_blanks();
            end_of_tag(cursor)
        }
        byte if byte.is_ascii_alphabetic() => open_tag(cursor),
        _ => Parsed::Fails(cursor.at()),
    }
}

fn end_of_tag(mut cursor: Cursor<'_>) -> Parsed<usize> {
    if byte!(cursor) == b'>' { Parsed::Found(cursor.at() + 1) } else { Parsed::Fails(cursor.at()) }
}

fn open_tag(mut cursor: Cursor<'_>) -> Parsed<usize> {
    while byte!(cursor).is_ascii_alphanumeric() || byte!(cursor) == b'-' {
        cursor.advance();
    }
    loop {
        let before = cursor.at();
        cursor.skip_blanks();
        let byte = byte!(cursor);
        if byte == b'/' {
            cursor.advance();
            return end_of_tag(cursor);
        }
        if byte == b'>' {
            return end_of_tag(cursor);
        }
        if cursor.at() == before || !(byte.is_ascii_alphabetic() || byte == b'_' || byte == b':') {
            return Parsed::Fails(cursor.at());
        }
        while byte!(cursor).is_ascii_alphanumeric() || b"_:.-".contains(&byte!(cursor)) {
            cursor.advance();
        }
        let mut value = cursor.clone();
        value.skip_blanks();
        if byte!(value) != b'=' {
            continue;
        }
        value.advance();
        value.skip_blanks();
        let quote = byte!(value);
        if quote == b'"' || quote == b'\'' {
            value.advance();
            while byte!(value) != quote {
                value.advance();
            }
            value.advance();
        } else {
            let start = value.at();
            while !b" \t\n\"'=<>`".contains(&byte!(value)) {
                value.advance();
            }
            if value.at() == start {
                return Parsed::Fails(start);
            }
        }
        cursor = value;
    }
}

/// Behind `<!`, at the first hyphen.
fn comment(mut cursor: Cursor<'_>, searched: &mut Option<Search>) -> Parsed<usize> {
    cursor.advance();
    if byte!(cursor) != b'-' {
        return Parsed::Fails(cursor.at());
    }
    cursor.advance();
    // `<!-->` and `<!--->` are comments for some engines.
    until(cursor, b"-->", searched)
}

fn until(mut cursor: Cursor<'_>, end: &[u8], searched: &mut Option<Search>) -> Parsed<usize> {
    let from = cursor.at();
    let mut found = 0;
    if let Some(search) = searched.filter(|search| (search.from..=search.to.at).contains(&from)) {
        cursor.go_to(search.to);
        found = search.found.min(search.to.at - from);
    }
    loop {
        let peek = cursor.peek();
        if matches!(peek, Peek::Unknown | Peek::Limit) {
            *searched = Some(Search { from, to: cursor.place(), found });
        }
        let byte = byte!(cursor);
        cursor.advance();
        found = if byte == end[found] {
            found + 1
        } else if byte == end[0] {
            // `--->` ends as `-->` does.
            if found > 0 && end[..found].iter().all(|end| *end == byte) { found } else { 1 }
        } else {
            0
        };
        if found == end.len() {
            return Parsed::Found(cursor.at());
        }
    }
}

/// The address and title between parentheses, behind the opening one.
pub(super) fn inline_target(mut cursor: Cursor<'_>, text: &str) -> Parsed<Target> {
    cursor.skip_blanks();
    if byte!(cursor) == b')' {
        return Parsed::Found(Target { url: String::new(), title: String::new(), end: cursor.at() + 1 });
    }
    let (url, behind) = match destination(cursor, text) {
        Parsed::Found(found) => found,
        Parsed::Fails(at) => return Parsed::Fails(at),
        Parsed::Unknown => return Parsed::Unknown,
        Parsed::TooLong => return Parsed::TooLong,
    };
    cursor = behind;
    let before = cursor.at();
    cursor.skip_blanks();
    let mut title = String::new();
    if byte!(cursor) != b')' {
        if cursor.at() == before {
            return Parsed::Fails(cursor.at());
        }
        match self::title(cursor, text) {
            Parsed::Found((found, behind)) => {
                title = found;
                cursor = behind;
            }
            Parsed::Fails(at) => return Parsed::Fails(at),
            Parsed::Unknown => return Parsed::Unknown,
            Parsed::TooLong => return Parsed::TooLong,
        }
        cursor.skip_blanks();
        if byte!(cursor) != b')' {
            return Parsed::Fails(cursor.at());
        }
    }
    Parsed::Found(Target { url, title, end: cursor.at() + 1 })
}

/// An address, between `<>` or bare.
pub(super) fn destination<'c>(mut cursor: Cursor<'c>, text: &str) -> Parsed<(String, Cursor<'c>)> {
    const MAX_PARENTHESES: usize = 32;
    let mut url = String::new();
    if byte!(cursor) == b'<' {
        cursor.advance();
        loop {
            match byte!(cursor) {
                b'>' => {
                    cursor.advance();
                    return Parsed::Found((url, cursor));
                }
                b'\n' | b'<' => return Parsed::Fails(cursor.at()),
                b'\\' => escaped(&mut cursor, &mut url),
                _ => literal(&mut cursor, text, &mut url),
            }
        }
    }
    let mut depth = 0;
    loop {
        let peek = cursor.peek();
        if peek == Peek::End && depth == 0 && !url.is_empty() {
            return Parsed::Found((url, cursor));
        }
        match byte!(cursor) {
            b' ' | b'\t' | b'\n' => break,
            byte if ends_address(byte) => return Parsed::Fails(cursor.at()),
            b'\\' => escaped(&mut cursor, &mut url),
            b'(' => {
                depth += 1;
                if depth > MAX_PARENTHESES {
                    return Parsed::Fails(cursor.at());
                }
                literal(&mut cursor, text, &mut url);
            }
            b')' if depth == 0 => break,
            b')' => {
                depth -= 1;
                literal(&mut cursor, text, &mut url);
            }
            _ => literal(&mut cursor, text, &mut url),
        }
    }
    if depth > 0 || url.is_empty() { Parsed::Fails(cursor.at()) } else { Parsed::Found((url, cursor)) }
}

/// A title between quotes or parentheses.
pub(super) fn title<'c>(mut cursor: Cursor<'c>, text: &str) -> Parsed<(String, Cursor<'c>)> {
    let open = byte!(cursor);
    let close = match open {
        b'"' | b'\'' => open,
        b'(' => b')',
        _ => return Parsed::Fails(cursor.at()),
    };
    cursor.advance();
    let mut title = String::new();
    loop {
        match byte!(cursor) {
            byte if byte == close => {
                cursor.advance();
                return Parsed::Found((title, cursor));
            }
            b'(' if open == b'(' => return Parsed::Fails(cursor.at()),
            b'\\' => escaped(&mut cursor, &mut title),
            b'\n' => {
                cursor.advance();
                title.push(' ');
            }
            _ => literal(&mut cursor, text, &mut title),
        }
    }
}

/// The most bytes that a label may have; the specification counts characters.
pub(super) const MAX_LABEL: usize = 999;

/// A label behind its opening bracket, up to the closing one: where that stands.
pub(super) fn label(mut cursor: Cursor<'_>) -> Parsed<usize> {
    let start = cursor.at();
    loop {
        match byte!(cursor) {
            b']' => return Parsed::Found(cursor.at()),
            b'[' => return Parsed::Fails(cursor.at()),
            b'\\' => {
                cursor.advance();
                let _ = byte!(cursor);
                cursor.advance();
            }
            _ if cursor.at() - start > MAX_LABEL => return Parsed::Fails(cursor.at()),
            _ => cursor.advance(),
        }
    }
}

/// A backslash and what it escapes, if it does.
fn escaped(cursor: &mut Cursor<'_>, out: &mut String) {
    cursor.advance();
    match cursor.peek() {
        Peek::Byte(byte) if byte.is_ascii_punctuation() => {
            out.push(char::from(byte));
            cursor.advance();
        }
        Peek::Byte(_) | Peek::End | Peek::Unknown | Peek::Limit => out.push('\\'),
    }
}

fn literal(cursor: &mut Cursor<'_>, text: &str, out: &mut String) {
    let at = cursor.at();
    // Of a character of several bytes, the first brings the rest along.
    if let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        out.push(c);
    }
    cursor.advance();
}
