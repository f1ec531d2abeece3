//! The rules of the writer, one example each, and the page that lists them.
//!
//! What engines disagree about is written down in `crates/core/src/cite/write`, and nowhere else. Here stands what each of its rules does to an
//! example, and which engines would read the example otherwise without it. `docs/inside/markdown-engines.md` shows the same rows.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::demands::{badges, harmless};
use super::flow::{Flow, Item, comparable};
use super::generator::{manifest, sources};
use super::given::converted;
use super::judge::{Judge, Reading, Readings};

/// Every engine of Web Chat.
const ALL: &[&str] = &["markdown-it", "mdast", "micromark"];

/// What the page makes links of by itself, whichever engine reads the Markdown.
const ADDRESSES: &str = "addresses";

/// The rules that one file of the writer holds.
struct Chapter {
    file: &'static str,
    title: &'static str,
    rules: &'static [Rule],
}

/// A rule of the writer.
struct Rule {
    /// What it does, and why.
    says: &'static str,
    given: &'static str,
    /// The example with badges in place of its markers and nothing else done to it; empty when that is the example itself.
    plain: &'static str,
    written: &'static str,
    /// Who would read the plain example otherwise.
    needed: &'static [&'static str],
}

impl Rule {
    fn plain(&self) -> &str {
        if self.plain.is_empty() { self.given } else { self.plain }
    }
}

