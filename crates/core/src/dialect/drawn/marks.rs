//! The markup of a channel in place of Markdown, as data.

use std::borrow::Cow;

use super::super::reference_list::{Lead, Reference};

/// The strings before and behind a piece of text.
pub(crate) type Pair = (&'static str, &'static str);

/// The markup of one channel.
#[derive(Debug)]
pub(crate) struct Marks {
    pub(crate) strong: Pair,
    pub(crate) emphasis: Pair,
    pub(crate) strikethrough: Pair,
    /// Around inline code. Marks inside it have no effect.
    pub(crate) code: Pair,
    /// Around a block of code.
    pub(crate) block: Pair,
    pub(crate) quote: Quote,
    /// Between two lines of a paragraph.
    pub(crate) line_end: &'static str,
    pub(crate) tables: Tables,
    /// Escapes a text so that the channel reads no markup in it.
    pub(crate) escape: fn(&str) -> Cow<'_, str>,
    /// Escapes code between its marks.
    pub(crate) escape_code: fn(&str) -> Cow<'_, str>,
    /// Writes a link from its address and its drawn text. The address holds no blanks, quotes or `<>|`.
    pub(crate) link: fn(&str, &str) -> String,
    /// Writes the number of a source from its address, if it has one, and the number.
    pub(crate) badge: fn(Option<&str>, &str) -> String,
}

/// The form of quotes. A nested quote becomes a part of the outer one, because neither Slack nor Telegram has two levels.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Quote {
    /// A prefix for each line.
    Lines(&'static str),
    /// A pair around the quote.
    Around(Pair),
}

/// The form of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tables {
    /// A code block with padded columns, because its font is monospaced.
    Padded,
    /// Plain lines, because the font is proportional.
    Lines,
}

/// Text without any markup.
pub(crate) const PLAIN: Marks = Marks {
    strong: ("", ""),
    emphasis: ("", ""),
    strikethrough: ("", ""),
    code: ("", ""),
    block: ("", ""),
    quote: Quote::Lines("> "),
    line_end: "\n",
    tables: Tables::Lines,
    escape: |text| text.into(),
    escape_code: |code| code.into(),
    link: |url, text| match is_address(text, url) {
        true => text.to_owned(),
        false => format!("{text} ({url})"),
    },
    badge: |_, number| format!("[{number}]"),
};

impl Marks {
    /// A line of the reference list: `[1] Title` with its link, or with the beginning of its passage.
    pub(crate) fn reference(&self, reference: &Reference<'_>, url: Option<&str>) -> String {
        let title = (self.escape)(&reference.title);
        let number = (self.escape)(&format!("[{}]", reference.number)).into_owned();
        match (&reference.lead, url) {
            (Lead::Url(_), Some(url)) => format!("{number} {}", (self.link)(url, &title)),
            (Lead::Passage(passage), _) => format!("{number} {title}: {}", (self.escape)(passage)),
            (Lead::Url(_) | Lead::Nowhere, _) => format!("{number} {title}"),
        }
    }

    /// Code between its marks. No channel can escape the end mark, so code that contains it is written as text.
    pub(super) fn around(&self, pair: Pair, code: &str) -> String {
        let (end, written) = (pair.1.trim(), (self.escape_code)(code));
        if !end.is_empty() && written.contains(end) {
            (self.escape)(code).into_owned()
        } else {
            [pair.0, &written, pair.1].concat()
        }
    }
}

/// Whether the text of a link is its address.
fn is_address(text: &str, url: &str) -> bool {
    text == url || url.strip_prefix("mailto:") == Some(text)
}

/// Escapes the three characters that begin markup in HTML and in Slack's mrkdwn
/// (<https://api.slack.com/reference/surfaces/formatting>, <https://core.telegram.org/bots/api#html-style>).
pub(crate) fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(['&', '<', '>']) {
        return text.into();
    }
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").into()
}
