//! The list of sources at the end of a text, for clients that draw nothing beside the text.

use std::fmt::Write as _;

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};

use crate::text::{cut_at_word, escape_markdown, one_line, plain_text};
use crate::url::WebUrl;

/// The longest passage in a list, in UTF-16 code units.
const MAX_PASSAGE_UTF16: usize = 160;

/// An entry of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reference {
    /// The name of the source, on one line.
    pub(super) name: String,
    pub(super) url: Option<WebUrl>,
    /// Shown where there is no address.
    pub(super) passage: Option<String>,
}

/// Appends the list in Markdown, a paragraph for each entry: `[1] [Title](https://…)`, or the passage in place of a missing address.
/// A code fence that the text leaves open is closed before it.
pub(super) fn append(text: &mut String, references: &[Reference]) {
    if references.is_empty() {
        return;
    }
    if let Some(fence) = open_fence(text) {
        text.push_str(if text.ends_with('\n') { "" } else { "\n" });
        text.push_str(&fence);
    }
    for (number, reference) in (1..).zip(references) {
        text.push_str(match text.as_str() {
            "" => "",
            text if text.ends_with("\n\n") => "",
            text if text.ends_with('\n') => "\n",
            _ => "\n\n",
        });
        text.push_str(&entry(number, reference));
    }
}

fn entry(number: usize, Reference { name, url, passage }: &Reference) -> String {
    let name = escape_markdown(name);
    let mut entry = format!("[{number}] ");
    // Writing to a String cannot fail.
    let _ = match (url, passage) {
        (Some(url), _) => write!(entry, "[{name}]({})", url.markdown()),
        (None, Some(passage)) => {
            let passage = one_line(&plain_text(passage)).into_owned();
            write!(entry, "{name}: {}", escape_markdown(&cut_at_word(&passage, MAX_PASSAGE_UTF16)))
        }
        (None, None) => write!(entry, "{name}"),
    };
    entry
}

/// The line that closes the code fence which a text leaves open. A fence in a list or a quote ends with that.
fn open_fence(text: &str) -> Option<String> {
    if !text.contains("```") && !text.contains("~~~") {
        return None;
    }
    // A paragraph behind a text is a paragraph, unless a fence takes it in.
    let behind = format!("{text}\n\nx");
    let is_fence = |event: &Event<'_>| matches!(event, Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))));
    let blocks = Parser::new(&behind).into_offset_iter().filter(|(event, _)| is_fence(event)).map(|(_, range)| range);
    let last = blocks.last().filter(|block| block.end == behind.len())?;
    let opening = &behind[last];
    let sign = opening.chars().next()?;
    Some(opening.chars().take_while(|c| *c == sign).collect())
}

/// A text without such a list at its end. The client of a chat sends back what it was sent, and a model would imitate the list.
pub(super) fn without_list(text: &str) -> &str {
    let mut kept = text.trim_end();
    let mut follows: Option<usize> = None;
    while let Some((before, paragraph)) = kept.rsplit_once("\n\n") {
        let number = paragraph.strip_prefix('[').and_then(|rest| rest.split_once("] ")?.0.parse::<usize>().ok());
        let number = number.filter(|number| !paragraph.contains('\n') && follows.is_none_or(|next| number + 1 == next));
        match number {
            Some(1) => return before.trim_end(),
            Some(number) => (kept, follows) = (before.trim_end(), Some(number)),
            None => break,
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reference(name: &str, url: &str, passage: &str) -> Reference {
        let passage = Some(passage.to_owned()).filter(|passage| !passage.is_empty());
        Reference { name: name.to_owned(), url: url.parse().ok(), passage }
    }

    fn listed(text: &str, references: &[Reference]) -> String {
        let mut out = text.to_owned();
        append(&mut out, references);
        out
    }

    #[test]
    fn an_entry_has_the_address_else_the_passage_else_the_name() {
        let references = [
            reference("A *b* [c]", "https://x.example/a (1).pdf", "not shown"),
            reference("B", "", "**Leave** is\n\n30 days."),
            reference("C", "", ""),
        ];
        assert_eq!(
            listed("Text [1].", &references),
            "Text [1].\n\n[1] [A \\*b\\* \\[c\\]](https://x.example/a%20%281%29.pdf)\n\n[2] B: Leave is 30 days.\n\n[3] C"
        );
        assert_eq!(listed("Text.", &[]), "Text.");
        assert_eq!(listed("", &references[2..]), "[1] C");
    }

    #[test]
    fn a_list_stands_outside_the_code_that_a_text_leaves_open() {
        let one = [reference("C", "", "")];
        for (text, expected) in [
            ("a\n```rust\nlet x;", "a\n```rust\nlet x;\n```\n\n[1] C"),
            ("````\n```\n", "````\n```\n````\n\n[1] C"),
            ("~~~\na\n~~~", "~~~\na\n~~~\n\n[1] C"),
            ("- a\n  ```\n  b", "- a\n  ```\n  b\n\n[1] C"),
            ("a\n", "a\n\n[1] C"),
        ] {
            assert_eq!(listed(text, &one), expected);
        }
    }

    #[test]
    fn a_list_that_comes_back_is_taken_off_and_no_other_paragraph() {
        let two = [reference("A", "https://x.example/a", ""), reference("B", "", "Passage.")];
        for text in ["Leave is long [1]. Or [2].", "- a [1]\n- b", "One.\n\nTwo [1]."] {
            assert_eq!(without_list(&listed(text, &two)), text);
        }
        for same in
            ["Yes [1].", "[1] A", "One.\n\n[2] B", "One.\n\n[1] A\n\n[3] C", "One.\n\n[1] A\nmore", "a\n\n[x] b"]
        {
            assert_eq!(without_list(same), same);
        }
    }
}