const CHAPTERS: &[Chapter] = &[
    Chapter {
        file: "block.rs",
        title: "Blocks",
        rules: &[
            Rule {
                says: "Every line of a quote or an item has its prefix. A line without one belongs to the paragraph or not, by rules that hang on what stands in it.",
                given: "> a [1]\nb",
                plain: "",
                written: "> a [1]\n> b",
                needed: &[],
            },
            Rule {
                says: "Behind a bullet stand one to four blanks, and no tab.",
                given: "-\ta [1]",
                plain: "",
                written: "- a [1]",
                needed: &[],
            },
            Rule {
                says: "Containers beyond the fortieth are not written: some engines stop at a hundred, others go on.",
                given: DEEP,
                plain: "",
                written: LESS_DEEP,
                needed: ALL,
            },
            Rule {
                says: "A blank line stands before a table. It would end the paragraph, and with it whatever is open there.",
                given: "`a\n|x`|![i](https://ok.example/i.png)|\n|-|-|\n|[1]|c|",
                plain: "`a\n|x`|[i](https://ok.example/i.png)|\n|-|-|\n|[1]|c|",
                written: "&#96;a\n\n|x&#96;|[i](https://ok.example/i.png)|\n|-|-|\n|[1]|c|",
                needed: &[],
            },
            Rule {
                says: "A blank line stands behind HTML, which would go on in the next line.",
                given: "<!-- a -->\n[1]",
                plain: "",
                written: "<!-- a -->\n\n[1]",
                needed: &[],
            },
            Rule {
                says: "A blank line stands before a list that does not begin with 1, and before such an item in a quote. Engines differ in which lists end a paragraph.",
                given: "> a\n2. b [1]",
                plain: "",
                written: "> a\n\n2. b [1]",
                needed: &[],
            },
            Rule {
                says: "Where only a definition stood between two lists, a comment does, or they would be one.",
                given: "- a [1]\n\n[1]: https://evil.example\n\n- b",
                plain: "- a [1]\n\n- b",
                written: "- a [1]\n\n<!-- -->\n\n- b",
                needed: &[],
            },
            Rule {
                says: "An item without text holds a character that nobody sees. A bullet alone in its line could be the underline of a heading.",
                given: "x [1]\n- [1]: https://evil.example",
                plain: "x [1]\n- ",
                written: "x [1]\n- \u{200b}",
                needed: ALL,
            },
            Rule {
                says: "An underline has three signs: a single hyphen is a bullet to some.",
                given: "a [1]\n=",
                plain: "",
                written: "a [1]\n===",
                needed: &[],
            },
            Rule {
                says: "A border in the line above hyphens is a reference: that line could be the header of a table.",
                given: "[1]|\n--",
                plain: "",
                written: "[1]&#124;\n--",
                needed: &["markdown-it"],
            },
            Rule {
                says: "A rule has no blanks between its signs.",
                given: "a [1]\n\n* * *",
                plain: "",
                written: "a [1]\n\n***",
                needed: &[],
            },
            Rule {
                says: "Hashes at the end of a heading that belong to it are kept from closing it.",
                given: "# [1] #[doc9]",
                plain: "# [1] #",
                written: "# [1] #\u{200b}",
                needed: ALL,
            },
            Rule {
                says: "A byte order mark goes: to some engines it stands before the text, to others it is a part of it.",
                given: "\u{feff}# a [1]",
                plain: "",
                written: "# a [1]",
                needed: &["markdown-it"],
            },
            Rule {
                says: "A footnote is text, with its brackets escaped: one engine knows footnotes.",
                given: "[^x]: note [1]",
                plain: "",
                written: "\\[^x\\]: note [1]",
                needed: &["micromark"],
            },
            Rule {
                says: "A definition that a link before it needs stands in a quote, where links find it and Web Chat's list of sources does not.",
                given: "[plan][p] [1]\n\n[p]: https://ok.example",
                plain: "",
                written: "[plan][p] [1]\n\n> [p]: https://ok.example",
                needed: &[],
            },
        ],
    },
    Chapter {
        file: "line.rs",
        title: "Beginnings and ends of lines",
        rules: &[
            Rule {
                says: "What begins a line of text begins no heading, quote, list, rule or fence: a backslash stands before its sign.",
                given: "[# x](javascript:y) [1]",
                plain: "# x [1]",
                written: "\\# x [1]",
                needed: ALL,
            },
            Rule {
                says: "The same of a number with a dot, where a list could begin.",
                given: "[1. x](javascript:y) [1]",
                plain: "1. x [1]",
                written: "1\\. x [1]",
                needed: ALL,
            },
            Rule {
                says: "The same of what could underline the line before it.",
                given: "a [1]\n[===](javascript:y)",
                plain: "a [1]\n===",
                written: "a [1]\n\\===",
                needed: ALL,
            },
            Rule {
                says: "A line of nothing but hyphens, borders and colons ends with a character that nobody sees. markdown-it wants a border in the line before it and looks for tables before all else; micromark does neither.",
                given: "# a|b [1]\n-|-",
                plain: "",
                written: "# a|b [1]\n-|-\u{200b}",
                needed: &["markdown-it"],
            },
            Rule {
                says: "The same, where the other engine sees the table.",
                given: "a [1]\n|-|",
                plain: "",
                written: "a [1]\n|-|\u{200b}",
                needed: &["micromark"],
            },
            Rule {
                says: "A line that would begin with a tag begins with a character that nobody sees: no block of HTML begins there.",
                given: "[<b>](javascript:x)\n![a](https://ok.example/i.png) [1]",
                plain: "<b>\n[a](https://ok.example/i.png) [1]",
                written: "\u{200b}<b>\n[a](https://ok.example/i.png) [1]",
                needed: ALL,
            },
            Rule {
                says: "A paragraph begins with no definition. Engines look for definitions before they look for code.",
                given: "[`]: y`[Docs 1]",
                plain: "[`]: y`[1]",
                written: "\u{200b}[`]: y`[1]",
                needed: ALL,
            },
        ],
    },
    Chapter {
        file: "inline.rs",
        title: "Neighbours, and characters that mean nothing",
        rules: &[
            Rule {
                says: "U+200B between a badge and `[`: the first would be the text of a link to the second.",
                given: "[1][2]",
                plain: "",
                written: "[1]\u{200b}[2]",
                needed: ALL,
            },
            Rule {
                says: "U+200B between a badge and `(`, which would be its address.",
                given: "[1](2024)",
                plain: "",
                written: "[1]\u{200b}(2024)",
                needed: ALL,
            },
            Rule {
                says: "U+200B between a badge and `:`, which would make a definition of it at the beginning of a paragraph.",
                given: "【1】: x",
                plain: "[1]: x",
                written: "[1]\u{200b}: x",
                needed: ALL,
            },
            Rule {
                says: "U+200B between a badge and `{`: Web Chat 4.18.1 reads attributes there, with a plugin that the table does not ask.",
                given: "[1]{.x}",
                plain: "",
                written: "[1]\u{200b}{.x}",
                needed: &[],
            },
            Rule {
                says: "U+200B between `]` and a badge.",
                given: "rows[i][1]",
                plain: "",
                written: "rows[i]\u{200b}[1]",
                needed: ALL,
            },
            Rule {
                says: "U+200B between `!` and a badge, which would be an image.",
                given: "wow![1]",
                plain: "",
                written: "wow!\u{200b}[1]",
                needed: ALL,
            },
            Rule {
                says: "A backslash between `]` and a `(` that is no address.",
                given: "[p][(javascript:y)](javascript:x) [1]",
                plain: "[p](javascript:y) [1]",
                written: "[p]\\(javascript:y) [1]",
                needed: &["mdast", "micromark"],
            },
            Rule {
                says: "A backslash between `]` and `:` where a paragraph begins: what was no label may have become one.",
                given: "[[](javascript:x)a]: https://ok.example\n\n[1]",
                plain: "[a]: https://ok.example\n\n[1]",
                written: "[a]\\: https://ok.example\n\n[1]",
                needed: ALL,
            },
            Rule {
                says: "`<` before what a tag could begin with is `&lt;`: what is no tag may become one with a badge in it.",
                given: "a <img src=[1](https://ok.example/?b=c) onerror=x>",
                plain: "a <img src=[1] onerror=x>",
                written: "a &lt;img src=[1] onerror=x>",
                needed: ALL,
            },
            Rule {
                says: "A lone backtick is `&#96;`: markdown-it reads the text of a link twice, and the second time the code before the backtick is none.",
                given: "[a `[1]` b`](https://ok.example) [1]",
                plain: "",
                written: "[a `[1]` b&#96;](https://ok.example) [1]",
                needed: &["markdown-it"],
            },
            Rule {
                says: "Brackets in the text of a link are references: a definition of their label would make links of them.",
                given: "[see [1]](https://ok.example) [1]",
                plain: "",
                written: "[see &#91;1&#93;](https://ok.example) [1]",
                needed: ALL,
            },
            Rule {
                says: "A marker that vanishes leaves U+200B where its neighbours would mean something together.",
                given: "1[doc9]. x [1]",
                plain: "1. x [1]",
                written: "1\u{200b}. x [1]",
                needed: ALL,
            },
            Rule {
                says: "Beside emphasis it is `&#8203;`, which is punctuation as the bracket was: what `**` means hangs on its neighbours.",
                given: "a*[b](javascript:x)*c [1]",
                plain: "a*b*c [1]",
                written: "a*&#8203;b*c [1]",
                needed: ALL,
            },
            Rule {
                says: "Code over several lines is written on one.",
                given: "`a\n| b` [1]",
                plain: "",
                written: "`a | b` [1]",
                needed: &[],
            },
            Rule {
                says: "A NUL is U+FFFD, which engines make of it at different times.",
                given: "a\0 [1]",
                plain: "",
                written: "a\u{fffd} [1]",
                needed: &[],
            },
            Rule {
                says: "A comment in a cell or in the text of a link is text.",
                given: "[a<!-- b -->](https://ok.example) [1]",
                plain: "",
                written: "[a&lt;!-- b -->](https://ok.example) [1]",
                needed: &[],
            },
        ],
    },
    Chapter {
        file: "address.rs",
        title: "Addresses",
        rules: &[
            Rule {
                says: "A hair space (U+200A) ends a bare address before a badge: the page would make a link of both.",
                given: "https://x.example/a[1]",
                plain: "",
                written: "https://x.example/a\u{200a}[1]",
                needed: &[ADDRESSES],
            },
            Rule {
                says: "The same before code with a bracket.",
                given: "https://x.example/a`[1]` [1]",
                plain: "",
                written: "https://x.example/a\u{200a}`[1]` [1]",
                needed: &[ADDRESSES],
            },
            Rule {
                says: "Beside emphasis, where a blank would change what the sign means, it is an empty comment.",
                given: "*https://x.example/a*[1]",
                plain: "",
                written: "*https://x.example/a*<!-- -->[1]",
                needed: &[ADDRESSES],
            },
            Rule {
                says: "An escape in a bare address is a reference: the address would take the backslash in.",
                given: "https://x.example/a\\*b [1]",
                plain: "",
                written: "https://x.example/a&#42;b [1]",
                needed: &[ADDRESSES],
            },
            Rule {
                says: "The address of a link is written without angle brackets, blanks and nested parentheses, percent-encoded where it has to be.",
                given: "[x](<https://ok.example/a b>) [1]",
                plain: "",
                written: "[x](https://ok.example/a%20b) [1]",
                needed: &[],
            },
            Rule {
                says: "Its title stands between double quotes, with references for what could act in it.",
                given: "[x](https://ok.example 'a \"b\" `c`') [1]",
                plain: "",
                written: "[x](https://ok.example \"a &#34;b&#34; &#96;c&#96;\") [1]",
                needed: &[],
            },
        ],
    },
    Chapter {
        file: "code.rs",
        title: "Code blocks",
        rules: &[
            Rule {
                says: "Code by indentation stands between fences: what the indentation of a line means hangs on the block before it and on the one behind it.",
                given: "    a\n2. [1]",
                plain: "",
                written: "```\na\n```\n2. [1]",
                needed: &["mdast", "micromark"],
            },
            Rule {
                says: "The word behind a fence ends before a border: markdown-it looks for tables before it looks for fences.",
                given: "[1]\n```a|b\n-|-\n![x](https://evil.example/i.png)\n```",
                plain: "",
                written: "[1]\n```a\n-|-\n![x](https://evil.example/i.png)\n```",
                needed: &["markdown-it"],
            },
            Rule {
                says: "A fence that is left open in a quote or an item is closed where that ends.",
                given: "> ```\n> x\n\n[1]",
                plain: "",
                written: "> ```\n> x\n> ```\n\n[1]",
                needed: &[],
            },
            Rule {
                says: "One that the text leaves open is closed before the definitions, which would be code.",
                given: "[1]\n```\nx",
                plain: "",
                written: "[1]\n```\nx\n```",
                needed: ALL,
            },
        ],
    },
    Chapter {
        file: "html.rs",
        title: "Blocks of HTML",
        rules: &[
            Rule {
                says: "Brackets and borders in HTML that stays are references: where an engine reads no HTML, they are text.",
                given: "<div>a|b\n-|-\n</div>\n\n[1]",
                plain: "",
                written: "<div>a&#124;b\n-&#124;-\n</div>\n\n[1]",
                needed: &["markdown-it"],
            },
            Rule {
                says: "A comment over several lines is empty: tables and definitions could be found in its lines.",
                given: "<!-- a|b\n-|-\n-->\n\n[1]",
                plain: "",
                written: "<!-- -->\n\n[1]",
                needed: &["markdown-it"],
            },
        ],
    },
    Chapter {
        file: "table.rs",
        title: "Tables",
        rules: &[
            Rule {
                says: "A row has a border at both ends and all of its cells.",
                given: "|a|b|\n|-|-|\n|c [1]",
                plain: "",
                written: "|a|b|\n|-|-|\n| c [1] |  |",
                needed: &["micromark"],
            },
            Rule {
                says: "A header that begins without a border keeps that form: of a stream, it may have been shown before it was a header.",
                given: "a|b\n-|-\nc|d [1]",
                plain: "",
                written: "a | b |\n| --- | --- |\nc | d [1] |",
                needed: &[],
            },
            Rule {
                says: "A line of text behind a table is a row, with borders.",
                given: "|a|b|\n|-|-|\n|c|[1]|\n<b>",
                plain: "",
                written: "|a|b|\n|-|-|\n|c|[1]|\n| <b> |  |",
                needed: &["micromark"],
            },
            Rule {
                says: "A border in a cell is escaped, in code as well.",
                given: "|a|b|\n|-|-|\n|`x\\|y`|[1]|",
                plain: "",
                written: "|a|b|\n|-|-|\n|`x\\|y`|[1]|",
                needed: &[],
            },
            Rule {
                says: "Below a header with which an item begins, the line of hyphens is indented as code would be outside of the item: markdown-it looks for tables before it looks for items.",
                given: "- a|b [1]\n  -|-",
                plain: "",
                written: "- a | b [1] |\n    | --- | --- |",
                needed: &["markdown-it"],
            },
        ],
    },
];

