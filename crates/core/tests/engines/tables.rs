//! Tables: engines do not agree on all of them, and what is code or a link hangs on where a cell ends.

use super::cases::Verdict;
use super::demands::harmless;
use super::generator::sources;
use super::given::{Given, judge_all};
use super::judge::Judge;

/// Lines that may be the header of a table to one engine, and begin another block to the next.
const HEADERS: &[&str] = &[
    "a",
    "|",
    "a|",
    "a|b",
    "|a|",
    "\\|",
    "a\\\\|b|",
    "\u{a0}|",
    "x\n    a|b",
    "x\n    a|",
    "> x\na|b",
    "# a|b",
    "# a|",
    "- a|b",
    "- - a|b",
    "> - a|b",
    "> # a|b",
    "> x\n> # a|",
    "> [1]: https://evil.example\n> # a|",
    "|a|\n|-|\n|b|",
    "```a|b",
    "- ```a|b",
    "<!-- a|b",
    "<!-- a|b --> c",
    "<div>a|b",
    "</div>|x",
    "<b title=\"|\">|c",
    "***|a",
    "# x|y\n[1]: https://evil.example",
    "[foo]: x|y",
    "a|b [](javascript:|)|c",
    "x\n<b title=\"|\">",
    "<img src=https://evil.example/i.png title=\"|\">",
    "x\n<img src=https://evil.example/i.png title=\"|\">",
    "x\n</b\n|>",
];

const DELIMITERS: &[&str] = &["-|-", "|-|-|", "|-|", "-|", ":-", "---", "--", "  -|-"];

/// Beginnings of the line of delimiters and of the line under it: blanks, or the sign of a container.
const PREFIXES: &[&str] = &["", "> ", "  ", "- "];

/// In a row each of them is something else than in a paragraph.
const ROWS: &[&str] = &[
    "![|](https://evil.example/i.png)",
    "![a\\\\|b](https://evil.example/i.png)",
    "![x](https://evil.example/i.png)",
    "`|![x](https://evil.example/i.png)|`",
    "<img |src=https://evil.example/i.png>",
    "<b title=\"|![x](https://evil.example/i.png)|\">",
    "    ![x](https://evil.example/i.png)|",
    "2.      ![x](https://evil.example/i.png)|",
    "- \n    ![x](https://evil.example/i.png)|",
    "<img src=https://evil.example/i.png title=\"|\">",
    "<b>\n[1](ftp://evil.example)|",
    "</b>[^9]\n|[1](ftp://evil.example)",
];

/// Where only some engines read a table, an image that was code for the others loaded.
#[test]
fn nothing_harmful_comes_of_what_is_a_table_to_some_engines() {
    let mut answers = Vec::new();
    for header in HEADERS {
        for delimiters in DELIMITERS {
            for prefix in PREFIXES {
                answers.extend(ROWS.iter().map(|row| format!("{header}\n{prefix}{delimiters}\n{prefix}{row}\n[2]")));
            }
        }
    }
    let mut judge = Judge::start();
    let sources = sources();
    for answers in answers.chunks(64) {
        let given: Vec<Given> = answers.iter().cloned().map(Given::native).collect();
        let verdicts = judge_all(&mut judge, &given, |_, _, after, _| {
            // Web Chat draws nothing of what mdast reads, which knows no tables.
            for (engine, reading) in after.engines.iter().filter(|(engine, _)| *engine != "mdast") {
                harmless(reading, &sources).map_err(|harm| format!("{engine}: {harm}"))?;
            }
            Ok(Verdict::Holds)
        });
        for verdict in verdicts {
            match verdict {
                Verdict::Holds => {}
                Verdict::Discarded => panic!("engines read whatever is written"),
                Verdict::Fails(reason) => panic!("{reason}"),
            }
        }
    }
}
