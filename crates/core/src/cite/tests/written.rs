//! How text is written, and which text stays unchanged.

use std::collections::BTreeSet;

use crate::answer::{Answer, Citation, Source, SourceIndex};
use crate::cite::Rules;
use crate::cite::{Incremental, cite, make_harmless};
use crate::text::Span;

fn answer(text: &str) -> Answer {
    let web = |name: &str| Source {
        title: Some(name.to_uppercase()),
        url: format!("https://x/{name}").parse().ok(),
        filepath: Some(format!("{name}.pdf")),
        ..Source::default()
    };
    Answer { text: text.into(), sources: vec![web("a"), web("b"), web("c")], ..Answer::default() }
}

/// One engine once read the backtick as part of the address, and a link in the code.
#[test]
fn code_that_may_hold_a_link_ends_an_address_before_it() {
    let cited = cite(&answer("[x](https://ok.example`]:<javascript:x>`code`"), &Rules::web_chat());
    assert_eq!(cited.text, "[x]\\(https://ok.example\u{200a}`]:<javascript:x>`code&#96;");
}

/// The badge was once lost: the backtick was left as it was, while its closing backtick had been escaped.
#[test]
fn a_bracket_behind_a_lone_backtick_is_a_badge() {
    let text = ":\n\n_\u{60}[[3]مرحبا- [x] &amp;\n\\\u{60}\u{60}\u{60}\n";
    let cited = cite(&answer(text), &Rules::web_chat());
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
        "<div>\n<b>More</b>\n</div>",
    ] {
        assert_eq!(cite(&answer(same), &Rules::web_chat()).text, same);
    }
}

fn body(answer: &Answer, rules: &Rules) -> String {
    let cited = cite(answer, rules);
    cited.text.split("\n\n[1]: ").next().unwrap_or_default().to_owned()
}

/// Each conversion once wrote more blanks before a form feed at the end of a line.
#[test]
fn a_line_break_before_which_a_form_feed_stands_is_written_once() {
    let rules = Rules { hard_breaks: true, ..Rules::web_chat() };
    for given in ["a\u{c}\nb [1]", "a \u{c} \u{b}\nb [1]", "a\u{c}  \nb [1]"] {
        let once = body(&answer(given), &rules);
        assert_eq!(once, "a  \nb [1]", "{given:?}");
        assert_eq!(body(&answer(&once), &rules), once);
    }
}

/// The model's own definition behind a label that is drawn as a badge would lead it elsewhere.
#[test]
fn a_definition_whose_label_looks_like_a_badge_goes() {
    let cited = body(&answer("x[2] [**1**] y\n\n[**1**]: https://evil"), &Rules::web_chat());
    assert_eq!(cited, "x[1] [**1**] y");
}

/// `&[copy](javascript:y);` once became one sign, instead of the six that readers saw.
#[test]
fn what_goes_makes_no_character_reference_of_its_neighbours() {
    for (given, expected) in [
        ("a &[copy](javascript:y); z[1]", "a &\u{200b}copy; z[1]"),
        ("a [&copy](javascript:y); z[1]", "a &copy\u{200b}; z[1]"),
        ("&copy[doc9]; a[doc9]; b[1]", "&copy\u{200b}; a; b[1]"),
        ("AT&T[1]; R&[1]", "AT&T[1]; R&[1]"),
    ] {
        assert_eq!(body(&answer(given), &Rules::web_chat()), expected, "{given:?}");
    }
}

/// A machine-made marker holds no bracket: the second conversion once read the text around the badge as one.
#[test]
fn a_badge_in_what_looks_like_a_marker_stays_the_second_time() {
    let given = "a \u{e200}c (https:/\u{e200}cite\u{e202}a.pdf\u{e201}/evite\u{e202}a.pdf\u{e201}";
    let once = body(&answer(given), &Rules::web_chat());
    assert_eq!(body(&answer(&once), &Rules::web_chat()), once);
}

/// Math once had a character reference for the sign, which renderers of math do not read.
#[test]
fn math_with_a_sign_that_begins_no_tag_stays() {
    for same in ["$a<b$ and $c_1$ [1]", "$p<0.05$ [1]", "$$x<y+1$$ [1]"] {
        assert_eq!(body(&answer(same), &Rules::web_chat()), same);
    }
}