/// Containers in each other, forty-two and forty of them.
const DEEP: &str = "> > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > a [1]";
const LESS_DEEP: &str = "> > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > a [1]";

fn rules() -> impl Iterator<Item = &'static Rule> {
    CHAPTERS.iter().flat_map(|chapter| chapter.rules)
}

/// A text and the definitions behind it.
fn parts(written: &str) -> (&str, &str) {
    let definitions = written.find("\n\n[1]: http").unwrap_or(written.len());
    written.split_at(definitions)
}

/// What readers get. A comment is nothing to see.
fn read(reading: &Reading) -> Flow {
    let is_comment =
        |source: &str| source.strip_prefix("<!--").is_some_and(|rest| rest.find("-->") == rest.len().checked_sub(3));
    let seen = reading.flow().into_iter().filter_map(|item| match item {
        Item::Html(source) if is_comment(source.trim()) => None,
        // What a browser makes of it.
        Item::Html(source) => {
            Some(Item::Html(source.replace("&#91;", "[").replace("&#93;", "]").replace("&#124;", "|")))
        }
        item => Some(item),
    });
    comparable(seen.collect())
}

/// Whether this is asked for more than definitions; mdast knows no tables.
fn is_asked(engine: &str, readings: &Readings) -> bool {
    engine != "mdast" || !readings.engines["markdown-it"].has_table()
}

