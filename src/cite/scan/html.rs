//! Raw HTML: blocks of it, and tags that become text.

use super::LOOK_AHEAD;
use super::line::line_end;
use super::node::NodeKind;
use super::scanner::{Input, Scanner};
use crate::cite::html::{Harm, comment_end, is_comment, judge_tag};

/// The report's code for HTML that became text.
pub(super) const HTML: &str = "html";

/// How much of such a tag the report shows.
pub(super) const MAX_TAG_CHARS: usize = 60;

impl Scanner {
    /// Makes text of a tag.
    pub(super) fn tag_is_text(&mut self, at: usize) {
        self.report(HTML, at, String::new());
        self.push(at..at + 1, NodeKind::Replace("&lt;".into()));
    }

    /// A line of a block of HTML: its tags are judged one by one.
    pub(super) fn html(&mut self, input: &Input<'_>) -> bool {
        let (end, complete) = line_end(input.text, self.at, input.finished);
        while input.rules.markdown
            && let Some(found) = input.text[self.at..end].find('<')
        {
            let at = self.at + found;
            self.opaque(self.at..at);
            self.at = at;
            let tag = &input.text[at..input.text.floor_char_boundary(end.min(at + LOOK_AHEAD))];
            let (harm, length) = if tag.starts_with("<!--") {
                let comment = comment_end(tag).filter(|length| is_comment(&tag[..*length]));
                comment.map_or((Harm::Tag, 4), |length| (Harm::None, length))
            } else {
                judge_tag(tag)
            };
            let is_open = harm == Harm::Tag && !tag[..length.min(tag.len())].ends_with('>') || tag.len() <= 4;
            if is_open && !complete && end - at < LOOK_AHEAD {
                return false;
            }
            match harm {
                Harm::Tag => {
                    self.tag_is_text(at);
                    self.at = at + 1;
                }
                Harm::None => {
                    self.opaque(at..at + length);
                    self.at = at + length;
                }
                Harm::Attributes(name) => self.cut_attributes(input, at, name, at + length),
            }
        }
        self.take_line(input, NodeKind::Opaque)
    }

    /// Takes the attributes out of the tag between `at` and `end`, which begin behind `name` bytes.
    pub(super) fn cut_attributes(&mut self, input: &Input<'_>, at: usize, name: usize, end: usize) {
        let tag = &input.text[at..end];
        self.report("html-attributes", at, format!("the attributes of {tag} were taken out"));
        let close = if tag.ends_with("/>") { end - 2 } else { end - 1 };
        self.push(at..at + name, NodeKind::TagStart { end });
        self.push(at + name..close, NodeKind::Cut);
        self.opaque(close..end);
        self.at = end;
    }
}
