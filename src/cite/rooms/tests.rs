//! What holds of the rooms by themselves. What they write together is read by the engines of Web Chat in `tests/engines`.

use std::ops::Range;

use super::read::{Container, Definition, Definitions, Inline, Leaf, LeafKind, Reader, Slice, read};
use crate::answer::{Answer, Source};
use crate::cite::Rules;

fn answer(text: &str) -> Answer {
    let web = |name: &str| Source {
        title: Some(name.to_uppercase()),
        url: format!("https://x/{name}").parse().ok(),
        ..Source::default()
    };
    Answer { text: text.into(), sources: vec![web("a"), web("b"), web("c")], ..Answer::default() }
}

/// Another core lost the badge: it left the backtick as it was, and what closed it had been escaped.
#[test]
fn a_bracket_behind_a_lone_backtick_is_a_badge() {
    let text = ":\n\n_\u{60}[[3]مرحبا- [x] &amp;\n\\\u{60}\u{60}\u{60}\n";
    let cited = super::cite(&answer(text), &Rules::web_chat());
    assert!(cited.text.starts_with(":\n\n_&#96;[[1]مرحبا- [x] &amp;\n"), "{:?}", cited.text);
    assert_eq!(cited.sources.len(), 1);
}

#[test]
fn what_is_plain_keeps_every_byte() {
    for same in [
        "- a\n- b\n  - c\n\n1. one\n\n   more\n2. two",
        "| a | b |\n|---|:-:|\n| c | d |\n\nend  \n",
        "a  \nb\\\nc\r\n\r\n> q\r\n> r",
        "1. a\n\n    ```\n    b\n\n      c\n    ```\n\n  ~~~\n  d\n  ~~~",
        "# A\n\n## B ##\n\nC\n===\n\n---\n\n```rust\nlet a = b[1];\n```",
        "$E = mc^2$ and \\(a_i\\) 30日です。 AT&T, 5 > 3 & 3 < 5, C:\\Users, `a[1]` ~~b~~ - [x] c",
        "<details>\n<summary>More</summary>\n</details>",
    ] {
        assert_eq!(super::cite(&answer(same), &Rules::web_chat()).text, same);
    }
}

/// A reader that holds tokens against the source.
struct Coverage<'t> {
    text: &'t str,
    leaves: usize,
}

impl Reader for Coverage<'_> {
    fn begin(&mut self, _at: usize) {}
    fn open(&mut self, _container: Container, _range: Range<usize>) {}
    fn close(&mut self, _container: Container, _range: Range<usize>) {}
    fn verbatim(&mut self, _leaf: &Leaf, _content: &str) {}
    fn definition(&mut self, _definition: &Definition) {}

    fn text(&mut self, leaf: &Leaf, inline: &Inline<'_>) {
        self.leaves += 1;
        let text = self.text;
        let mut done = leaf.range.start;
        for token in &inline.tokens {
            assert!(done <= token.range.start, "tokens overlap at {done} of {text:?}: {:?}", inline.tokens);
            self.gap(leaf, done..token.range.start);
            done = token.range.end;
        }
        self.gap(leaf, done..leaf.range.end.max(done));
    }
}

impl Coverage<'_> {
    /// What no token holds: blanks, prefixes of containers, and what makes a heading of a text.
    fn gap(&self, leaf: &Leaf, gap: Range<usize>) {
        let signs: &[char] = match leaf.kind {
            LeafKind::Heading(_) => &['#'],
            LeafKind::Underlined => &['=', '-'],
            LeafKind::Paragraph
            | LeafKind::Cell
            | LeafKind::Fence
            | LeafKind::Indented
            | LeafKind::Html
            | LeafKind::Rule => &[],
        };
        let lost =
            self.text[gap.clone()].trim_matches(|c| matches!(c, ' ' | '\t' | '\r' | '\n' | '>') || signs.contains(&c));
        assert!(lost.is_empty(), "{lost:?} at {gap:?} of {:?} is in no token", self.text);
    }
}

/// `# **[1]**` and a tab once lost an asterisk, and nothing noticed.
#[test]
fn tokens_and_the_gaps_between_them_cover_every_leaf() {
    let pieces = [
        "a",
        " ",
        "\n",
        "\n\n",
        "\r\n",
        "\t",
        "**",
        "*",
        "_",
        "`",
        "``",
        "[",
        "]",
        "[1]",
        "](x)",
        "[a]: /u\n",
        "(",
        ")",
        "!",
        "\\",
        "\\*",
        "\\[",
        "&amp;",
        "&#x202e;",
        "<b>",
        "<!-- c -->",
        "<https://x>",
        "# ",
        "> ",
        "- ",
        "1. ",
        "    ",
        "|",
        "|-|-|\n",
        "===\n",
        "---\n",
        "```\n",
        "~~~\n",
        "$",
        "日",
        "😀",
        "[^1]",
        "\n[^1]: ",
        "\0",
        "\u{feff}",
        "[x] ",
        "  \n",
        "\\\n",
        "#",
    ];
    let (mut state, mut leaves) = (1_usize, 0);
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..12 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text.push_str(pieces[(state >> 33) % pieces.len()]);
        }
        let slice = Slice { text: &text, range: 0..text.len(), finished: true };
        let mut coverage = Coverage { text: &text, leaves: 0 };
        read(&slice, &mut Definitions::default(), &|_| false, &mut coverage);
        leaves += coverage.leaves;
    }
    assert!(leaves > 20_000, "{leaves} leaves were looked at");
}