/// The removed definition had ended the list. Without it, the item once belonged to the inner list.
#[test]
fn an_item_behind_a_definition_that_goes_stands_where_it_stood() {
    let given = "- - [2]\n\n[1]: https://evil\n\n   1. item";
    assert_eq!(body(&answer(given), &Rules::web_chat()), "- - [1]\n\n1. item");
}

/// An address in code or between angle brackets ends there. Addresses may be in capitals.
#[test]
fn a_badge_is_kept_from_an_address_and_from_nothing_else() {
    let same = "<https://x>[1] `https://x`[2]";
    assert_eq!(body(&answer(same), &Rules::web_chat()), same);
    assert_eq!(body(&answer("WWW.x.example[1]"), &Rules::web_chat()), "WWW.x.example\u{200a}[1]");
    assert_eq!(body(&answer("[a https://x [doc9].[1]"), &Rules::web_chat()), "[a https://x.\u{200a}[1]");
    let long = format!("https://x.example/{}", "a".repeat(5_000));
    assert_eq!(body(&answer(&format!("{long}[1]")), &Rules::web_chat()), format!("{long}\u{200a}[1]"));
}

/// `**bold**[doc9].` and `` `code`[doc9]. `` were once left with an invisible character.
#[test]
fn a_marker_that_vanishes_leaves_nothing_behind_a_word() {
    let given = "**a**[doc9]. `b`[doc9], *c*[doc9] d [1]";
    assert_eq!(body(&answer(given), &Rules::web_chat()), "**a**. `b`, *c* d [1]");
}

/// A citation at an offset without text once stood at the beginning of the next block.
#[test]
fn a_place_without_text_is_cited_before_the_next_block() {
    let cited = |text: &str, end: usize| {
        let span = Span::new(text, 0..end).expect("a span");
        let citations = vec![Citation::new(span, vec![SourceIndex(0)])];
        body(&Answer { citations, ..answer(text) }, &Rules::web_chat())
    };
    assert_eq!(cited("1.\n# b", 2), "1. [1]\n\n# b");
    assert_eq!(cited("# #\nb", 3), "#\n\n[1]\n\nb");
    assert_eq!(cited("| a |\n|---|\n\nb", 11), "| a |\n|---|\n\n[1]\n\nb");
    assert_eq!(cited("[p] a\n\n[p]: https://ok\nb", 20), "[p] a\n\n> [p]: https://ok\n\n[1]\n\nb");
}

/// A program that looks for numbers in the drawn text finds only citations, in the text of a link too.
#[test]
fn a_number_in_the_text_of_a_link_is_broken_where_numbers_are_looked_for() {
    let cited = cite(&answer("[see [1]](https://x.example) [1]"), &Rules::teams());
    assert_eq!(cited.text, "[see &#91;\u{200b}1&#93;](https://x.example) [1]");
    assert!(cited.entries.iter().any(|entry| entry.code == "broken"));
    let marker = "[a \u{e200}cite\u{e202}nobody\u{e201}](https://ok.example)";
    assert_eq!(cite(&answer(marker), &Rules::teams()).text, marker);
}

/// For Teams, a definition that a link needs is written as text. The bracket in its address was once a live link to `2024`
/// there.
#[test]
fn an_address_that_is_shown_as_text_holds_no_link() {
    let cited = cite(&answer("See [a][p] [1].\n\n[p]: https://ok.example/[1](2024)\""), &Rules::teams());
    assert_eq!(cited.text, "See [a][p] [1].\n\n[p]\u{200b}: https://ok.example/%5B1%5D%282024%29%22");
}

/// Blocks of HTML were once made harmless without a report entry.
#[test]
fn what_is_made_harmless_is_told() {
    let (harmless, made) =
        make_harmless("> <div class=\"a\">\n> <img src=x>\n\n![x](https://evil/i.png)", &BTreeSet::new());
    assert_eq!(harmless, "> &lt;div class=\"a\">\n> &lt;img src=x>\n\n[x](https://evil/i.png)");
    let told: Vec<_> = made.iter().map(|entry| (entry.code, entry.at.offset())).collect();
    assert_eq!(told, [("html-attributes", Some(2)), ("html", Some(20)), ("image", Some(33))]);
}

