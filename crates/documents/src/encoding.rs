//! Bytes as text.

use encoding_rs::{Encoding, UTF_8};

use crate::Unreadable;

/// The bytes at the beginning of an HTML file in which it may name its encoding.
const DECLARATION: usize = 2048;

/// The text of a file with Unix line ends. It is UTF-8, or UTF-16 with a byte order mark.
///
/// # Errors
/// When it is neither.
pub fn text_of(bytes: &[u8]) -> Result<String, Unreadable> {
    decode(bytes, UTF_8)
}

/// The text of an HTML file with Unix line ends. HTML may name another encoding than UTF-8 in its first bytes.
pub(crate) fn html_text(bytes: &[u8]) -> Result<String, Unreadable> {
    decode(bytes, declared(bytes).unwrap_or(UTF_8))
}

fn decode(bytes: &[u8], encoding: &'static Encoding) -> Result<String, Unreadable> {
    let (encoding, mark) = Encoding::for_bom(bytes).unwrap_or((encoding, 0));
    let text =
        encoding.decode_without_bom_handling_and_without_replacement(&bytes[mark..]).ok_or(Unreadable::NotUtf8)?;
    if text.contains('\u{0}') {
        return Err(Unreadable::NotUtf8);
    }
    Ok(text.replace("\r\n", "\n").replace('\r', "\n"))
}

fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(DECLARATION)]).to_ascii_lowercase();
    let names = ["charset=", "encoding="].into_iter().filter_map(|name| start.split_once(name));
    names.map(|(_, rest)| rest.trim_start_matches(['"', '\''])).find_map(|rest| {
        let label = rest.split(|c: char| !c.is_ascii_alphanumeric() && !"-_:".contains(c)).next()?;
        Encoding::for_label(label.as_bytes())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_every_editor_are_read() {
        assert_eq!(text_of(b"\xef\xbb\xbfa\r\n\r\nb\rc").as_deref(), Ok("a\n\nb\nc"));
        assert_eq!(text_of(b"\xff\xfea\0\xfc\0").as_deref(), Ok("a\u{fc}"));
        assert_eq!(text_of(b"Gr\xfc\xdfe"), Err(Unreadable::NotUtf8));
        assert_eq!(
            html_text(b"<meta charset=\"iso-8859-1\">Gr\xfc\xdfe").map(|text| text.ends_with("Gr\u{fc}\u{df}e")),
            Ok(true)
        );
    }
}