/// The engines that read one thing in the plain text and another in what is written.
fn readers_that_differ(plain: &Readings, written: &Readings) -> BTreeSet<&'static str> {
    let mut differ = BTreeSet::new();
    for (engine, after) in &written.engines {
        let before = &plain.engines[engine];
        let name = ALL.iter().find(|name| engine.starts_with(**name)).expect("an engine");
        if read(before) != read(after) || before.definitions != after.definitions {
            if is_asked(engine, plain) && is_asked(engine, written) {
                differ.insert(*name);
            }
        } else if comparable(before.drawn()) != comparable(after.drawn()) {
            differ.insert(ADDRESSES);
        }
    }
    differ
}

#[test]
fn rules_of_the_writer_do_what_they_say_to_their_examples() {
    let sources = sources();
    let written: Vec<String> =
        rules().map(|rule| converted(rule.given, &manifest(&[1, 2, 3])).expect("no panic")).collect();
    let plain: Vec<String> =
        rules().zip(&written).map(|(rule, written)| format!("{}{}", rule.plain(), parts(written).1)).collect();
    let mut judge = Judge::start();
    let readings = judge.read_all(&written, false).into_iter().zip(judge.read_all(&plain, false));
    let mut wrong = String::new();
    for ((rule, text), (after, before)) in rules().zip(&written).zip(readings) {
        let (after, before) = (after.expect("a reading"), before.expect("a reading"));
        let mut say = |what: String| writeln!(wrong, "{:?}: {what}", rule.given).expect("a string");
        if parts(text).0 != rule.written {
            say(format!("{:?} is written", parts(text).0));
        }
        let asked: Vec<_> = after.engines.iter().filter(|(engine, _)| is_asked(engine, &after)).collect();
        let flows: Vec<Flow> = asked.iter().map(|(_, reading)| read(reading)).collect();
        if flows.iter().any(|flow| *flow != flows[0]) {
            say(format!("engines disagree about {text:?}: {flows:?}"));
        }
        for (engine, reading) in &asked {
            let harm = harmless(reading, &sources).and_then(|()| badges(reading, true));
            if let Err(harm) = harm {
                say(format!("{engine} finds {harm}"));
            }
        }
        let needed = readers_that_differ(&before, &after);
        if needed != rule.needed.iter().copied().collect() {
            say(format!("without the rule {needed:?} differ"));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// A text as the page shows it, in a cell.
fn shown(text: &str) -> String {
    let mut shown = String::new();
    for c in text.chars() {
        match c {
            '\n' => shown.push('⏎'),
            '\t' => shown.push('⇥'),
            '\0' => shown.push('␀'),
            '\u{200b}' => shown.push('·'),
            '\u{200a}' => shown.push('˽'),
            '\u{feff}' => shown.push_str("U+FEFF "),
            '|' => shown.push_str("\\|"),
            c => shown.push(c),
        }
    }
    let longest = shown.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    if longest == 0 { format!("{fence}{shown}{fence}") } else { format!("{fence} {shown} {fence}") }
}

fn page() -> String {
    let mut page = String::from(HEAD);
    for Chapter { file, title, rules } in CHAPTERS {
        write!(page, "\n## {title}\n\nIn `crates/core/src/cite/write/{file}`.\n\n| rule | the model wrote | is written | needed for |\n|---|---|---|---|\n")
            .expect("a string");
        for rule in *rules {
            let needed = if rule.needed == ALL { "all".to_owned() } else { rule.needed.join(", ") };
            let (given, written) = if rule.given == DEEP {
                ("`> ` 42 times, `a [1]`".to_owned(), "`> ` 40 times, `a [1]`".to_owned())
            } else {
                (shown(rule.given), shown(rule.written))
            };
            writeln!(page, "| {} | {given} | {written} | {needed} |", rule.says).expect("a string");
        }
    }
    page
}

/// What the page says before its tables.
const HEAD: &str = "\
# What Markdown engines disagree about

For maintainers of `crates/core/src/cite/write`. A text with badges is read by several engines, and each must read
the same in it. So the writer writes nothing that they read in different ways. These are its rules, each with one example. A test makes the page from its
rows, has the examples written, and has the engines read them.

| name | what it is |
|---|---|
| markdown-it | markdown-it 13: draws the text in Web Chat 4.18.1 |
| mdast | finds the definitions in Web Chat 4.18.1; knows no tables |
| micromark | micromark with GFM: draws the text in later versions of Web Chat |
| addresses | makes links of bare addresses, in either version; no part of Markdown |

*Needed for* names who reads something else in the example when its markers become badges, or go, and nothing else is done. Where nobody
is named, all read this example alike. The rule is there because they do not in another text, or because it leaves the other rules
fewer forms to think of.

`⏎` stands for a line end, `⇥` for a tab, `·` for U+200B, a zero-width space, and `˽` for U+200A, a hair space.
";

#[test]
fn rules_of_the_writer_stand_in_the_documentation() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/inside/markdown-engines.md");
    let (found, expected) = (fs::read_to_string(&file).unwrap_or_default(), page());
    assert!(found == expected, "{} is not what the rules give, which is:\n\n{expected}", file.display());
}