/// Web Chat 4.18.1 draws no text behind block elements of a paragraph, and none of a block outside of drawn elements.
#[test]
fn html_that_costs_text_is_shown_as_text_and_told() {
    let rules = Rules::web_chat();
    for (given, expected) in [
        ("a <div>b</div> c [1]", "a &lt;div>b&lt;/div> c [1]"),
        ("a [1]\n</P> b", "a [1]\n\n&lt;/P> b"),
        ("<details>\n<summary>More</summary>\n\nb [1]", "&lt;details>\n&lt;summary>More&lt;/summary>\n\nb [1]"),
        ("<dl><dt>a</dt><dd>b</dd></dl>\n\nc [1]", "&lt;dl>&lt;dt>a&lt;/dt>&lt;dd>b&lt;/dd>&lt;/dl>\n\nc [1]"),
        ("<!-- a --> b\n\nc [1]", "&lt;!-- a --> b\n\nc [1]"),
        // Nothing is lost of these.
        ("a <b>b</b><br>c <em>2</em> [1]", "a <b>b</b><br>c <em>2</em> [1]"),
        ("<div>\n\na [1]\n\n</div>", "<div>\n\na [1]\n\n</div>"),
        ("<table><tr><td>a</td></tr></table>\n\nb [1]", "<table><tr><td>a</td></tr></table>\n\nb [1]"),
        ("- a <div>b</div> c [1]", "- a <div>b</div> c [1]"),
        ("> <details>\n> <summary>a</summary>\n\nb [1]", "> <details>\n> <summary>a</summary>\n\nb [1]"),
        ("| a |\n|---|\n| <ul><li>b</li></ul> [1] |", "| a |\n|---|\n| <ul><li>b</li></ul> [1] |"),
    ] {
        let once = body(&answer(given), &rules);
        assert_eq!(once, expected);
        assert_eq!(body(&answer(&once), &rules), once);
    }
    let told = |text: &str, rules: &Rules| {
        let cited = cite(&answer(text), rules);
        cited.entries.iter().map(|entry| (entry.code, entry.at.offset())).collect::<Vec<_>>()
    };
    assert_eq!(told("a <div>b</div> c", &rules), [("html", Some(2)), ("html", Some(8))]);
    assert_eq!(told("<dt>a</dt>", &rules), [("html", Some(0)), ("html", Some(5))]);
    assert_eq!(told("a <div>b</div> c", &Rules::chat()), []);
}

