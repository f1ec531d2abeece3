//! Text of an activity: link definitions that are citations, and plain text as Markdown.

use pulldown_cmark::Parser;

use super::activity_claims::Claims;
use crate::report::{Entry, Kind};

/// The text without the definitions that are citations: they go to their claims. `pointer` is that of the text.
pub(super) fn cite_definitions(text: &str, claims: &mut Claims, pointer: &str, warnings: &mut Vec<Entry>) -> String {
    if !text.contains("]:") {
        return text.to_owned();
    }
    let parser = Parser::new(text);
    let mut definitions: Vec<_> = parser.reference_definitions().iter().collect();
    definitions.sort_by_key(|(_, definition)| definition.span.start);
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for (label, definition) in definitions {
        let (target, title) = (definition.dest.as_ref(), definition.title.as_deref());
        if definition.span.start < from || !claims.define(label, target, title, pointer) {
            continue;
        }
        kept.push_str(&text[from..definition.span.start]);
        from = definition.span.end;
        if target.is_empty() {
            let message = format!("the definition of [{label}] leads nowhere");
            warnings.push(Entry::in_input(Kind::Note, "definition", pointer, message));
        }
    }
    kept.push_str(&text[from..]);
    // The lines of the definitions are empty now.
    kept.truncate(kept.trim_end().len());
    kept
}

/// Characters that mean something in Markdown wherever they stand. Brackets may be markers.
const MEANING: [char; 6] = ['\\', '`', '*', '_', '~', '<'];

/// Plain text as Markdown that shows the same. A line end stays one for readers.
pub(super) fn markdown(plain: &str) -> String {
    let mut text = String::with_capacity(plain.len());
    for (at, line) in plain.lines().enumerate() {
        if at > 0 {
            // Two blanks before the line end make it a line break.
            let is_break = !text.ends_with('\n') && !text.is_empty() && !line.trim().is_empty();
            text.push_str(if is_break { "  \n" } else { "\n" });
        }
        let content = line.trim_start();
        if content.starts_with(['#', '>', '+', '-', '=', '|']) {
            text.push('\\');
        }
        for c in content.chars() {
            if MEANING.contains(&c) {
                text.push('\\');
            }
            text.push(c);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_shows_the_same_as_markdown() {
        assert_eq!(markdown("a *b* <c> [1]\n\n# d\ne_f"), "a \\*b\\* \\<c> [1]\n\n\\# d  \ne\\_f");
        assert_eq!(markdown("💧 水 [1]"), "💧 水 [1]");
    }
}
