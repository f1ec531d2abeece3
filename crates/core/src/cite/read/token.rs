//! The result of reading: the tokens of one leaf, as ranges of the source.

use std::ops::Range;

use pulldown_cmark::{CowStr, LinkType};
use smallvec::SmallVec;

/// A range of the source within one leaf, and its kind. Tokens come in the order of the source and do not overlap. Only
/// blanks, line prefixes of containers, and the hashes or underline of a heading stand between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) range: Range<usize>,
}

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// Literal characters, and emphasis delimiters: engines that see the same characters agree about emphasis, so it needs
    /// no decision.
    Text,
    /// A backslash and the character that it escapes.
    Escape,
    /// A character reference.
    Entity,
    /// A line end that readers see as a blank, with the blanks before it.
    SoftBreak,
    /// A line end that breaks the line, with the blanks or the backslash that say so.
    HardBreak,
    /// A code span with its backticks.
    Code,
    /// A tag, comment or other piece of HTML in a paragraph.
    Html,
    /// `<https://…>` or `<…@…>`.
    Autolink,
    /// The opening bracket of a link or image. The number is its index in [`Inline::links`].
    Open(usize),
    /// The end of this link: the closing bracket, and an address or label behind it.
    Close(usize),
}

/// A link or an image.
#[derive(Clone, Debug)]
pub(crate) struct Link<'s> {
    pub(crate) is_image: bool,
    pub(crate) form: Form,
    pub(crate) url: CowStr<'s>,
    pub(crate) title: CowStr<'s>,
    /// The label of the definition; empty for an inline link.
    pub(crate) label: CowStr<'s>,
    /// The indices of its two tokens.
    pub(crate) open: usize,
    pub(crate) close: usize,
}

/// How a link is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `[text](address)`.
    Inline,
    /// `[text][label]`.
    Full,
    /// `[label][]` or `[label]`.
    Short,
}

impl Form {
    pub(super) fn of(link: LinkType) -> Self {
        match link {
            LinkType::Reference | LinkType::ReferenceUnknown => Self::Full,
            LinkType::Collapsed | LinkType::CollapsedUnknown | LinkType::Shortcut | LinkType::ShortcutUnknown => {
                Self::Short
            }
            LinkType::Inline | LinkType::Autolink | LinkType::Email | LinkType::WikiLink { .. } => Self::Inline,
        }
    }
}

/// The text of one leaf: a paragraph, a heading or a cell.
#[derive(Debug, Default)]
pub(crate) struct Inline<'s> {
    pub(crate) tokens: Vec<Token>,
    pub(crate) links: Vec<Link<'s>>,
    /// Emphasis, by the ranges from its opening to its closing signs, in the order of their beginnings.
    pub(crate) emphasis: SmallVec<[Range<usize>; 4]>,
    /// The content of code spans that span several lines or hold a NUL, by offset.
    pub(super) code: Vec<(usize, CowStr<'s>)>,
}

impl Inline<'_> {
    pub(super) fn clear(&mut self) {
        self.tokens.clear();
        self.links.clear();
        self.emphasis.clear();
        self.code.clear();
    }

    /// The content of the code span at `start`, when it differs from the source.
    pub(crate) fn code_at(&self, start: usize) -> Option<&str> {
        self.code.iter().find(|(at, _)| *at == start).map(|(_, content)| &**content)
    }

    /// From the start of the first token to the end of the last; `None` without tokens.
    pub(crate) fn range(&self) -> Option<Range<usize>> {
        Some(self.tokens.first()?.range.start..self.tokens.last()?.range.end)
    }
}

/// A block that holds other blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Container {
    Quote,
    List,
    Item,
    /// A footnote, from its label on.
    Note,
    /// A table with this number of columns.
    Table(usize),
    /// A row of a table; the first one is its head.
    Row {
        is_head: bool,
    },
}

/// A block that holds text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Leaf {
    pub(crate) kind: LeafKind,
    /// From its first byte to the end of its content, without line ends behind it.
    pub(crate) range: Range<usize>,
    /// In an unfinished text, the offset from which the leaf may still change. `None` for a complete leaf.
    pub(crate) held: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LeafKind {
    Paragraph,
    /// A heading with this number of hashes.
    Heading(usize),
    /// A heading with a line of `=` or `-` below it.
    Underlined,
    Cell,
    /// Code between fences.
    Fence,
    /// Code by its indentation.
    Indented,
    Html,
    Rule,
}

impl LeafKind {
    /// The kind of the heading that `source` holds.
    pub(super) fn of_heading(source: &str) -> Self {
        let hashes = source.bytes().take_while(|byte| *byte == b'#').count();
        let behind = source.as_bytes().get(hashes);
        let is_hashed = (1..=6).contains(&hashes) && behind.is_none_or(u8::is_ascii_whitespace);
        if is_hashed { Self::Heading(hashes) } else { Self::Underlined }
    }
}

/// A definition that the model wrote: `[label]: address "title"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Definition {
    pub(crate) range: Range<usize>,
    pub(crate) label: String,
    pub(crate) url: String,
    pub(crate) title: String,
}