/// The cases in which the first rewriters failed, class by class. `tests/engines` tries what engines make of each.
#[test]
fn no_class_of_trouble_that_prototypes_met_is_left() {
    for (given, expected) in [
        // Neighbors of a badge that would change it: brackets, addresses, colons, signs before it.
        ("[1][2] [1][9] [1][]", "[1]\u{200b}[2] [1]\u{200b}[9] [1]\u{200b}[]"),
        ("[a][1] x [][2]", "[a]\u{200b}[1] x []\u{200b}[2]"),
        ("[1](https://evil) [1](see y) [1](2024)", "[1] [1]\u{200b}(see y) [1]\u{200b}(2024)"),
        ("Great![1]", "Great!\u{200b}[1]"),
        ("\\【1】 \\\\[1]", "\\\u{200b}[1] \\\\\u{200b}[1]"),
        ("x\n\n[1]: word\n\n\\[1\\] &#91;1]", "x\n\n\\[1\\] &#91;1]"),
        ("[9] [9]: word [1]", "[9] [9]\\: word [1]"),
        // Definitions of the model: the first one would win, and the text behind one must not change its meaning.
        ("[1]: https://evil\n[1]: https://evil2\n[1]: e3\n\nx [1]", "x [1]"),
        ("> [1]: https://evil\n\n- [ 1 ]: https://evil\n\nx [1]", ">\n\n- \u{200b}\n\nx [1]"),
        ("[1]: https://evil\n    indented\n\nx[1]", "indented\n\nx[1]"),
        ("[doc1]: javascript:x\n'a\nb'\n\nx[1]", "x[1]"),
        // Numbers that are no markers.
        (
            "[see [1]](https://u) ![see [1]](https://u/i.png) [1]",
            "[see &#91;1&#93;](https://u) [see &#91;1&#93;](https://u/i.png) [1]",
        ),
        ("<https://x/[1]> `[1]` $a[1]$ [1]", "<https://x/[1]> `[1]` $a[1]$ [1]"),
        ("[ 1 ] [\n1] x", "[1] [1] x"),
        ("settings[2] a[1]", "settings[1] a[2]"),
        // Syntax that is open at the end.
        ("x[1]\n\n````\n[2]", "x[1]\n\n````\n[2]\n````"),
        ("x[1]\n\n> ~~~\n> [2]", "x[1]\n\n> ~~~\n> [2]\n> ~~~"),
        ("x[1]\n\n<pre>\na [1]", "x[1]\n\n&lt;pre>\na &#91;1&#93;"),
        ("x[1]\n\n<!-- a [1]", "x[1]\n\n&lt;!-- a &#91;1&#93;"),
        ("x[1]\n\n<?php [1]", "x[1]\n\n&lt;?php &#91;1&#93;"),
        // Footnotes, bare addresses, HTML, emphasis, ranges, task boxes, line ends.
        ("[^1]: note\n\nx[^1] y[^f]\n\n[^f]: z", "x[1] y[^f]\n\n\\[^f\\]: z"),
        ("https://x/a[1]", "https://x/a\u{200a}[1]"),
        ("<a href='x'>see [1]</a>", "&lt;a href='x'>see [1]&lt;/a>"),
        ("# H [1]\n\nT [1]\n===\n\n**[1]** | _[1]_", "# H [1]\n\nT [1]\n===\n\n**[1]** | _[1]_"),
        ("**a [doc9]** b*[doc9]*c [1]", "**a &#8203;** b*&#8203;*c [1]"),
        ("[1-3] [1, 1] [1-99999]", "[1]\u{200b}[2]\u{200b}[3] [1] [1-99999]"),
        ("- [x] done [1]\n- [1]", "- [x] done [1]\n- [1]"),
        ("x [1]\r\n\r\ny\r\n", "x [1]\r\n\r\ny"),
    ] {
        let once = body(&answer(given), &Rules::web_chat());
        assert_eq!(once, expected, "{given:?}");
        let again = body(&answer(&once), &Rules::web_chat());
        assert_eq!(again, once, "the second time, of {given:?}");
    }
    // Addresses and titles in definitions: the model can end none, and make a link of none.
    let mut hostile = answer("x [1]");
    hostile.sources[0].url = "https://x/a b(c)<d>&copy=2".parse().ok();
    hostile.sources[0].title = Some("a \"b\" \\ &amp;\n\nc".into());
    let text = cite(&hostile, &Rules::web_chat()).text;
    assert_eq!(text, "x [1]\n\n[1]: https://x/a%20b%28c%29%3Cd%3E&copy=2 \"a \\\"b\\\" \\\\ &amp;amp; c\"");
}

#[test]
fn a_fence_is_closed_where_it_was_opened() {
    let cited = cite(&answer("[1]\n ```\na"), &Rules::web_chat());
    assert!(cited.text.starts_with("[1]\n ```\n a\n ```\n\n[1]: "), "{:?}", cited.text);
}

/// `# **[1]**` and a tab once lost an asterisk, and no test noticed.
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
        leaves += crate::cite::cover(&text);
    }
    assert!(leaves > 20_000, "{leaves} leaves were looked at");
    // The parser reads the escaped border as one sign, and reports the backslash before it not at all.
    assert_eq!(crate::cite::cover("| a | b |\n|---|---|\n\\\\|b | c"), 4);
}

