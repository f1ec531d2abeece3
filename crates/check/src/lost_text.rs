//! Finds text that Web Chat 4.18.1 loses because of raw HTML around it.

use citewire_core::text::RawHtml;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// The byte at which text begins that is lost; `None` if nothing is.
pub(super) fn find(text: &str) -> Option<usize> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let mut walk = Walk::default();
    Parser::new_ext(text, options)
        .into_offset_iter()
        .find_map(|(event, range)| walk.take(&event).then_some(range.start))
}

/// The walk over one text.
#[derive(Default)]
struct Walk {
    /// The lists, quotes, tables and headings around the current event: they hold the text behind a block element.
    containers: usize,
    /// Emphasis and links around the current event.
    spans: usize,
    /// The elements of HTML around the current event.
    html: RawHtml,
}

impl Walk {
    /// Whether the event has text that is lost.
    #[expect(clippy::wildcard_enum_match_arm, reason = "no other event has text that can be lost")]
    fn take(&mut self, event: &Event<'_>) -> bool {
        match event {
            Event::Start(Tag::Paragraph) => self.begin(false),
            Event::Start(Tag::HtmlBlock) => self.begin(true),
            Event::End(TagEnd::Paragraph | TagEnd::HtmlBlock) => self.html = RawHtml::default(),
            Event::Start(Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. } | Tag::Image { .. }) => {
                self.spans += 1;
            }
            Event::End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image) => {
                self.spans = self.spans.saturating_sub(1);
            }
            Event::Start(_) => self.containers += 1,
            Event::End(_) => self.containers = self.containers.saturating_sub(1),
            Event::InlineHtml(html) | Event::Html(html) => return self.containers == 0 && self.html.read(html),
            Event::Text(text) => return self.is_lost(text),
            _ => {}
        }
        false
    }

    fn begin(&mut self, is_html: bool) {
        self.html = if is_html && self.containers == 0 { RawHtml::block() } else { RawHtml::default() };
    }

    fn is_lost(&self, text: &str) -> bool {
        self.spans == 0 && self.containers == 0 && self.html.loses(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each was drawn in Web Chat 4.18.1, without the text behind `|`.
    #[test]
    fn text_behind_a_block_element_is_lost() {
        for text in [
            "a <div>b</div>| c",
            "a <ul><li>b</li></ul>| c",
            "a <hr>| c",
            "a <details>|b</details> c",
            "a <section>|b</section>",
            "<p>b</p>| c",
            "<dl><dt>|b</dt></dl>",
            "<details>\n<summary>|s</summary>\nb\n</details>",
            "x <b>a <div>b</div> y</b>| z",
            "a </p>| b",
            "<table>|b</table>",
            "<kbd>\n|b\n</kbd>",
            "<!-- a\n-->| b",
            "<!-- a <div> -->| b",
            "<div\n  class=\"a\">b</div>| c",
        ] {
            assert!(find(&text.replace('|', "")).is_some(), "{text}");
        }
    }

    #[test]
    fn text_in_an_element_is_drawn() {
        for text in [
            "a <b>b</b> c <sub>d</sub> e",
            "a <div>b</div>",
            "a <div>b</div> **c** [d](https://a.example/)",
            "<div>b</div>\n\nc",
            "<div>\nb\n</div>\n\nc",
            "<table><tr><td>b</td></tr></table>\n\nc",
            "- a <div>b</div> c",
            "> a <div>b</div> c",
            "# a <div>b</div> c\n\nd",
            "| a <div>b</div> c |\n| - |\n| d <div>e</div> f |",
            "a <tr>b</tr> c",
            "`<div>` c",
            "<script>b</script>\n\nc",
            "b <!-- a <div> --> c",
            "<form\n  class=\"a\"\n>\n  <button>b</button>\n<output></output>\n</form>",
            "<div\n  class=\"a\"\n>b</div>",
        ] {
            assert_eq!(find(text), None, "{text}");
        }
    }
}
