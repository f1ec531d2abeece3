//! Answers that have made rewriters stumble: pieces of Markdown, markers and what stands around them, glued at random.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::expectation::Sources;

/// What the answers cite. No title is a word of the pieces, so that no piece is taken for a list of references.
pub(super) fn sources() -> Sources {
    Sources {
        all: vec![
            (Some("https://src.example/a%20%281%29"), "The \"quoted\" & <b>bold</b> \\ title"),
            (None, "A passage & nothing else"),
            (Some("https://src.example/c?x=1&copy=2"), "Third *title* [1] `code`"),
        ],
        names: vec![("【4:0†a】", 3), ("c.pdf", 3)],
    }
}

/// Where the one label leads that generated answers define for links of their own.
pub(super) const FORWARD_URL: &str = "https://ok.example/foo";

/// The same sources as an answer brings them along, in the given order of places.
pub(super) fn manifest(order: &[usize]) -> Vec<serde_json::Value> {
    let all = sources().all;
    let source = |place: &usize| {
        let (url, title) = all[place - 1];
        let mut source = serde_json::json!({"title": title, "url": url, "content": "What it says."});
        if *place == 3 {
            source["marker"] = "【4:0†a】".into();
            source["filepath"] = "c.pdf".into();
        }
        source
    };
    order.iter().map(source).collect()
}

const MARKERS: &[&str] = &[
    "[1]",
    "[2]",
    "[3]",
    "[9]",
    "[1]",
    "[2]",
    "[ 1 ]",
    "[doc1]",
    "[Docs 2]",
    "[doc9]",
    "[1, 2]",
    "[1-3]",
    "[1, 9]",
    "[^1^]",
    "[^2]",
    "[^9]",
    "【1】",
    "【9】",
    "【4:0†a】",
    "【3†c.pdf】",
    "[c.pdf]",
    "[[1]](https://evil.example)",
    "[1](https://evil.example)",
    "[2](2024)",
    "[1](see y)",
    "![1](https://evil.example/i.png)",
    "\u{e200}cite\u{e202}c.pdf\u{e201}",
    "\u{e200}cite\u{e202}nobody\u{e201}",
    "a[1]",
    "x_y[2]",
    "settings[3]",
    "[1][2]",
    "[1][9]",
    "[1][]",
    "[1]:",
    "Great![1]",
    "(see [1])",
    "**[1]**",
    "*[2]*",
    "[1].",
    "[2],",
];

const PIECES: &[&str] = &[
    "[text][1]",
    "[text](https://ok.example)",
    "[see [1]](https://ok.example)",
    "[te`x`t](https://ok.example \"Title\")",
    "![alt](https://evil.example/i.png)",
    "![fig [1]](https://evil.example/i.png)",
    "[![b](https://evil.example/i)](https://ok.example)",
    "\n\n[1]: https://evil.example\n",
    "\n\n[2]: https://evil.example \"t\"\n",
    "\n\n[1]: <https://evil.example/a b>\n'a\ntitle'\n\n",
    "\n\n> [1]: https://evil.example\n\n",
    "\n\n[foo]: https://ok.example/foo 'x'\n\n",
    "\n\n[ 1 ]: https://evil.example\n[1]: https://evil.example/2\n\n",
    "[foo]",
    "[a][foo]",
    "[foo][]",
    "![foo]",
    "`code`",
    "`` c`d ``",
    "`x[1]`",
    "``",
    "\n\n```\nx[1]\n```\n\n",
    "\n\n~~~\nx [2]\n~~~\n\n",
    "*",
    "**",
    "_",
    "*em*",
    "**strong**",
    "_em_",
    "\\",
    "\\[1\\]",
    "\\\\",
    "!",
    "(",
    ")",
    "[",
    "]",
    ":",
    "<",
    ">",
    "<b>",
    "</b>",
    "<br>",
    "<https://ok.example/[1]>",
    "<javascript:x>",
    "<a@ok.example>",
    "[x](javascript:y)",
    "\n",
    "\n",
    "\n\n",
    "\n\n- ",
    "\n- ",
    "\n\n1. ",
    "\n\n> ",
    "\n> ",
    "\n\n    code [1]\n\n",
    "\n\n# ",
    "\n\n---\n\n",
    "\n===\n\n",
    "\n\n| a | b |\n|---|---|\n| c [1] | d [2] |\n\n",
    " ",
    " ",
    " ",
    "  \n",
    "\t",
    "word",
    "Word.",
    "1",
    "2024",
    "é",
    "😀",
    "日本",
    "。",
    "&amp;",
    "&#91;",
    "&copy",
    "&copy;",
    "{aria-label=\"x\"}",
    "https://ok.example/a",
    "www.ok.example",
    "a@ok.example",
    "\"quoted\"",
    "'",
    "- [x] ",
    "|",
    "~~gone~~",
    "\u{a0}",
    "\\*",
];

/// What may only stand at the end: it reaches as far as the text does.
const ENDS: &[&str] = &[
    "",
    "",
    "",
    "\n",
    "\n\n",
    "\n\n```\nx[1]",
    "\n\n~~~~ js\nx",
    "\n\n> quote [1]",
    "\n\n- item [2]",
    "  ",
    "\n\n<!-- open",
    "\n\n    code",
];

/// The pieces of one answer.
pub(super) fn pieces() -> impl Strategy<Value = Vec<&'static str>> {
    let piece = prop_oneof![2 => select(MARKERS), 3 => select(PIECES), 1 => select(&["word", " ", "Word. "][..])];
    (vec(piece, 1..12), select(ENDS)).prop_map(|(mut pieces, end)| {
        pieces.push(end);
        pieces
    })
}

/// The answer. No list item is left empty: micromark takes one behind indented code for text, and engines differ in what an
/// empty item can interrupt.
pub(super) fn answer(pieces: &[&str]) -> String {
    let mut answer = String::new();
    let mut item = false;
    for piece in pieces.iter().filter(|piece| !piece.is_empty()) {
        if item && piece.trim_start_matches([' ', '\t']).starts_with(['\n', '\r']) {
            answer.push_str("item");
        }
        answer.push_str(piece);
        item = piece.ends_with("- ") || piece.ends_with("1. ") || item && piece.trim().is_empty();
    }
    if item {
        answer.push_str("item");
    }
    answer
}
