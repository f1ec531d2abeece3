//! The rules of the writer, one example each, and the page that lists them.
//!
//! What engines disagree about is written down in `crates/core/src/cite/write`, and nowhere else. Here stands what each of its rules does to an
//! example, and which engines would read the example otherwise without it. `docs/inside/markdown-engines.md` lists the rules.

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

/// The reader of bare addresses: the page makes links of them by itself, whichever engine reads the Markdown.
const ADDRESSES: &str = "addresses";

/// The rules that one file of the writer holds.
struct Chapter {
    file: &'static str,
    title: &'static str,
    rules: &'static [Rule],
}

/// A rule of the writer.
struct Rule {
    /// The effect of the rule, as a sentence for the page.
    says: &'static str,
    given: &'static str,
    /// The example with badges in place of its markers and nothing else done to it; empty when that is the example itself.
    plain: &'static str,
    written: &'static str,
    /// The names of the readers that would read the plain example otherwise: engines, or [`ADDRESSES`].
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
                says: "Every line of a quote or item has its prefix.",
                given: "> a [1]\nb",
                plain: "",
                written: "> a [1]\n> b",
                needed: &[],
            },
            Rule {
                says: "One to four blanks follow a bullet, no tab.",
                given: "-\ta [1]",
                plain: "",
                written: "- a [1]",
                needed: &[],
            },
            Rule {
                says: "At most forty nested containers are written.",
                given: DEEP,
                plain: "",
                written: LESS_DEEP,
                needed: ALL,
            },
            Rule {
                says: "A blank line precedes a table.",
                given: "`a\n|x`|![i](https://ok.example/i.png)|\n|-|-|\n|[1]|c|",
                plain: "`a\n|x`|[i](https://ok.example/i.png)|\n|-|-|\n|[1]|c|",
                written: "&#96;a\n\n|x&#96;|[i](https://ok.example/i.png)|\n|-|-|\n|[1]|c|",
                needed: &[],
            },
            Rule {
                says: "A blank line follows HTML.",
                given: "<!-- a -->\n[1]",
                plain: "",
                written: "<!-- a -->\n\n[1]",
                needed: &[],
            },
            Rule {
                says: "A blank line precedes a list that does not begin with 1, and such an item in a quote.",
                given: "> a\n2. b [1]",
                plain: "",
                written: "> a\n\n2. b [1]",
                needed: &[],
            },
            Rule {
                says: "A comment separates two lists where a definition did.",
                given: "- a [1]\n\n[1]: https://evil.example\n\n- b",
                plain: "- a [1]\n\n- b",
                written: "- a [1]\n\n<!-- -->\n\n- b",
                needed: &[],
            },
            Rule {
                says: "An empty item gets U+200B: a bullet alone could underline a heading.",
                given: "x [1]\n- [1]: https://evil.example",
                plain: "x [1]\n- ",
                written: "x [1]\n- \u{200b}",
                needed: ALL,
            },
            Rule {
                says: "An underline has three signs.",
                given: "a [1]\n=",
                plain: "",
                written: "a [1]\n===",
                needed: &[],
            },
            Rule {
                says: "A border above hyphens is a reference.",
                given: "[1]|\n--",
                plain: "",
                written: "[1]&#124;\n--",
                needed: &["markdown-it"],
            },
            Rule {
                says: "A thematic break has no blanks.",
                given: "a [1]\n\n* * *",
                plain: "",
                written: "a [1]\n\n***",
                needed: &[],
            },
            Rule {
                says: "U+200B follows hashes that end a heading's text.",
                given: "# [1] #[doc9]",
                plain: "# [1] #",
                written: "# [1] #\u{200b}",
                needed: ALL,
            },
            Rule {
                says: "A byte order mark is removed.",
                given: "\u{feff}# a [1]",
                plain: "",
                written: "# a [1]",
                needed: &["markdown-it"],
            },
            Rule {
                says: "A footnote is text.",
                given: "[^x]: note [1]",
                plain: "",
                written: "\\[^x\\]: note [1]",
                needed: &["micromark"],
            },
            Rule {
                says: "A definition for an earlier link stands in a quote, where Web Chat does not list it as a source.",
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
                says: "A backslash precedes text like a heading, quote, list, rule or fence.",
                given: "[# x](javascript:y) [1]",
                plain: "# x [1]",
                written: "\\# x [1]",
                needed: ALL,
            },
            Rule {
                says: "A backslash precedes the dot of a list number.",
                given: "[1. x](javascript:y) [1]",
                plain: "1. x [1]",
                written: "1\\. x [1]",
                needed: ALL,
            },
            Rule {
                says: "A backslash precedes text like an underline.",
                given: "a [1]\n[===](javascript:y)",
                plain: "a [1]\n===",
                written: "a [1]\n\\===",
                needed: ALL,
            },
            Rule {
                says: "U+200B ends a line of hyphens, borders and colons (markdown-it sees a table).",
                given: "# a|b [1]\n-|-",
                plain: "",
                written: "# a|b [1]\n-|-\u{200b}",
                needed: &["markdown-it"],
            },
            Rule {
                says: "The same where micromark sees a table.",
                given: "a [1]\n|-|",
                plain: "",
                written: "a [1]\n|-|\u{200b}",
                needed: &["micromark"],
            },
            Rule {
                says: "U+200B precedes a tag that begins a line.",
                given: "[<b>](javascript:x)\n![a](https://ok.example/i.png) [1]",
                plain: "<b>\n[a](https://ok.example/i.png) [1]",
                written: "\u{200b}<b>\n[a](https://ok.example/i.png) [1]",
                needed: ALL,
            },
            Rule {
                says: "U+200B precedes text like a definition.",
                given: "[`]: y`[Docs 1]",
                plain: "[`]: y`[1]",
                written: "\u{200b}[`]: y`[1]",
                needed: ALL,
            },
        ],
    },
    Chapter {
        file: "inline.rs",
        title: "Neighbors, and characters without meaning",
        rules: &[
            Rule {
                says: "U+200B between a badge and `[`.",
                given: "[1][2]",
                plain: "",
                written: "[1]\u{200b}[2]",
                needed: ALL,
            },
            Rule {
                says: "U+200B between a badge and `(`.",
                given: "[1](2024)",
                plain: "",
                written: "[1]\u{200b}(2024)",
                needed: ALL,
            },
            Rule {
                says: "U+200B between a badge and `:`.",
                given: "【1】: x",
                plain: "[1]: x",
                written: "[1]\u{200b}: x",
                needed: ALL,
            },
            Rule {
                says: "U+200B between a badge and `{` (attributes in Web Chat 4.18.1).",
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
                says: "U+200B between `!` and a badge.",
                given: "wow![1]",
                plain: "",
                written: "wow!\u{200b}[1]",
                needed: ALL,
            },
            Rule {
                says: "A backslash between `]` and `(` without an address.",
                given: "[p][(javascript:y)](javascript:x) [1]",
                plain: "[p](javascript:y) [1]",
                written: "[p]\\(javascript:y) [1]",
                needed: &["mdast", "micromark"],
            },
            Rule {
                says: "A backslash between `]` and `:` at the beginning of a paragraph.",
                given: "[[](javascript:x)a]: https://ok.example\n\n[1]",
                plain: "[a]: https://ok.example\n\n[1]",
                written: "[a]\\: https://ok.example\n\n[1]",
                needed: ALL,
            },
            Rule {
                says: "`<` before a possible tag is `&lt;`.",
                given: "a <img src=[1](https://ok.example/?b=c) onerror=x>",
                plain: "a <img src=[1] onerror=x>",
                written: "a &lt;img src=[1] onerror=x>",
                needed: ALL,
            },
            Rule {
                says: "A lone backtick is `&#96;`.",
                given: "[a `[1]` b`](https://ok.example) [1]",
                plain: "",
                written: "[a `[1]` b&#96;](https://ok.example) [1]",
                needed: &["markdown-it"],
            },
            Rule {
                says: "Brackets in link text are references.",
                given: "[see [1]](https://ok.example) [1]",
                plain: "",
                written: "[see &#91;1&#93;](https://ok.example) [1]",
                needed: ALL,
            },
            Rule {
                says: "A removed marker leaves U+200B where its neighbors would combine.",
                given: "1[doc9]. x [1]",
                plain: "1. x [1]",
                written: "1\u{200b}. x [1]",
                needed: ALL,
            },
            Rule {
                says: "Beside emphasis it leaves `&#8203;`.",
                given: "a*[b](javascript:x)*c [1]",
                plain: "a*b*c [1]",
                written: "a*&#8203;b*c [1]",
                needed: ALL,
            },
            Rule {
                says: "Code is written on one line.",
                given: "`a\n| b` [1]",
                plain: "",
                written: "`a | b` [1]",
                needed: &[],
            },
            Rule { says: "NUL becomes U+FFFD.", given: "a\0 [1]", plain: "", written: "a\u{fffd} [1]", needed: &[] },
            Rule {
                says: "A comment in a cell or link text is text.",
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
                says: "U+200A ends a bare address before a badge.",
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
                says: "Beside emphasis, an empty comment ends it.",
                given: "*https://x.example/a*[1]",
                plain: "",
                written: "*https://x.example/a*<!-- -->[1]",
                needed: &[ADDRESSES],
            },
            Rule {
                says: "An escape in a bare address is a reference.",
                given: "https://x.example/a\\*b [1]",
                plain: "",
                written: "https://x.example/a&#42;b [1]",
                needed: &[ADDRESSES],
            },
            Rule {
                says: "Link addresses are percent-encoded, without angle brackets.",
                given: "[x](<https://ok.example/a b>) [1]",
                plain: "",
                written: "[x](https://ok.example/a%20b) [1]",
                needed: &[],
            },
            Rule {
                says: "Link titles stand in double quotes, escaped.",
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
                says: "Indented code gets fences.",
                given: "    a\n2. [1]",
                plain: "",
                written: "```\na\n```\n2. [1]",
                needed: &["mdast", "micromark"],
            },
            Rule {
                says: "The info string ends before a border.",
                given: "[1]\n```a|b\n-|-\n![x](https://evil.example/i.png)\n```",
                plain: "",
                written: "[1]\n```a\n-|-\n![x](https://evil.example/i.png)\n```",
                needed: &["markdown-it"],
            },
            Rule {
                says: "A fence open at the end of a quote or item is closed.",
                given: "> ```\n> x\n\n[1]",
                plain: "",
                written: "> ```\n> x\n> ```\n\n[1]",
                needed: &[],
            },
            Rule {
                says: "A fence open at the end of the text is closed.",
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
                says: "Brackets and borders in HTML are references.",
                given: "<div>a|b\n-|-\n</div>\n\n[1]",
                plain: "",
                written: "<div>a&#124;b\n-&#124;-\n</div>\n\n[1]",
                needed: &["markdown-it"],
            },
            Rule {
                says: "A comment over several lines is emptied.",
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
                says: "A row has outer borders and all cells.",
                given: "|a|b|\n|-|-|\n|c [1]",
                plain: "",
                written: "|a|b|\n|-|-|\n| c [1] |  |",
                needed: &["micromark"],
            },
            Rule {
                says: "A header without an outer border keeps that form, because a stream may have shown it.",
                given: "a|b\n-|-\nc|d [1]",
                plain: "",
                written: "a | b |\n| --- | --- |\nc | d [1] |",
                needed: &[],
            },
            Rule {
                says: "A text line below a table is a row.",
                given: "|a|b|\n|-|-|\n|c|[1]|\n<b>",
                plain: "",
                written: "|a|b|\n|-|-|\n|c|[1]|\n| <b> |  |",
                needed: &["micromark"],
            },
            Rule {
                says: "A border in a cell is escaped.",
                given: "|a|b|\n|-|-|\n|`x\\|y`|[1]|",
                plain: "",
                written: "|a|b|\n|-|-|\n|`x\\|y`|[1]|",
                needed: &[],
            },
            Rule {
                says: "Below a header that begins an item, the hyphens are indented further.",
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

/// The examples of all rules.
pub(super) fn examples() -> impl Iterator<Item = &'static str> {
    rules().map(|rule| rule.given)
}

fn rules() -> impl Iterator<Item = &'static Rule> {
    CHAPTERS.iter().flat_map(|chapter| chapter.rules)
}

/// A text and the definitions behind it.
fn parts(written: &str) -> (&str, &str) {
    let definitions = written.find("\n\n[1]: http").unwrap_or(written.len());
    written.split_at(definitions)
}

/// The flow as readers get it, without comments, which show nothing.
fn read(reading: &Reading) -> Flow {
    let is_comment =
        |source: &str| source.strip_prefix("<!--").is_some_and(|rest| rest.find("-->") == rest.len().checked_sub(3));
    let seen = reading.flow().into_iter().filter_map(|item| match item {
        Item::Html(source) if is_comment(source.trim()) => None,
        // A browser decodes the references.
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

fn page() -> String {
    let mut page = String::from(HEAD);
    for Chapter { file, title, rules } in CHAPTERS {
        write!(page, "\n## {title} (`{file}`)\n\n").expect("a string");
        for rule in *rules {
            let needed = match rule.needed {
                // Another text than the example needs it.
                [] => continue,
                needed if needed == ALL => " (all)".to_owned(),
                needed => format!(" ({})", needed.join(", ")),
            };
            writeln!(page, "- {}{needed}.", rule.says.trim_end_matches('.')).expect("a string");
        }
    }
    page
}

/// The beginning of the page, before the rules.
const HEAD: &str = "\
# What Markdown engines disagree about

The writer (`crates/core/src/cite/write`) avoids Markdown that engines read differently. A test generates this page and asks the engines.

| name | role |
|---|---|
| markdown-it | markdown-it 13 draws text in Web Chat 4.18.1 |
| mdast | finds definitions in Web Chat 4.18.1, without tables |
| micromark | micromark with GFM draws text in later Web Chat versions |
| addresses | links bare addresses in both |

In brackets are the engines that misread an example without the rule; `rules.rs` beside the test has the examples, and more rules.
";

#[test]
fn rules_of_the_writer_stand_in_the_documentation() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/inside/markdown-engines.md");
    let (found, expected) = (fs::read_to_string(&file).unwrap_or_default(), page());
    assert!(found == expected, "{} is not what the rules give, which is:\n\n{expected}", file.display());
}
