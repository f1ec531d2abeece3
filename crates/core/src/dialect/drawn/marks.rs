//! What a channel writes where Markdown has its marks: data.

use std::borrow::Cow;

use super::super::reference_list::{Lead, Reference};

/// What stands before and behind something.
pub(in crate::dialect) type Pair = (&'static str, &'static str);

/// The marks of one channel.
#[derive(Debug)]
pub(in crate::dialect) struct Marks {
    pub(in crate::dialect) strong: Pair,
    pub(in crate::dialect) emphasis: Pair,
    pub(in crate::dialect) strikethrough: Pair,
    /// Around code in a line. Nothing in it is a mark.
    pub(in crate::dialect) code: Pair,
    /// Around a block of code.
    pub(in crate::dialect) block: Pair,
    pub(in crate::dialect) quote: Quote,
    pub(in crate::dialect) tables: Tables,
    /// Writes a text so that it means nothing.
    pub(in crate::dialect) escape: fn(&str) -> Cow<'_, str>,
    /// A link: its address, and its text as it is written. The address holds no blank, no quote and none of `<>|`.
    pub(in crate::dialect) link: fn(&str, &str) -> String,
    /// The number of a source, which links to its address where it has one.
    pub(in crate::dialect) badge: fn(Option<&str>, &str) -> String,
}

/// How quotes are shown. A quote in a quote is a part of it: neither Slack nor Telegram has two levels.
#[derive(Clone, Copy, Debug)]
pub(in crate::dialect) enum Quote {
    /// By what stands before each of its lines.
    Lines(&'static str),
    /// By what stands around it.
    Around(Pair),
}

/// How tables are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::dialect) enum Tables {
    /// As a block of code, whose letters are of one width.
    Padded,
    /// As lines: the letters differ in width.
    Lines,
}

/// A text that has no marks at all.
pub(in crate::dialect) const PLAIN: Marks = Marks {
    strong: ("", ""),
    emphasis: ("", ""),
    strikethrough: ("", ""),
    code: ("", ""),
    block: ("", ""),
    quote: Quote::Lines("> "),
    tables: Tables::Lines,
    escape: |text| text.into(),
    link: |url, text| match is_address(text, url) {
        true => text.to_owned(),
        false => format!("{text} ({url})"),
    },
    badge: |_, number| format!("[{number}]"),
};

impl Marks {
    /// A line of the list of references: `[1] Title` with its link, or with the beginning of its passage.
    pub(super) fn reference(&self, reference: &Reference<'_>, url: Option<&str>) -> String {
        let title = (self.escape)(&reference.title);
        let number = (self.escape)(&format!("[{}]", reference.number)).into_owned();
        match (&reference.lead, url) {
            (Lead::Url(_), Some(url)) => format!("{number} {}", (self.link)(url, &title)),
            (Lead::Passage(passage), _) => format!("{number} {title}: {}", (self.escape)(passage)),
            (Lead::Url(_) | Lead::Nowhere, _) => format!("{number} {title}"),
        }
    }

    /// Code between its marks. No channel has an escape for the end of code, so code that holds it is shown as text.
    pub(super) fn around(&self, pair: Pair, code: &str) -> String {
        let code = (self.escape)(code);
        let end = pair.1.trim();
        if !end.is_empty() && code.contains(end) { code.into_owned() } else { [pair.0, &code, pair.1].concat() }
    }
}

/// Whether a link shows its own address.
fn is_address(text: &str, url: &str) -> bool {
    text == url || url.strip_prefix("mailto:") == Some(text)
}

/// The text with the three characters escaped that begin something in HTML and in Slack's mrkdwn
/// (<https://api.slack.com/reference/surfaces/formatting>, <https://core.telegram.org/bots/api#html-style>).
pub(in crate::dialect) fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(['&', '<', '>']) {
        return text.into();
    }
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").into()
}
