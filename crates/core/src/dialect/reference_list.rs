//! A reference list in the text, for channels that show only the text.

use std::fmt::Write as _;

use crate::cite::Position;
use crate::graph::Message;
use crate::text::escape_markdown;
use crate::url::without_directives;

/// The form of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// One line each, unescaped.
    Plain,
    /// One paragraph each, because Teams drops single line ends; titles are escaped.
    Markdown,
}

/// One line of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reference<'m> {
    /// The number in the text.
    pub(super) number: Position,
    /// The title, on one line.
    pub(super) title: String,
    /// The link or passage behind the title.
    pub(super) lead: Lead<'m>,
}

/// The lead from a reference to its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Lead<'m> {
    /// The address.
    Url(&'m str),
    /// The beginning of the passage, on one line.
    Passage(String),
    /// Neither; only the title is known.
    Nowhere,
}

/// The references of a message, in the order of their claims.
pub(super) fn references(message: &Message) -> impl Iterator<Item = Reference<'_>> {
    message.citation.iter().map(|claim| {
        let document = &claim.appearance;
        let lead = match (&document.url, &document.summary) {
            (Some(url), _) => Lead::Url(url),
            // Teams claims without a passage have the title as abstract, which adds nothing.
            (None, Some(passage)) if *passage != document.name => Lead::Passage(one_line(passage)),
            (None, Some(_) | None) => Lead::Nowhere,
        };
        Reference { number: claim.position.position(), title: one_line(&document.name), lead }
    })
}

/// Appends the list behind a blank line: `[1] Title: https://…`, with the passage in place of a missing address.
pub(super) fn append(text: &mut String, message: &Message, form: Form) {
    if message.citation.is_empty() {
        return;
    }
    let written = text.trim_end_matches(['\n', '\r']).len();
    text.truncate(written);
    for (at, reference) in references(message).enumerate() {
        let separator = match form {
            _ if text.is_empty() => "",
            Form::Plain if at > 0 => "\n",
            Form::Plain | Form::Markdown => "\n\n",
        };
        text.push_str(separator);
        text.push_str(&line(&reference, form));
    }
}

fn line(reference: &Reference<'_>, form: Form) -> String {
    let shown = |text: &str| match form {
        Form::Plain => text.to_owned(),
        Form::Markdown => escape_markdown(text),
    };
    let head = format!("[{}] {}", reference.number, shown(&reference.title));
    match &reference.lead {
        // People read these addresses.
        Lead::Url(url) if form == Form::Markdown => format!("{head}: {}", without_brackets(without_directives(url))),
        Lead::Url(url) => format!("{head}: {}", without_directives(url)),
        Lead::Passage(passage) => format!("{head}: {}", shown(passage)),
        Lead::Nowhere => head,
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Percent-encodes the characters behind the host that Markdown could read as another link: a path may hold
/// `[1](javascript:…)`.
fn without_brackets(url: &str) -> String {
    let host = url.find("://").map_or(0, |scheme| scheme + 3);
    let rest = url[host..].find(['/', '?', '#']).map_or(url.len(), |rest| host + rest);
    let mut out = url[..rest].to_owned();
    for c in url[rest..].chars() {
        match c {
            '[' | ']' | '(' | ')' | '<' | '>' | '\\' | '`' | '|' | '*' | '!' | '"' => {
                // Writing to a String cannot fail.
                let _ = write!(out, "%{:02X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_in_a_list_holds_no_link_of_its_own() {
        for (given, written) in [
            ("https://x/a[1](javascript:alert(1))", "https://x/a%5B1%5D%28javascript:alert%281%29%29"),
            ("http://[::1]/a_b~c?x=[1]#!", "http://[::1]/a_b~c?x=%5B1%5D#%21"),
            ("https://x", "https://x"),
        ] {
            assert_eq!(without_brackets(given), written);
        }
    }
}
