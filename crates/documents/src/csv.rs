//! Values between separators: one table.

use csv::{ReaderBuilder, Trim};

use crate::encoding;
use crate::extracted::Extracted;
use crate::markdown::Markdown;
use crate::{Limits, Markup, Unreadable};

const SEPARATORS: [u8; 4] = *b",;\t|";

/// The table.
pub(crate) fn extract(bytes: &[u8], limits: &Limits) -> Result<Extracted, Unreadable> {
    let text = encoding::text_of(bytes)?;
    // Some programs name the separator in a line before the head.
    let named = text.strip_prefix("sep=").and_then(|rest| rest.split_once('\n'));
    let (separator, text) = match named {
        Some((separator, rest)) if separator.len() == 1 => (separator.as_bytes()[0], rest),
        Some(_) | None => (separator(&text), text.as_str()),
    };
    let mut builder = ReaderBuilder::new();
    let mut reader =
        builder.delimiter(separator).has_headers(false).flexible(true).trim(Trim::All).from_reader(text.as_bytes());
    let mut rows = Vec::new();
    for record in reader.records() {
        rows.push(record.map_err(Unreadable::damaged)?.iter().map(str::to_owned).collect());
    }
    let mut markdown = Markdown::new(limits.max_text_bytes);
    markdown.table(&rows)?;
    Ok(Extracted::whole(None, Markup::Markdown, markdown.finish()))
}

/// The separator that the first line has most of.
fn separator(text: &str) -> u8 {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let count = |separator: &u8| line.bytes().filter(|byte| byte == separator).count();
    SEPARATORS.into_iter().rev().max_by_key(count).unwrap_or(b',')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_with_any_separator_is_one_table() {
        for text in ["a,b\n\"c, d\",2\n", "sep=;\na;b\n\"c, d\";2\n", "a\tb\r\nc, d\t2", "a;b\n\"c, d\";2"] {
            let extracted = extract(text.as_bytes(), &Limits::default()).expect("a table");
            assert_eq!(extracted.pages[0].text, "| a | b |\n| --- | --- |\n| c, d | 2 |\n", "{text:?}");
        }
        assert_eq!(extract(b"a,Gr\xfc\xdfe", &Limits::default()), Err(Unreadable::NotUtf8));
    }
}
