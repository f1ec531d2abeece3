//! What holds of the rooms by themselves. What they write together is read by the engines of Web Chat in `tests/engines`.

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

#[test]
fn a_fence_is_closed_where_it_was_opened() {
    let cited = super::cite(&answer("[1]\n ```\na"), &Rules::web_chat());
    assert!(cited.text.starts_with("[1]\n ```\n a\n ```\n\n[1]: "), "{:?}", cited.text);
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
        leaves += super::cover(&text);
    }
    assert!(leaves > 20_000, "{leaves} leaves were looked at");
}
