//! What is not plain text, in the order of the text.

use std::ops::Range;

use crate::cite::resolve::Indices;

/// A place where something other than plain text stands, or is to be written.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) range: Range<usize>,
    pub(super) kind: NodeKind,
}

/// What a link or image is that gives way to the sources that its text names.
#[derive(Clone, Debug)]
pub(super) struct CitedLink {
    pub(super) sources: Indices,
    /// Its text, or description.
    pub(super) shown: Range<usize>,
    /// Whether it is an image, whose `!` stands before the node: it may end a sentence.
    pub(super) image: bool,
    /// Where it led, when that is none of the sources.
    pub(super) lost: Option<String>,
}

#[derive(Clone, Debug)]
pub(super) enum NodeKind {
    /// A bracket that is text so far.
    Bracket,
    /// Code in blocks, addresses, tags, escapes, prefixes of lines: as it stands. Citations of places inside go behind it.
    Opaque,
    /// The end of a line of code or of a table, which is neither a header nor under one: as it stands.
    InBlock,
    /// A rule for which the line before can be a header as it stands, and not the text in it: as it stands.
    Rule,
    /// What stands before the text of a block that begins in its line: a bullet, `>`, blanks. As it stands.
    Prefix,
    /// `<https://…>` or `<…@…>`, likewise.
    Autolink,
    /// A code span, likewise.
    Code {
        /// Whether what looks like lines of delimiters in it makes no table, where they stand.
        headless: bool,
        /// Whether what closes it begins a line, and would open a fence there without a backtick further on, which may go.
        like_fence: bool,
    },
    /// The beginning of math or a formula, which ends there: as it stands. Citations of places inside go behind all of it.
    MathStart { end: usize },
    /// The beginning of a tag whose attributes go, likewise.
    TagStart { end: usize },
    /// The beginning of a link, which ends there.
    LinkStart { end: usize },
    /// The beginning of an image that becomes a link: `![`. The rest of it, `](…)`, is the node so much further on.
    ImageStart { end: usize, tail: usize, nameless: bool },
    /// The rest of a link or image.
    LinkEnd,
    /// `[n]` that is no marker, but equals what may be the number of a claim.
    Number,
    /// A marker of sources.
    Cite(Indices),
    /// A link or image that shows nothing but a marker of sources.
    CiteLink(Box<CitedLink>),
    /// The opening bracket of a link that cites a source: it goes, and so does the rest, but for the text, which ends there.
    TextStart { end: usize },
    /// The rest of such a link, in place of which the sources are cited; nothing where a marker follows that cites them.
    TextEnd(Option<Indices>),
    /// What parts two markers of which one vanishes.
    Separator,
    /// A marker that names nothing.
    Nameless { vanishes: bool },
    /// Something else is written here.
    Replace(String),
    /// Taken out.
    Cut,
    /// A line, or what has arrived of it, that is taken out.
    CutLine,
    /// The opening bracket of a link that is none any more. At the beginning of a line its text would begin a block.
    Unlinked,
    /// `![` of text, which no later definition may make an image.
    Exclamation,
    /// The two sides are kept apart.
    Separate,
    /// An opening that found no end in time: escaped.
    Escaped,
    /// A line end inside a paragraph that readers see as a blank.
    SoftBreak,
    /// Citations of places inside a code block, in a paragraph behind it.
    BehindBlock(Indices, String),
    /// `\[` before a number.
    EscapedNumber,
}

impl NodeKind {
    /// Where what begins here ends, when that is further on.
    pub(super) fn reaches(&self) -> Option<usize> {
        if let Self::MathStart { end }
        | Self::TagStart { end }
        | Self::LinkStart { end }
        | Self::ImageStart { end, .. } = self
        {
            Some(*end)
        } else {
            None
        }
    }

    /// Whether it is a marker, or what becomes one.
    pub(super) fn is_marker(&self) -> bool {
        matches!(self, Self::Cite(_) | Self::CiteLink(_) | Self::Nameless { .. } | Self::BehindBlock(..))
    }
}

impl Node {
    pub(super) fn new(range: Range<usize>, kind: NodeKind) -> Self {
        Self { range, kind }
    }

    /// Whether a marker may hold it: the end of a line and the blanks at the beginning of the next.
    pub(super) fn is_blank(&self, text: &str) -> bool {
        let is_opaque = matches!(self.kind, NodeKind::Opaque);
        matches!(self.kind, NodeKind::SoftBreak)
            || is_opaque && text[self.range.clone()].bytes().all(|byte| byte.is_ascii_whitespace())
    }
}
