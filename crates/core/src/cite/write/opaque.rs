//! Finds what readers do not read as text: code, HTML, math and addresses, for programs that write into a copy of the source.

use std::iter::Peekable;
use std::ops::Range;
use std::slice::Iter;

use crate::cite::decide::{Context, Piece};
use crate::cite::read::{Form, Inline, Token, TokenKind};
use crate::cite::{Opaque, OpaqueKind};

/// Beginnings of a bare address.
const ADDRESS_BEGINS: [&str; 3] = ["http://", "https://", "www."];

/// The signs of struck text, which the parser does not read.
const STRIKES: &str = "~~";

/// The opaque parts of one leaf, as ranges of the source, in order.
pub(super) fn of_leaf(cx: &Context<'_>, inline: &Inline<'_>, pieces: &[Piece]) -> Vec<Opaque> {
    let mut leaf = Leaf {
        text: cx.text,
        inline,
        found: Vec::new(),
        address: 0..0,
        link: None,
        emphasis: inline.emphasis.iter().peekable(),
        spans: Vec::new(),
        strikes: 0,
    };
    pieces.iter().for_each(|piece| leaf.piece(piece));
    leaf.found.retain(|found| found.kind != OpaqueKind::Math || is_alone(cx.text, &found.range));
    leaf.found
}

/// The opaque parts of a leaf whose text is not decided about, because it is copied as it stands.
pub(super) fn of_undecided_leaf(cx: &Context<'_>, inline: &Inline<'_>) -> Vec<Opaque> {
    let piece = |Token { kind, range }: &Token| match *kind {
        TokenKind::Code => Piece::Code(range.clone()),
        TokenKind::Html => Piece::Tag { range: range.clone(), name: None },
        TokenKind::Autolink => Piece::Autolink(range.clone()),
        TokenKind::Open(link) => Piece::Open { link, is_image: false },
        TokenKind::Close(link) => Piece::Close { link, url: None },
        TokenKind::Text | TokenKind::Escape | TokenKind::Entity | TokenKind::SoftBreak | TokenKind::HardBreak => {
            Piece::Text(range.clone())
        }
    };
    let pieces: Vec<Piece> = inline.tokens.iter().map(piece).collect();
    of_leaf(cx, inline, &pieces)
}

/// Whether a formula ends with the dollars that it begins with.
fn is_closed(formula: &str) -> bool {
    let dollars = if formula.starts_with("$$") { "$$" } else { "$" };
    formula.strip_prefix(dollars).is_some_and(|rest| rest.ends_with(dollars))
}

/// Whether no word or number stands beside a formula. Engines disagree on dollars there, and those that see no formula see what is
/// in it.
fn is_alone(text: &str, formula: &Range<usize>) -> bool {
    !text[..formula.start].ends_with(char::is_alphanumeric) && !text[formula.end..].starts_with(char::is_alphanumeric)
}

/// The walk over the pieces of one leaf.
struct Leaf<'l, 's> {
    text: &'l str,
    inline: &'l Inline<'s>,
    found: Vec<Opaque>,
    /// The last bare address.
    address: Range<usize>,
    /// Where the text of the open link ends.
    link: Option<usize>,
    /// The emphasis that is still to begin, and the ends of that which has begun: each is looked at once.
    emphasis: Peekable<Iter<'l, Range<usize>>>,
    spans: Vec<usize>,
    /// The number of strikes so far.
    strikes: usize,
}

