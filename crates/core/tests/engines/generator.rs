//! Answers that have made rewriters stumble: pieces of Markdown, markers and what stands around them, glued at random.

use std::sync::LazyLock;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::expectation::Sources;

/// The sources that the answers cite. No title is a word of the pieces: no piece is to pass for a list of references.
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

/// The JSON of the sources as an answer brings them along, in the given order of places.
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
    "[1, 2019]",
    "[1; 2]",
    "[Source 1]",
    "[source 9]",
    "[S1, S2]",
    "[citation:3]",
    "【来源2】",
    "［1］",
    "[^1^, ^2^]",
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
    "[text](https://src.example/c?x=1&copy=2)",
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

/// Rarer pieces: blocks in blocks, HTML, math, odd characters.
const RARE: &[&str] = &[
    "\n-\n",
    "\n\n-\n\n",
    "\n\n1.\n",
    "\n\n2. ",
    "\n3) ",
    "\n  - ",
    "\n    - ",
    "\n\t- ",
    "\n   1. ",
    "\n- - ",
    "\n> - ",
    "\n> > ",
    "\n- > ",
    "\n> # ",
    "\n- # ",
    "\n\n- a\n\n  b [1]\n\n",
    "\n\n> - a [1]\n>   b [2]\n",
    "\n\n- ```\n  x[1]\n  ```\n",
    "\n\n> ~~~\n> x [2]\n> ~~~\n\n",
    "\n\n> ```\n> x[1]\n\n",
    "\n\n- a\n\n      code [1]\n\n",
    "\n\n> quoted [1]\nlazy [2]\n",
    "\n\n- item [1]\nlazy [2]\n",
    "\n\n1. one [1]\n2. two [2]\n\n",
    "\n\n2. two [2]\n3. three\n\n",
    "\n\n## Title [1] ##\n",
    "\n\n# Title #[1]\n\n",
    "\n===\n",
    "\n---\n",
    "\n-\n\n",
    "\n\n***\n",
    "\n\n| a | `b|c` |\n|---|---|\n| [1] | `[2]` |\n\n",
    "\n\n| a |\n|---|\n| `x\\|y` [1] |\n| [text](https://ok.example) [2] |\n\n",
    "\n\n|a|b|\n|:-|-:|\n|[|]|\n\n",
    "\n\n|\n-|\n![|",
    "\n    a|b\n-|-\n![|",
    "`\n",
    "\n|\n",
    "\n\n[foo]: https://ok.example/foo\n'x'\n\n",
    "\n\n[2]: https://evil.example\n\"t\"\n\n",
    "\n\n- [1]: https://evil.example\n\n",
    "\n\n- a\n\n  [1]: https://evil.example\n\n",
    "\n\n> [foo]: https://ok.example/foo\n> 'x'\n\n",
    "\n\n- [foo]: https://ok.example/foo 'x'\n\n",
    "[1][2][foo]",
    "[foo][1]",
    "[foo][1][2]",
    "[1][foo]",
    "[9][foo][]",
    "[a [1]][foo]",
    "[a [foo] [1]](https://ok.example)",
    "$a[1]$",
    "$5 and $6",
    "$5[1] and $6[2]",
    "$",
    "<div>",
    "\n\n<div>\n\n",
    "\n\n<div>[1]\n</div>\n\n",
    "\n<div>x</div>\n",
    "<sub>x</sub>",
    "<sub>[1]</sub>",
    "<sub class=\"x\">",
    "<img src=x onerror=>",
    "<img src= onerror=x=>",
    "<b title=`x`>",
    "<img src=\"https://evil.example/i.png\">",
    "\n\n<details>\n<summary>x [1]</summary>\n\n",
    "</details>",
    "<!-- c -->",
    "<!-- c [1] -->",
    "--!>",
    "<?",
    "<![CDATA[",
    "]]>",
    "\n<!-- c\n[1] -->\n",
    "<!--",
    "-->",
    "<script>",
    "\n\n<script>x[1]</script>\n",
    "<button value=\"cite:1\">",
    "<td>",
    "</",
    "<b title='[1]'>",
    "<a href=\"https://evil.example\">",
    "[unclosed",
    "![unclosed [1]",
    "[x](https://ok.example",
    "[x](<https://ok.example/[1]>)",
    "[x](https://ok.example \"[1]\")",
    "[x](https://ok.example/(1))",
    "***",
    "__",
    "**\u{e200}cite\u{e202}c.pdf\u{e201}**",
    "_\u{e200}cite\u{e202}nobody\u{e201}_",
    "**a【1】**b",
    "**[doc9]**",
    "*[doc9]",
    "[doc9]*",
    "~~[1]~~",
    "[*1*](https://evil.example)",
    "[**[2]**](https://evil.example)",
    "[\\[1\\]](https://evil.example)",
    "[`1`](https://evil.example)",
    "[**1**][foo]",
    "[<sub>1</sub>](https://evil.example)",
    "[a ![1](https://evil.example/i.png) b](https://ok.example)",
    "[1\u{200b}](https://evil.example)",
    "[see $a[1]$](https://ok.example)",
    "~",
    "\r",
    "\u{0}",
    "\u{200b}",
    "\u{200d}",
    "\u{feff}",
    "\u{200f}",
    "\u{202e}",
    "שלום",
    "مرحبا [1]",
    "e\u{301}",
    "\u{301}",
    "\u{3000}",
    "\u{2003}",
    "  \n  ",
    "\\\n",
    "\n\t",
    "\n    ",
    "\t[1]",
    "\n   ",
    "`",
    "```",
    "\n```\n",
    "\n~~~~\n",
    "`[1]",
    "<https://ok.example",
    "https://ok.example/[1](x)",
    "(https://ok.example)[1]",
    "http://ok.example/a_b*[2]",
    "&lt;",
    "&#x5b;1]",
    "&",
    ";",
    "\"",
    "…",
    "—",
    "+",
    "=",
    "#",
    "0",
    ".",
    ",",
    "?",
    "%",
    "1.",
    "1)",
    "{",
    "}",
    "^",
    "[^",
    "[]",
    "[]()",
    "]:",
    "]: y",
    "`]:",
    "`]: y`",
    "\n[[](javascript:x)",
    "\n\n[<b title=\"[\">",
    "<b title=\"[\">",
    "\n\n![a [",
    "](https://ok.example)",
    "](javascript:y)",
    "(javascript:x)",
    "(https://ok.example/p)",
    "[(javascript:x)](javascript:y)",
    "[](https://ok.example)",
    "![](https://evil.example/i.png)",
];