/// The joined pieces are the beginning of the whole, wherever the text is cut, and none is taken back.
#[test]
fn what_arrives_in_pieces_becomes_what_the_whole_becomes() {
    let texts = [
        // The parser reports only the first definition of a label: the title of the second was once shown as text.
        "[foo]: https://ok.example/foo 'x'\n\n[foo]: https://ok.example/foo\n'x'\n\nword [1]",
        // The parser loses a carriage return in code that the text ends in.
        "~~~~\n\r[2] The quoted title\r\n",
        // A line end was once counted twice, and the code seemed closed.
        "quote [1]\r\r\n```\r\r\n[text](https://ok.example)\r\r\n\r\r\n> ```\r\n> x",
        // The text behind the backslash decides whether it breaks the line, or stands in an address.
        "<b>\\\n===\n  ",
        "https://ok.example/a\\【4:0†a】 c.pdf",
        "https://ok.example/a\\ ![1](https://evil.example/i.png)[1]",
        // The second dollar of the link once seemed to open math that extends into the next link.
        "[see $a[1]$](https://ok.example)\\[see $a[1]$](https://ok.example)\n",
        // A paragraph was once shown with a blank line before it, and then became the header of a table without one.
        "- \nword|b\n-|-\n![x](https://evil.example/i.png)",
        // A link was once shown that the next backtick made code.
        "[<b title=\"[\">`~\\[[1]](https://evil.example)[ 1 ]`code`",
        // The address once seemed to end at a blank that Markdown does not count, and was shown as text.
        "![chart](https://evil\u{200a}.example/?q=secret) A [1]",
        // The lines of the code have other line ends than the line before it.
        "[1]\r\n\r\n    code`word [1]`\n\n",
        // The comment between two lists was once written before the heading between them.
        "- a\n\n      code\n\n\n\n# \n-\n\n> quote [1]",
        // A definition in an item or a quote, alone or repeated, once changed the distance of this block from the one
        // before.
        "[1]\n\n\n- [1]:[1]\n\n> \n\n",
        "\n\n- [foo]: https://ok.example/foo 'x'\n\n\n\n> [foo]: https://ok.example/foo\n> 'x'\n\n",
        "# Leave\n\nYou have **30 days** [1], see [the policy][2].\n\n- one [2]\n- two [doc3], [doc9].\n\n1. a\n2. b [1]",
        "| a | b |\n|---|---|\n| c [1] | d `|` [2] |\n\nText [1](https://evil) ![x](https://x/i.png)\n===\n\n> q [3]\n\nSources\n[1] A",
        "a `b [1]` c \\(x_[1]\\) $y$ & &amp; <b>d</b> <!-- e --> https://x/a[1]!\n\n```js\nx[1]\n```\n\n    code [1]\n\nend",
        "[p]: https://x/p\n'title'\n\n[q][p] [1]\r\n\r\n日本語【1】。😀 [^2]\r\n\r\n[^2]: note\r\n\r\n<div>\nx\n</div>\r\n\r\nz",
    ];
    for (rules, text) in [Rules::web_chat(), Rules::teams(), Rules::plain(), Rules::numbered()]
        .iter()
        .flat_map(|rules| texts.map(|text| (rules, text)))
    {
        let whole = cite(&answer(text), rules);
        for step in 1..9 {
            let mut growing = Incremental::new(answer("").grammar, rules);
            growing.add_sources(answer("").sources);
            let (mut at, mut shown) = (0, String::new());
            while at < text.len() {
                let end = text.ceil_char_boundary((at + step).min(text.len()));
                shown.push_str(growing.push(&text[at..end]));
                at = end;
            }
            let finished = growing.finish();
            assert!(finished.text.starts_with(&shown), "{shown:?} was shown of {:?}", finished.text);
            assert_eq!(finished, whole, "{text:?} in steps of {step}");
        }
    }
}

/// The number once stayed as the model wrote it, and led to the source that has this number here.
#[test]
fn a_marker_in_the_description_of_an_image_that_goes_cites_its_source() {
    let cited = body(&answer("x[2] ![a [1] b](javascript:x)"), &Rules::web_chat());
    assert_eq!(cited, "x[1] a [2] b");
    let cited = body(&answer("[1-3]![unclosed [1][2]](javascript:y)"), &Rules::web_chat());
    assert_eq!(cited, "[1]\u{200b}[2]\u{200b}[3]unclosed [1]\u{200b}[2]");
}

/// The search for the text of a removed link once began behind the end of that text.
#[test]
fn a_link_that_is_none_before_its_definition_does_no_harm() {
    let text = "[text][1][foo]\n- item\n\n> [foo]: https://ok.example/foo\n> 'x'\n\n";
    let cited = cite(&answer(text), &Rules::web_chat());
    assert!(
        cited.text.starts_with("text[1]\u{200b}[foo]\n- item\n\n> [foo]: https://ok.example/foo \"x\"\n"),
        "{:?}",
        cited.text
    );
}

