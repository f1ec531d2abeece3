//! Offsets in three units, spans on character boundaries, ends of words, echoes, raw HTML, escapes of Markdown, and the removal
//! of invisible characters.

mod bytes;
mod cut;
mod drawn_html;
mod echo;
mod escape;
mod line;
mod offset;
mod plain;
mod span;
mod visible;
mod word;

pub(crate) use bytes::ByteSet;
pub use cut::{cut_at_word, end_within};
pub use drawn_html::{RawHtml, ends_paragraph, is_drawn, loses_text};
pub use echo::echo;
pub use escape::escape_markdown;
pub use line::in_terminal;
pub use line::one_line;
pub use offset::{ByteOffset, CharOffset, OffsetIndex, Utf16Offset};
pub use plain::plain_text;
pub use span::{InvalidSpan, Span};
pub use visible::visible;
pub(crate) use visible::{
    UNSEEN, ends_in_unseen_reference, first_unseen, is_blank, may_hold_unseen, push_visible, takes_no_room,
};
pub use word::{begins_with_blank, ends_sentence, word_end};