impl Leaf<'_, '_> {
    fn piece(&mut self, piece: &Piece) {
        match piece {
            Piece::Text(range) => self.text(range.clone()),
            Piece::Code(range) => self.push(range.clone(), OpaqueKind::Code),
            Piece::Tag { range, .. } => self.push(range.clone(), OpaqueKind::Html),
            Piece::Autolink(range) => self.push(range.clone(), OpaqueKind::Address),
            Piece::Verbatim(range) => self.verbatim(range.clone()),
            Piece::Open { link, .. } => {
                self.link = Some(self.inline.tokens[self.inline.links[*link].close].range.start);
            }
            Piece::Close { link, .. } => {
                self.link = None;
                let link = &self.inline.links[*link];
                if link.form == Form::Inline {
                    self.push(self.inline.tokens[link.close].range.clone(), OpaqueKind::Address);
                }
            }
            Piece::Badges { range, .. } => {
                if let Some(Opaque { range: address, kind: OpaqueKind::BareAddress }) = self.found.last_mut() {
                    address.end = address.end.min(range.start);
                    self.address.end = address.end;
                }
            }
            Piece::Literal(_)
            | Piece::Nameless
            | Piece::Escape(_)
            | Piece::Entity(_)
            | Piece::SoftBreak(_)
            | Piece::HardBreak(_)
            | Piece::Break(_)
            | Piece::Script(..)
            | Piece::Number(_)
            | Piece::Unbracketed(_)
            | Piece::Dropped(_)
            | Piece::Apart
            | Piece::Gone(_) => {}
        }
    }

    /// A formula comes in several pieces. Between escaped brackets it is none to some programs, and a number in it is text.
    fn verbatim(&mut self, range: Range<usize>) {
        match self.found.last_mut() {
            Some(Opaque { range: last, kind: OpaqueKind::Math }) if !is_closed(&self.text[last.clone()]) => {
                last.end = range.end;
            }
            _ if self.text[range.clone()].starts_with('$') => self.push(range, OpaqueKind::Math),
            _ => {}
        }
    }

    fn text(&mut self, range: Range<usize>) {
        let mut from = range.start.max(self.end());
        while from < range.end {
            let text = &self.text[from..range.end];
            let mut begins = memchr::memchr2_iter(b'h', b'w', text.as_bytes());
            let begin = begins.find(|at| ADDRESS_BEGINS.iter().any(|begin| text[*at..].starts_with(begin)));
            self.strikes += text[..begin.unwrap_or(text.len())].matches(STRIKES).count();
            let Some(begin) = begin.map(|at| from + at) else { return };
            self.address = begin..self.end_of_address(begin);
            from = self.address.end;
            self.push(self.address.clone(), OpaqueKind::BareAddress);
        }
    }

    /// Where the bare address that begins here ends. Nothing but a blank, `<` and the end of the emphasis, link or leaf around it
    /// ends one, not even code.
    fn end_of_address(&mut self, begin: usize) -> usize {
        while let Some(span) = self.emphasis.next_if(|span| span.start <= begin) {
            // Stars in an address begin no emphasis.
            if !self.address.contains(&span.start) {
                self.spans.push(span.end);
            }
        }
        while self.spans.pop_if(|end| *end <= begin).is_some() {}
        let leaf = self.inline.range().map_or(begin, |range| range.end);
        let limit = self.spans.last().copied().into_iter().chain(self.link).fold(leaf, usize::min).max(begin);
        let address = &self.text[begin..limit];
        let word = &address[..address.find(|c: char| c.is_whitespace() || c == '<').unwrap_or(address.len())];
        let struck = if self.strikes % 2 == 1 { word.find(STRIKES) } else { None };
        begin + struck.unwrap_or(word.len())
    }

    fn end(&self) -> usize {
        self.found.last().map_or(0, |last| last.range.end)
    }