/// Some providers cite an offset right before they send the source.
#[test]
fn a_place_may_be_cited_before_its_source_is_added() {
    let mut growing = Incremental::new(crate::answer::MarkerGrammar::NONE, &Rules::web_chat());
    growing.push("Leave is 30 days.");
    growing.cite_here(vec![SourceIndex(0)]);
    growing.add_sources(answer("").sources);
    growing.push(" And more. The end.");
    let text = growing.finish().text;
    assert!(text.starts_with("Leave is 30 days.[1] And more. The end.\n\n[1]: "), "{text:?}");
}

/// The item once kept its indentation while the item before lost its own, so that it was nested in that item.
#[test]
fn an_item_stands_beside_one_that_lost_its_indentation() {
    assert_eq!(body(&answer("\n3) \n  - item\n   1. item"), &Rules::web_chat()), "3) \u{200b}\n- item\n1. item");
}

/// The closing stars were once held back until the next word, so readers saw the opening ones as text.
#[test]
fn emphasis_that_has_ended_is_shown_before_the_next_word_comes() {
    let mut growing = Incremental::new(crate::answer::MarkerGrammar::ALL, &Rules::web_chat());
    assert_eq!(growing.push("Leave is **30 days** "), "Leave is **30 days**");
    assert_eq!(growing.push("a year."), " a year.");
}

/// The digit behind the second dollar once seemed to exclude math, and `[1]` was shown as a badge; but a third dollar ends
/// the math.
#[test]
fn math_goes_on_behind_a_dollar_that_an_amount_begins_with() {
    for rules in [Rules::web_chat(), Rules::numbered()] {
        let mut growing = Incremental::new(crate::answer::MarkerGrammar::ALL, &rules);
        growing.add_sources(answer("").sources);
        let pieces = ["a[2] $[2]$5 ", "[2]", "$ b"];
        for piece in pieces {
            growing.push(piece);
        }
        assert_eq!(growing.finish(), cite(&answer(&pieces.concat()), &rules));
    }
}

/// The second dollar of a link once opened math behind the link, so that text was held back from there on and the dollar was
/// lost.
#[test]
fn a_dollar_in_a_link_opens_no_math_behind_it() {
    let pieces = ["[see $a[1]$](https://ok.example) is", " $b$ and more"];
    let mut growing = Incremental::new(crate::answer::MarkerGrammar::ALL, &Rules::web_chat());
    growing.add_sources(answer("").sources);
    for piece in pieces {
        growing.push(piece);
    }
    assert_eq!(growing.finish(), cite(&answer(&pieces.concat()), &Rules::web_chat()));
}

/// The closing square bracket once made text of the open marker in it, which was shown and then became a badge.
#[test]
fn a_marker_of_a_machine_goes_on_over_the_end_of_a_bracket_around_it() {
    let texts = [
        ["b [before, an\u{e200}cite\u{e202}turn0;2]e", "arch", "\u{e201} rise [1]"],
        ["b \u{3010}4 [a\u{3011} c", " d", "](https://ok.example) [1]"],
    ];
    for pieces in texts {
        for rules in [Rules::web_chat(), Rules::numbered()] {
            let mut growing = Incremental::new(crate::answer::MarkerGrammar::ALL, &rules);
            growing.add_sources(answer("").sources);
            let shown: String = pieces.iter().map(|piece| growing.push(piece).to_owned()).collect();
            let whole = cite(&answer(&pieces.concat()), &rules);
            assert!(whole.text.starts_with(&shown), "{shown:?} {:?}", whole.text);
            assert_eq!(growing.finish(), whole);
        }
    }
}

/// The missing cell of the row once got the backslash of the cell before it as well.
#[test]
fn a_backslash_at_the_end_of_a_row_is_shown_once() {
    let cited = body(&answer("x [1]\n\n| a | b |\n|---|---|\n| c\n\\"), &Rules::web_chat());
    assert_eq!(cited, "x [1]\n\n| a | b |\n|---|---|\n| c |  |\n| \\\\ |  |");
}