/// Pieces that engines read in two ways: footnotes, comments with hyphens, tables. They are only judged for harm.
const DISPUTED: &[&str] = &[
    "\n\n[^1]: A note\n\n",
    "\n\n[^9]: Another note\n\n",
    "\n[^1]: A note\n",
    "\n\n[^1]: A note\n    goes on\n\n",
    "<!-- a -- b -->",
    "<!-- a -- ",
    "<!-->",
    "\n-|\n",
    "\na|b\n> -|-\n![|",
    "\n-|-\n",
    "\n\n# a|b\n-|-\n`|",
    "|\n---\n",
    "\n\n    code\n\n> -\n    ![x](https://evil.example/i.png)\n\n",
    "\n\n    code\n2.      ![x](https://evil.example/i.png)\n\n",
    "|b\n-|-\n![x](https://evil.example/i.png)",
    "\n\n```a|b\n-|-\n",
    "\n\na|b\n-|-\n<b>\n[2](2024)|",
];

/// Pieces about as long as anyone looks ahead.
static LONG: LazyLock<Vec<String>> = LazyLock::new(|| {
    let word = |length: usize| "word ".repeat(length / 5);
    [4_080_usize, 4_100, 4_200]
        .into_iter()
        .flat_map(|length| {
            [
                format!("`{}[1]`", word(length)),
                format!("[{}[1]](https://ok.example)", word(length)),
                format!("[x](https://ok.example/{})", "a".repeat(length)),
                format!("[{}", word(length)),
                format!("<b title=\"{}\">", word(length)),
                format!("<!-- {} -->", word(length)),
                format!("$${}$$", word(length)),
                word(length),
            ]
        })
        .collect()
});

/// Pieces that may only stand at the end, because they reach as far as the text does.
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
    "\n\n<div>",
    "\n\n> ```\n> x",
    "\n\n- ```\n  x",
    "\\",
    "`",
    "\r",
];

/// A list of references that the model wrote, at the end of its text.
const LISTED: &[&str] = &[
    "\n\nSources\n",
    "\n\n## References:\n\n",
    "\r\n\r\n**Sources**\r\n",
    "[1] A passage & nothing else\n",
    "[2] The quoted title\r\n",
    "- [3]: https://src.example/c?x=1&copy=2\n",
    "1. [3] c.pdf\r\n",
    "[1]: <https://src.example/a%20%281%29> 'x'\n",
    "【4:0†a】 c.pdf",
    "\u{a0}[2] A passage & nothing else\r\n",
    "\n",
    "\r\n",
    "  ",
    "word\n",
];

/// Lines for the end of an answer that may make a list of references; often none.
pub(super) fn listed() -> impl Strategy<Value = Vec<&'static str>> {
    prop_oneof![2 => Just(Vec::new()), 1 => vec(select(LISTED), 1..6)]
}

/// As the first piece: all lines end as on Windows.
const WINDOWS: &str = "(lines end with CR LF)";

/// The pieces of one answer.
pub(super) fn pieces() -> impl Strategy<Value = Vec<&'static str>> {
    let long: Vec<&'static str> = LONG.iter().map(String::as_str).collect();
    let piece = prop_oneof![
        320 => select(MARKERS),
        400 => select(PIECES),
        200 => select(RARE),
        200 => select(&["word", " ", "Word. "][..]),
        2 => select(DISPUTED),
        4 => select(long),
    ];
    (prop_oneof![7 => Just(false), 1 => Just(true)], vec(piece, 1..12), select(ENDS)).prop_map(
        |(windows, mut pieces, end)| {
            pieces.push(end);
            if windows {
                pieces.insert(0, WINDOWS);
            }
            pieces
        },
    )
}

/// The answer. No list item is left empty: micromark takes one behind indented code for text, and engines differ in what an
/// empty item can interrupt.
pub(super) fn answer(pieces: &[&str]) -> String {
    let (windows, pieces) = match pieces.split_first() {
        Some((&WINDOWS, rest)) => (true, rest),
        _ => (false, pieces),
    };
    let mut answer = String::new();
    let mut item = false;
    for piece in pieces.iter().filter(|piece| !piece.is_empty()) {
        if item && piece.trim_start_matches([' ', '\t']).starts_with(['\n', '\r']) {
            answer.push_str("item");
        }
        answer.push_str(piece);
        item = piece.ends_with("- ")
            || piece.ends_with(". ") && piece.starts_with('\n')
            || item && piece.trim().is_empty();
    }
    if item {
        answer.push_str("item");
    }
    if windows { answer.replace('\n', "\r\n") } else { answer }
}