    fn push(&mut self, range: Range<usize>, kind: OpaqueKind) {
        let range = range.start.max(self.end())..range.end;
        if !range.is_empty() {
            self.found.push(Opaque { range, kind });
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::answer::{Answer, MarkerGrammar, Source};
    use crate::cite::{CitedText, Rules, cite};

    fn numbered(text: &str, grammar: MarkerGrammar) -> CitedText {
        let sources = vec![Source::default()];
        cite(&Answer { text: text.into(), sources, grammar, ..Answer::default() }, &Rules::numbered())
    }

    /// The text of a program, with a dot for every opening bracket that is text.
    fn shown(text: &str) -> String {
        let CitedText { text, opaque, .. } = numbered(text, MarkerGrammar::BRACKETED_NUMBERS);
        assert!(opaque.is_sorted_by(|one, next| one.range.end <= next.range.start), "{opaque:?}");
        let is_text = |at: usize| !opaque.iter().any(|part| part.range.contains(&at));
        text.char_indices().map(|(at, c)| if c == '[' && is_text(at) { '.' } else { c }).collect()
    }

    #[test]
    fn brackets_are_text_but_in_code_math_html_and_addresses() {
        for (text, expected) in [
            ("`a[0]` b[0]", "`a[0]` b.0]"),
            ("```\na[0]\n```\nb[0]", "```\na[0]\n```\nb.0]"),
            ("    a[0]\n\nb[0]", "    a[0]\n\nb.0]"),
            ("<p id=\"[0]\">\n\nb[0]", "<p id=\"[0]\">\n\nb.0]"),
            ("$a[0]$ it costs $5 [0] or $6 [0]$7", "$a[0]$ it costs $5 .0] or $6 .0]$7"),
            ("$$a[0]\n= b[0]$$ [0]", "$$a[0]\n= b[0]$$ .0]"),
            ("$a[0]$\n$a[0]$a", "$a[0]$\n$a.0]$a"),
            ("$5 [a](u[0])[0]$5 a$b[0]$", "$5 .a](u[0]).0]$5 a$b.0]$"),
            ("<b title=\"[0]\"> [0]", "<b title=\"[0]\"> .0]"),
            ("[a [0]](https://x/[0] \"[0]\") [0]", ".a .0]](https://x/[0] \"[0]\") .0]"),
            ("![a [0]](u[0])[0]", "!.a .0]](u[0]).0]"),
            ("<https://x/[0]> https://x/[0] www.x/[0] x[0]", "<https://x/[0]> https://x/[0] www.x/[0] x.0]"),
            ("[a][0] [0]\n\n[0]: /u[0]", ".a].0] .0]\n\n.0]: /u[0]"),
            ("> [0](u[0])", "> .0](u[0])"),
            ("https://x/`a`[0] `https://x`[0]", "https://x/`a`[0] `https://x`.0]"),
            ("**https://x/[0]**[0] *www.x* [0]", "**https://x/[0]**.0] *www.x* .0]"),
            ("~~https://x/[0]~~[0] https://x/~~[0]~~", "~~https://x/[0]~~.0] https://x/~~[0]~~"),
            ("[see https://x/[0]](/u)[0]", ".see https://x/[0]](/u).0]"),
            (
                "| https://x/[0] | `[0]` |\n|---|---|\n| [0] | $[0]$ |",
                "| https://x/[0] | `[0]` |\n|---|---|\n| .0] | $[0]$ |",
            ),
            // Behind a badge, which a program keeps apart, the address has ended.
            ("https://x/[0][1][0]", "https://x/[0].1].0]"),
        ] {
            assert_eq!(shown(text), expected);
        }
    }

    /// The footnote gives way to the source, and programs are handed it as it stands.
    #[test]
    fn brackets_in_a_footnote_that_gives_way_are_told_apart_too() {
        let text = "a[^1]\n\n[^1]: `a[0]` a[0] https://x/[0]\n\n    ```\n    a[0]\n    ```";
        let CitedText { text, opaque, .. } = numbered(text, MarkerGrammar::ALL);
        let parts: Vec<&str> = opaque.iter().map(|part| &text[part.range.clone()]).collect();
        assert_eq!(parts, ["`a[0]`", "https://x/[0]", "```\n    a[0]\n    ```"]);
    }

    /// Each address once looked at all emphasis and all addresses before it.
    #[test]
    fn many_addresses_in_emphasis_are_read_once() {
        for piece in ["**https://x** ", "www.x ", "~~https://x~~ ", "*a* http://x/*[0] ", "[a](https://x)[0] "] {
            let CitedText { opaque, .. } = numbered(&piece.repeat(40_000), MarkerGrammar::BRACKETED_NUMBERS);
            assert_eq!(opaque.len(), 40_000, "{piece}");
        }
    }
}
