//! How answers are rewritten, policy by policy.

use std::collections::BTreeSet;

use pulldown_cmark::{Event, Parser, Tag};

use crate::answer::{Answer, Citation, MARKER_ROWS, MarkerGrammar, NumberMeaning, Source, SourceIndex};
use crate::cite::{Incremental, Numbering, Rules, cite, make_harmless};
use crate::report::Kind;
use crate::text::{Span, UNSEEN};

#[test]
fn a_numbered_text_is_the_answer_but_for_its_markers() {
    let numbered = |given: &str| cite(&answer(given), &Rules::numbered());
    for same in [
        "![a](https://x/y.png) <b>a</b><script>x</script> <https://x> [a](javascript:x)",
        "`[1]` $a[1]$ [see [1]](https://x)\n\n    [1]\n",
        "x [9] [doc9], \\[1\\]",
        "[p]: https://evil\n\n[a][p] ![b][p] <img src=x>\n",
        "> [q]: https://evil\n\n[q] \\<a\n\n```\nopen [1]",
        "a\r\nb\n# h\n***\n\u{0}",
    ] {
        assert_eq!(numbered(same).text, same);
    }
    for (given, expected) in [
        ("a[1][1] b[2, 3] [2][1]", "a[1] b[2][3] [2][1]"),
        ("x 【9†y】 z \u{e200}c\u{e202}nobody\u{e201}!", "x z!"),
        ("x [doc9] y [[1]](https://evil)", "x [doc9] y [1]"),
        ("A [1].\n\nReferences\n[1] A\n[2] B", "A [1].\n\nReferences\n[1] A\n[2] B"),
    ] {
        assert_eq!(numbered(given).text, expected, "{given:?}");
    }
    let cited = numbered("x [9] [doc9] 【9†y】 [2]");
    assert_eq!(cited.unresolved, ["[9]", "[doc9]", "【9†y】"]);
    let cited = numbered("`[1]` \\[1\\] [2, 1] 【9】.\n\n[1] A");
    let places: Vec<_> = cited.places.iter().map(|at| (at.position.get(), &cited.text[at.range.clone()])).collect();
    assert_eq!(places, [(2, "[2]"), (1, "[1]"), (1, "[1]")]);
    assert_eq!(cited.places[0].range.start, "`[1]` \\[1\\] ".len());
    let mut same = answer("x[1] y[2]");
    same.sources[1].url = same.sources[0].url.clone();
    assert_eq!(cite(&same, &Rules::numbered()).text, "x[1] y[2]");
}

/// `gpj.exe` was once shown as `exe.jpg`, and invisible tag characters carried a message past the reader into the history.
#[test]
fn letters_that_turn_the_direction_or_cannot_be_seen_go() {
    let tags: String = "obey".chars().filter_map(|c| char::from_u32(0xe0000 + u32::from(c))).collect();
    for (given, expected) in [
        ("\u{202e}gpj.exe\u{202c} [1]", "\u{200b}gpj.exe\u{200b} [1]"),
        ("\u{2067}a\u{2069} b", "\u{200b}a\u{200b} b"),
        (&*format!("a{tags}b [1]"), "a\u{200b}b [1]"),
        ("`a\u{202e}b`\n\n```\nc\u{202e}d\n```", "`a\u{200b}b`\n\n```\nc\u{200b}d\n```"),
        // Text that a removed character separated stays separate.
        ("[a]\u{202e}(https://evil)", "[a]\u{200b}(https://evil)"),
        ("[a](java\u{202e}script:x)", "a"),
        ("a&#x202e;b &#8238;", "a&#x202e\u{200b};b &#8238\u{200b};"),
        ("שלום\u{200f} می‌خواهم 👩‍👩‍👧", "שלום\u{200f} می‌خواهم 👩‍👩‍👧"),
    ] {
        assert_eq!(body(&answer(given)), expected, "{given:?}");
    }
    for (rules, expected) in
        [(Rules::numbered(), "a\u{200b}b [1]"), (Rules::teams(), "a\u{200b}b [1]"), (Rules::plain(), "ab [1]")]
    {
        let cited = cite(&answer("a\u{202e}\u{2066}b [1]"), &rules);
        assert_eq!(cited.text, expected);
        let told: Vec<_> = cited.entries.iter().filter(|entry| entry.code == UNSEEN).collect();
        assert_eq!((told.len(), told[0].at.offset()), (1, Some(1)));
        assert!(told[0].message.ends_with("were taken out: 2"), "{}", told[0].message);
    }
    let (passage, entries) = make_harmless("a\u{202e}b", &BTreeSet::new());
    assert_eq!((passage.as_str(), entries.len()), ("a\u{200b}b", 1));
}

/// The address once read like the bank's, but led elsewhere.
#[test]
fn a_link_names_no_user() {
    let bad = "https://bank.example@evil.example/a";
    for (given, expected) in [
        (format!("[a]({bad} \"t\")"), "[a](https://evil.example/a \"t\")"),
        (format!("![a](<{bad}>)"), "[a](https://evil.example/a)"),
        (format!("<{bad}> b"), "<https://evil.example/a> b"),
        (format!("[p]: {bad}\n\n[a][p]"), "[a](https://evil.example/a)"),
        (format!("[a][p]\n\n[p]: {bad}"), "[a][p]\n\n> [p]: https://evil.example/a"),
        (format!("> [a][p]\n>\n> [p]: {bad}"), "> [a][p]\n>\n> [p]: https://evil.example/a"),
    ] {
        let cited = cite(&answer(&given), &Rules::web_chat());
        assert_eq!(cited.text, expected, "{given:?}");
        assert!(cited.entries.iter().any(|entry| entry.code == "link-user"), "{given:?}");
    }
    let same = "[a](https://x.example/@b) <a@x.example> [m](mailto:a@x.example)";
    assert_eq!(cite(&answer(same), &Rules::web_chat()).text, same);
}

/// Three sources with addresses, and one without.
fn answer(text: &str) -> Answer {
    let web = |name: &str| Source {
        title: Some(name.to_uppercase()),
        url: format!("https://x/{name}").parse().ok(),
        filepath: Some(format!("{name}.pdf")),
        ..Source::default()
    };
    let passage = Source { title: Some("D".into()), content: Some("d".into()), ..Source::default() };
    Answer { text: text.into(), sources: vec![web("a"), web("b"), web("c"), passage], ..Answer::default() }
}

/// The text without the definitions at its end.
fn body(answer: &Answer) -> String {
    let cited = cite(answer, &Rules::web_chat());
    let body = match cited.sources.first() {
        Some(first) => cited.text.split(&format!("\n\n[{}]: ", first.position)).next().unwrap_or_default(),
        None => &cited.text,
    };
    body.to_owned()
}

fn cases(cases: &[(&str, &str)]) {
    for (given, expected) in cases {
        assert_eq!(body(&answer(given)), *expected, "{given:?}");
    }
}

/// Checks the rewritten text, and that a second conversion leaves it unchanged.
fn stays(given: &str, expected: &str) {
    let once = body(&answer(given));
    assert_eq!(once, expected);
    assert_eq!(body(&answer(&once)), once);
}

#[test]
fn every_form_becomes_a_badge() {
    cases(&[
        ("x[1]", "x[1]"),
        ("x [doc2]", "x [1]"),
        ("x [^3^]", "x [1]"),
        ("x [^3]", "x [1]"),
        ("x【2】", "x[1]"),
        ("x【2†b】", "x[1]"),
        ("x【4:0†b.pdf】", "x[1]"),
        ("x [1, 3]", "x [1]\u{200b}[2]"),
        ("x [1-3]", "x [1]\u{200b}[2]\u{200b}[3]"),
        ("x [doc1, doc3]", "x [1]\u{200b}[2]"),
        ("x [[1]](https://evil)", "x [1]"),
        ("x ([2](https://evil))", "x ([1])"),
        ("x [c.pdf]", "x [1]"),
        ("x \u{e200}cite\u{e202}nobody\u{e201} [1]", "x [1]"),
        ("- [ ] open\n- [x] done [1]", "- [ ] open\n- [x] done [1]"),
        ("settings[1]", "settings[1]"),
        ("\\[1\\] and [2]", "\\[1\\] and [1]"),
    ]);
}

#[test]
fn nothing_in_code_links_html_or_math_is_a_marker() {
    cases(&[
        ("`a[2]` [1]", "`a[2]` [1]"),
        ("```\na[2]\n```\n[1]", "```\na[2]\n```\n[1]"),
        ("    a[2]\n\nx[1]", "```\na[2]\n```\n\nx[1]"),
        ("<https://x/[2]> [1]", "<https://x/[2]> [1]"),
        ("[a](https://x/[2]) [1]", "[a](https://x/%5B2%5D) [1]"),
        ("$a[2]$ [1]", "$a[2]$ [1]"),
        ("$[0, 1)$ [1]", "$[0, 1)$ [1]"),
        ("$`$`[x](javascript:y)` [1]", "$`$`x&#96; [1]"),
        ("$[$](javascript:x) [1]", "&#36;$ [1]"),
        ("$[0, 1)$ and $x]$(y) [1]", "$[0, 1)$ and $x]$(y) [1]"),
        ("[see [1]](https://x) [1]", "[see &#91;1&#93;](https://x) [1]"),
        ("![fig [1]](https://x/f.png) [1]", "[fig &#91;1&#93;](https://x/f.png) [1]"),
        // An engine without math once saw a link within the link, so that the outer one was none.
        ("[see $a[1]$](https://x) [1]", "[see &#36;a&#91;1&#93;$](https://x) [1]"),
        ("[$$a[ 1 ][2]$$ $b$](https://x) [1]", "[&#36;&#36;a&#91; 1 &#93;&#91;2&#93;$$ $b$](https://x) [1]"),
        (
            "![$a[1]$ [$b[1]$](https://y)](https://x/f.png) [1]",
            "[&#36;a&#91;1&#93;$ &#36;b&#91;1&#93;$](https://x/f.png) [1]",
        ),
        ("[$a[9] \\[1\\]$](https://x) [1]", "[&#36;a&#91;9&#93; \\[1\\]$](https://x) [1]"),
        ("[see $a[1]$] [1]", "[see $a[1]$] [1]"),
    ]);
}

/// A formula was once the only text that cited the source.
#[test]
fn nothing_in_a_formula_between_escaped_brackets_is_a_marker() {
    cases(&[
        ("\\[x = y[2]\\] and \\(a[1]\\) [3]", "\\[x = y[2]\\] and \\(a[1]\\) [1]"),
        ("\\[\nx_i[2]\n\\]\n[3]", "\\[\nx_i[2]\n\\]\n[1]"),
        ("\\(x \\in [0, 1)\\) [3]", "\\(x \\in [0, 1)\\) [1]"),
        ("\\[2],[2](2024)\\[1\\]", "\\[2],[1]\u{200b}(2024)\\[1\\]"),
        ("\\[x = [2](2024)\\]", "\\[x = [1]\u{200b}(2024)\\]"),
        ("\\[x = [1]\u{200b}(2024)\\]", "\\[x = [1]\u{200b}(2024)\\]"),
        ("\\[see [2]\\] \\(and [1]\\)", "\\[see [1]\\] \\(and [2]\\)"),
        ("\\[x = y[2]\n\n\\] [3]", "\\[x = y[1]\n\n\\] [2]"),
        ("\\[x = [a](https://ok)[2]\\]", "\\[x = [a](https://ok)[1]\\]"),
        ("[\\(a[1]\\)](https://x) [3]", "[\\(a&#91;1&#93;\\)](https://x) [1]"),
    ]);
}

#[test]
fn only_cited_sources_are_listed_in_the_order_of_their_numbers() {
    let cited = cite(&answer("x[3] y[1] z[3]"), &Rules::web_chat());
    assert_eq!(cited.text, "x[1] y[2] z[1]\n\n[1]: https://x/c \"C\"\n[2]: https://x/a \"A\"");
    let none = cite(&answer("x"), &Rules::web_chat());
    assert_eq!((none.text.as_str(), none.sources.len()), ("x", 0));
}

#[test]
fn machine_made_markers_vanish_and_plain_ones_stay() {
    cases(&[
        ("x [doc9]. y[1]", "x. y[1]"),
        ("x [9], y[1]", "x [9], y[1]"),
        ("**x** [doc9].", "**x**."),
        ("a**[doc9]**b", "a**&#8203;**b"),
        ("[doc9] Text [1]", "Text [1]"),
        ("a\n[doc9]\nb [1]", "a\n\u{200b}\nb [1]"),
        ("1[doc9]. x", "1\u{200b}. x"),
        // A carriage return by itself ends a line.
        ("a\r1[doc9]. x", "a\r1\u{200b}. x"),
        ("\r1.[doc9]", "1\\."),
        ("x   [doc9]\ny", "x\ny"),
        ("x   [doc9]\ny", "x\ny"),
        ("a\n-  [doc9]", "a\n-  \u{200b}"),
        ("1. 1)\u{e200}c\u{e202}nobody\u{e201}", "1. 1\\)"),
        ("> 1. - 2[doc9].", "> 1. - 2\u{200b}."),
        ("It was 3.5)[doc9]", "It was 3.5)"),
        ("a\n1. [doc9]\n", "a\n1. \u{200b}\n"),
        ("_a_\u{e200}c\u{e202}nobody\u{e201}!", "_a_\u{200b}!"),
        // Between punctuation, one asterisk does not close what two open; at the end of a line it does.
        ("**_a_*[doc9]", "**_a_*&#8203;"),
        ("**_a_* [doc9].", "**_a_*."),
        ("**_a_** [doc9]\nb", "**_a_**\nb"),
        ("**_a_**[doc9]. b", "**_a_**&#8203;. b"),
        ("`a`[doc9]`b`", "`a`\u{200b}`b`"),
        ("x [doc9][1] y", "x \u{200b}[1] y"),
        ("x【9†y】。", "x\u{200b}。"),
        ("\\【9】_", "\\\u{200b}_"),
    ]);
    let report = cite(&answer("x [doc9] [9]"), &Rules::web_chat()).entries;
    let codes: Vec<_> = report.iter().map(|entry| (entry.kind, entry.code)).collect();
    assert_eq!(codes, [(Kind::Unresolved, "marker"), (Kind::Unresolved, "marker")]);
}

#[test]
fn a_plain_number_is_escaped_where_the_message_may_define_it() {
    let mut azure = answer("see [1] and a[1] [doc1], not [9] `[1]`");
    azure.grammar = MarkerGrammar::AZURE_ON_YOUR_DATA;
    assert_eq!(body(&azure), "see &#91;1&#93; and a&#91;1&#93; [1], not [9] `[1]`");
    // A later citation may get that number, and the shown text cannot change.
    azure.text = "see [2] [doc1]".into();
    assert_eq!(body(&azure), "see &#91;2&#93; [1]");
}

#[test]
fn the_model_cannot_move_a_badge() {
    cases(&[
        ("x[1]\n\n[1]: https://evil \"A\"\n", "x[1]"),
        ("[1]: https://evil\n\nx[1]", "x[1]"),
        ("> [1]: https://evil\n\nx[1]", ">\n\nx[1]"),
        ("x[1](https://evil) y", "x[1] y"),
        // A link drawn like a badge once kept the address of the model.
        ("x[*1*](https://evil) y", "x[1] y"),
        ("x[**[1]**](https://evil) y", "x[1] y"),
        ("x[\\[1\\]](https://evil) [`1`](https://evil) y", "x[1] [1] y"),
        ("[**1**]: https://evil\n\nx[**1**] y", "x[1] y"),
        ("x[<sup>1</sup>](https://evil) [1\u{200b}](https://evil) [[1&shy;]](https://evil) y", "x[1] [1] [1] y"),
        ("[p]: https://evil\n\nx[2] [<b>1</b>][p] y", "x[1] [2] y"),
        ("x[2] [**1**] y\n\n[**1**]: https://evil", "x[1] [**1**] y"),
        ("x[2] [**1**][p] y\n\n[p]: https://p", "x[1] [**1**]\u{200b}[p] y\n\n> [p]: https://p"),
        ("x[1](2024) y", "x[1]\u{200b}(2024) y"),
        ("[p]: https://evil\n\nGreat![1][p] [1][p]", "Great!\u{200b}[1] [1]"),
        ("Great![1][p]\n\n[p]: https://ok", "Great!\u{200b}[1]\u{200b}[p]\n\n> [p]: https://ok"),
        ("Great![1](https://evil)", "Great!\u{200b}[1]"),
        ("![9][p]\n\n[p]: https://ok", "!\u{200b}[9][p]\n\n> [p]: https://ok"),
        ("[a][p][doc1]\n\n[p]: https://ok", "[a][p]\u{200b}[1]\n\n> [p]: https://ok"),
        ("[text][1]\n\n[1]: https://evil", "text[1]"),
        ("x[1]\n\n[^1]: A note\n  goes on\n", "x[1]"),
        ("x[9](https://other)", "x[9](https://other)"),
        ("x[1] [9]\n\n[9]: https://evil\n", "x[1] [9]"),
        ("[1]: https://evil\n\n-\n\n> ", "- \u{200b}\n\n> "),
        ("    code\n\n[1]: https://evil\n\n1.\n\nx[1]", "```\ncode\n```\n\n1. \u{200b}\n\nx[1]"),
        ("[1]: https://evil\n<b>\nx[1]", "\u{200b}<b>\nx[1]"),
        ("[1]: https://evil\n2. x[1]", "2\\. x[1]"),
        ("> [1]: https://evil\n> <b>\n> x[1]", "> \u{200b}<b>\n> x[1]"),
        ("[1]: https://evil\nx[1]", "x[1]"),
        ("[p[doc9]]: h\nx[1]", "[p\u{200b}]\\: h\nx[1]"),
        ("[p] x[1]\n\n[q]: h\n[[q]]: h\n[p]: h", "[p] x[1]\n\n[q]\\: h\n[p]\\: h"),
        ("- [p]: https://ok\n\n[p]:[doc 1]", "- \u{200b}\n\n[p](https://ok):[1]"),
        ("[q]: https://ok\n\n[p][][q] z[1]", "[p]\u{200b}[](https://ok) z[1]"),
        ("[p][](https://y) z[1]\n\n[p]: https://ok", "[p]\u{200b}[](https://y) z[1]\n\n> [p]: https://ok"),
        ("[p][](\n\n[p]: https://ok", "[p][]\\(\n\n> [p]: https://ok"),
        ("[p] x[1]\n\n[p]: https://ok\n<b>\ny", "[p] x[1]\n\n> [p]: https://ok\n\n\u{200b}<b>\ny"),
    ]);
}

/// A number of the model's own once named another document than the link behind it.
#[test]
fn the_address_of_a_source_says_more_than_a_number() {
    let page =
        |title: &str, url: &str| Source { title: Some(title.into()), url: url.parse().ok(), ..Source::default() };
    let file = Source { title: Some("Plan".into()), filepath: Some("docs/plan.pdf".into()), ..Source::default() };
    let sources = vec![page("A", "https://x.example/a"), page("B", "https://x.example/b"), file];
    for (text, titles) in [
        ("x [1](https://x.example/b).", vec!["B"]),
        ("x [[1]](https://x.example/b)", vec!["B"]),
        ("x [9](https://x.example/a) [0](https://x.example/b)", vec!["A", "B"]),
        ("x [2](plan.pdf) y", vec!["Plan"]),
        ("x [2](https://x.example/b) [3](plan.pdf)", vec!["B", "Plan"]),
        ("x [1](https://other.example/)", vec!["A"]),
        ("x [1, 2](https://x.example/b)", vec!["A", "B"]),
    ] {
        let answer = Answer { text: text.into(), sources: sources.clone(), ..Answer::default() };
        let cited = cite(&answer, &Rules::web_chat());
        assert_eq!(cited.sources.iter().map(|source| &*source.title).collect::<Vec<_>>(), titles, "{text}");
        assert!(!cited.text.contains("(plan.pdf)"), "{text}: {}", cited.text);
        let is_told = cited.entries.iter().any(|entry| entry.code == "marker-address");
        assert_eq!(
            is_told,
            !["x [2](h", "x [1](https://o", "x [1, 2]"].iter().any(|same| text.starts_with(same)),
            "{text}"
        );
    }
}

/// The report names the address of a link that becomes a badge.
#[test]
fn an_address_that_gives_way_to_a_source_is_reported() {
    let told = |text: &str| -> Vec<String> {
        let entries = cite(&answer(text), &Rules::web_chat()).entries;
        entries.into_iter().filter(|entry| entry.code == "marker-link").map(|entry| entry.message).collect()
    };
    let moved = told("x [**1**](https://evil) ![[2]](https://evil/i.png) z");
    let expected = [
        "[**1**] leads to its source, and not to \"https://evil\"",
        "[[2]] leads to its source, and not to \"https://evil/i.png\"",
    ];
    assert_eq!(moved, expected);
    assert_eq!(told("x [1](https://x/a) [1](2024) [1]"), Vec::<String>::new(), "nothing is lost");
}

/// The address of the image once stayed in the text of the link, and clients that drew it loaded the image.
#[test]
fn an_image_of_a_marker_in_the_text_of_a_link_is_its_description() {
    cases(&[
        ("[![1](https://evil/i.png?q)](https://ok/p) [2]", "[1] [2]"),
        ("[a ![[1]](https://evil/i.png) b](https://ok/p) [2]", "[a &#91;1&#93; b](https://ok/p) [1]"),
        ("[a ![1](javascript:alert) b](https://ok/p) [2]", "[a 1 b](https://ok/p) [1]"),
        ("[p]: https://evil/i.png\n\n[a ![1, 2][p] b](https://ok/p) [2]", "[a 1, 2 b](https://ok/p) [1]"),
        ("![a ![1](https://evil/i.png) b](https://ok/p) [2]", "[a 1 b](https://ok/p) [1]"),
        ("[a ![1](https://evil/i.png) b](javascript:x) [2]", "a !\u{200b}[1] b [2]"),
    ]);
}

#[test]
fn what_was_made_harmless_in_a_passage_is_told() {
    let (harmless, made) = make_harmless("![x](https://evil/i.png) <img src=x> [a](javascript:x)", &BTreeSet::new());
    assert_eq!(harmless, "[x](https://evil/i.png) &lt;img src=x> a");
    assert_eq!(made.iter().map(|entry| entry.code).collect::<Vec<_>>(), ["image", "html", "link-scheme"]);
    assert!(made[1].message.starts_with("<img src=x>"), "{}", made[1].message);
    let math = cite(&answer("$x [b](https://ok) y$ [1]"), &Rules::web_chat());
    assert!(math.entries.iter().any(|entry| entry.code == "math"), "{:?}", math.entries);
}

#[test]
fn nothing_harmful_hides_behind_a_comment() {
    for text in ["<!----><script>x</script>", "<!--\n--><script>x", "> <!-- a --><img src=x>", "a\n<!-- b --><button>"]
    {
        let cited = cite(&answer(text), &Rules::web_chat()).text;
        assert!(!["<script", "<img", "<button"].iter().any(|harm| cited.contains(harm)), "{text:?} became {cited:?}");
    }
    cases(&[("<!-- a -->\nb [1]", "<!-- a -->\n\nb [1]"), ("a <!-- b --> c [1]", "a <!-- b --> c [1]")]);
}

/// Whether anything in a text loads or acts, or leads to an address other than a source's.
#[expect(clippy::wildcard_enum_match_arm, reason = "nothing else can harm")]
fn is_harmful(text: &str) -> bool {
    Parser::new(text).any(|event| match event {
        Event::InlineHtml(source) | Event::Html(source) => {
            ["<img", "<script", "<button"].iter().any(|tag| source.contains(tag))
        }
        Event::Start(Tag::Image { .. }) => true,
        Event::Start(Tag::Link { dest_url, .. }) => !dest_url.starts_with("https://x/"),
        _ => false,
    })
}

/// Each of these once let HTML or an address through: because something in it was cut or escaped, or because it was read in
/// two ways.
#[test]
fn what_is_made_harmless_makes_nothing_else_harmful() {
    for text in [
        // If the second `<` were escaped, it would be the value of an attribute of the first.
        "<button value= <button value=\"cite:1\">1</button> y[1]",
        // The text of a removed link would come first in its line, and begin a block of HTML or code.
        "![<div>](httts://evil) a <button value=\"cite:1\"> y[1]",
        "a [1]\n\n> [<details>](javascript:x) <img src=x>",
        "[```](javascript:x)\n[a](javascript:x)\n```\n<img src=x>\n```\n[1]",
        "[](javascript:x)<div> <img src=x> [1]",
        // Some engines end `<!-->` at once, others read no comment where it holds two hyphens.
        "a <!--> <img src=x> --> y[1]",
        "<!-->\n<img src=x>\n--> y[1]",
        // Without the address in its middle, the rest would be a tag.
        "a [b <img](javascript:c) src=x> y[1]",
        // If it were escaped, the tag would be an address.
        "[a](</script>x) y[1]",
        "[a]:<script>/b \"c\"\n\n[a] y[1]",
        // Channels without definitions show them as text, and with them their titles and labels.
        "[p] y[1]\n\n[p]: https://x/p \"q [r](javascript:s) <img src=x>\"",
        "[p<button>] y[1]\n\n[p<button>]: https://x/p",
        // Without the address between them, the remaining text would be another link, or an image.
        "a [p][(javascript:x)](javascript:y) z[1]",
        "a [[p]](javascript:y)(javascript:x) z[1]",
        "a [!](javascript:y)[x](https://x/i.png) z[1]",
        "a !![[x](https://x/i.png)](javascript:y) z[1]",
        "[a ![[p]](https://x/i)(javascript:x)](https://x/) z[1]",
        // A delimiter row without a hyphen makes no table, and the link spans two lines.
        "| a | b |\n|--| |\n| [x\ny](javascript:z) [1]",
        // Not every channel knows math.
        "a $x [b](javascript:c) y$ [1]",
        "a $$![x](data:y)$$ [1]",
        "a $<img src=x>$ [1]",
    ] {
        for rules in [Rules::web_chat(), Rules::teams()] {
            let cited = cite(&answer(text), &rules).text;
            assert!(!is_harmful(&cited), "{text:?} became {cited:?}");
        }
    }
    let commented = cite(&answer("a <!-- b -- <img src=x> --> y[1]"), &Rules::web_chat()).text;
    assert!(commented.starts_with("a &lt;!--") && commented.contains("&lt;img"), "{commented:?}");
    cases(&[
        ("[x](javascript:y) z[1]", "x z[1]"),
        // Without the link between them, the text in it and beside it would be another link, or an image.
        ("a [p][(javascript:x)](javascript:y) z[1]", "a [p]\\(javascript:x) z[1]"),
        ("a [[p]](javascript:y)(javascript:x) z[1]", "a [p]\\(javascript:x) z[1]"),
        ("a [!](javascript:y)[x](https://evil/i.png) z[1]", "a !\u{200b}[x](https://evil/i.png) z[1]"),
        ("a !![[x](https://evil/i.png)](javascript:y) z[1]", "a !x z[1]"),
        ("a [[p]](javascript:y)[q] z[1]\n\n[q]: https://ok", "a [p][q] z[1]\n\n> [q]: https://ok"),
        ("[p][: https://evil](javascript:y)\n\n[p] z[1]", "[p]\\: https://evil\n\n[p] z[1]"),
        ("[a [p]![(javascript:x)](https://i)](https://ok) z[1]", "[a &#91;p&#93;(javascript:x)](https://ok) z[1]"),
        ("[a ![[p]](https://i)(javascript:x)](https://ok) z[1]", "[a &#91;p&#93;(javascript:x)](https://ok) z[1]"),
        // Some engines skip U+FEFF at the very beginning, and would begin a block behind it.
        ("\u{feff}```[`` z[1]", "&#96;&#96;&#96;[&#96;&#96; z[1]"),
        // The backtick that keeps the line from being a fence is removed with the address.
        ("```[x](javascript:`y) z[1]", "&#96;&#96;&#96;x z[1]"),
        ("\u{feff}\u{feff}# a[1]", "# a[1]"),
        ("[1]:_\n\n\u{feff}# a[1]", "\u{200b}# a[1]"),
        // An address in the description of an image is no link, but would be one in the link that the image becomes.
        ("![a [1]<b@ok.example>](https://ok) z[1]", "[a &#91;1&#93;b@ok.example](https://ok) z[1]"),
        ("![<https://a/*b*[1]&c>](https://ok) z[1]", "[https&#58;//a/&#42;b&#42;&#91;1&#93;&amp;c](https://ok) z[1]"),
        ("![<b> <!-- c@d -->](https://ok) z[1]", "[image<b> &lt;!-- c@d -->](https://ok) z[1]"),
        // A link or marker there is none either.
        ("![a [b](https://ok/b) *c*](https://ok) z[1]", "[a b *c*](https://ok) z[1]"),
        ("![a [1][![b](https://i)](https://ok/b)](https://ok) z[1]", "[a &#91;1&#93;b](https://ok) z[1]"),
        ("![a [1](https://ok/1) [[1]](https://ok/1)](https://ok) z[1]", "[a 1 &#91;1&#93;](https://ok) z[1]"),
        ("![a [[p]](https://ok)(javascript:x)](https://ok) z[1]", "[a &#91;p&#93;(javascript:x)](https://ok) z[1]"),
        ("![a [b] c](https://ok) z[1]\n\n[b]: https://ok/b", "[a &#91;b&#93; c](https://ok) z[1]"),
        ("a &[copy](javascript:y); [&copy](javascript:y); z[1]", "a &\u{200b}copy; &copy\u{200b}; z[1]"),
        ("a [x](javascript:y) z[1]", "a x z[1]"),
        // Without the link between them, the backticks would be one run, and begin or end code elsewhere.
        ("a ``[](x)`[1] ```", "a &#96;&#96;&#96;[1] &#96;&#96;&#96;"),
        ("a ```[`b`](x)` [1]", "a &#96;&#96;&#96;`b`&#96; [1]"),
        ("$a<b$ and $c_1$ [1]", "$a<b$ and $c_1$ [1]"),
        ("$a [b](https://ok)$ [1]", "&#36;a [b](https://ok)$ [1]"),
        ("a < b < c [1]", "a < b < c [1]"),
    ]);
}

/// A badge before the indentation would make a paragraph of the code, and HTML of its content.
#[test]
fn a_place_before_indented_code_is_behind_what_comes_before_it() {
    for (text, at, expected) in [
        ("a\n\n    <img src=x>", 3, "a[1]\n\n```\n<img src=x>\n```"),
        ("    <img src=x>\n\nb", 0, "```\n<img src=x>\n```\n\n[1]\n\nb"),
        ("```\nx\n```\n\nb", 0, "```\nx\n```\n\n[1]\n\nb"),
        ("# Leave", 0, "# [1]Leave"),
        ("1. Leave", 0, "1. [1]Leave"),
        ("- **Leave**", 0, "- **[1]Leave**"),
        ("Leave", 0, "[1]Leave"),
    ] {
        let mut answer = answer(text);
        let span = Span::new(text, at..at).expect("a place");
        answer.citations.push(Citation::new(span, vec![SourceIndex(0)]));
        assert_eq!(body(&answer), expected, "{text:?}");
    }
}

/// Lines of endless syntax become text, so that nothing waits for their end.
#[test]
fn what_is_too_long_to_be_decided_is_written_as_text() {
    let long = |piece: &str| piece.repeat(5_000);
    for (given, begins) in [
        (long("~"), "\\~~~"),
        (format!("a\n{}", long("=")), "a\n\\==="),
        (format!("- {}", long("* ")), "\\- * *"),
        (format!("~~~\n{}\n<img src=x>\n", long("~")), "~~~\n\u{200b}~~~"),
        (long("`"), "&#96;&#96;"),
        (format!("<b>{}x", long(" ")), "&lt;b>"),
        (format!("> <!-- {} --><img src=x>", long("y")), "> &lt;!--"),
    ] {
        let cited = cite(&answer(&given), &Rules::web_chat()).text;
        assert!(cited.starts_with(begins), "{:?} became {:?}", &given[..20], &cited[..20]);
    }
}

#[test]
fn what_a_vanishing_marker_kept_from_being_harmful_stays_harmless() {
    for text in [
        "![x](https://evil/?q [doc9]) y[1]",
        "[x](javascript:alert [doc9]) y[1]",
        "<img src=x [doc9]> y[1]",
        "<img src=x [1, 2]>",
        "<javascript:x [doc9].y> [1]",
        "[z]: https://evil [doc9]\n\n[z] y[1]",
    ] {
        let cited = cite(&answer(text), &Rules::web_chat()).text;
        assert!(!is_harmful(&cited), "{text:?} became {cited:?}");
    }
}

#[test]
fn what_stands_beside_a_comment_is_judged_like_other_html() {
    cases(&[
        ("x[1]\n<!-- c --><script>y", "x[1]\n\n&lt;!-- c -->&lt;script>y"),
        ("x[1]\n<!-- c\n[2] --> <img src=y> <b>", "x[1]\n\n&lt;!-- c\n&#91;2&#93; --> &lt;img src=y> &lt;b>"),
        ("x[1]\n<!--> <script> -->", "x[1]\n\n&lt;!--> &lt;script> -->"),
        ("x[1] <!-- a -- <script> -->", "x[1] &lt;!-- a -- &lt;script> -->"),
        ("x[1] <!-- a <script> -->", "x[1] <!-- a <script> -->"),
    ]);
}

#[test]
fn badges_keep_their_distance_from_what_would_change_them() {
    cases(&[
        ("x[1][2][3]", "x[1]\u{200b}[2]\u{200b}[3]"),
        ("x[1][1]", "x[1]"),
        ("x[1][9]", "x[1]\u{200b}[9]"),
        ("x[1][]", "x[1]\u{200b}[]"),
        ("x[1]: y", "x[1]\u{200b}: y"),
        ("Great![1]", "Great!\u{200b}[1]"),
        ("![text][1]", "!\u{200b}[text]\u{200b}[1]"),
        ("[a][](https://ok)[1]", "[a]\u{200b}[](https://ok)[1]"),
        ("[a [1](2024) b](https://ok)", "[a [1]\u{200b}(2024) b]\\(https://ok)"),
        ("\\【1】", "\\\u{200b}[1]"),
        ("**[1]** *x[2]*", "**[1]** *x[2]*"),
        ("[a](b ![x](https://ok)", "[a]\\(b [x](https://ok)"),
        ("</![x](https://ok) y", "&lt;/[x](https://ok) y"),
        ("[p]![x](https://ok)", "[p]\u{200b}[x](https://ok)"),
        ("[9]:[1, 2]", "[9]\\:[1]\u{200b}[2]"),
        ("> [9]: a [doc9]\n\nx[1]", "> [9]\\: a\n\nx[1]"),
        ("[x](https://ok [doc9]) y[1]", "[x]\\(https://ok \u{200b}) y[1]"),
        ("<https://ok/a[1, 2]> y", "&lt;https://ok/a\u{200a}[1]\u{200b}[2]> y"),
        ("<b [doc9]> y[1]", "&lt;b \u{200b}> y[1]"),
        // The remaining text would be an entity.
        ("&copy[doc9]; &copy [doc9]; a[doc9]; b[1]", "&copy\u{200b}; &copy\u{200b}; a; b[1]"),
        // The blank once went with the marker, which left an address in angle brackets with the badge in it.
        ("<https://ok [doc9].y> <https://ok 【9】\u{a0}[1]>", "&lt;https://ok.y> &lt;https://ok\u{a0}[1]>"),
        // markdown-it reads the link twice, the second time without the code that it saw first.
        ("[a `[1]` b`](https://ok) [1]", "[a `[1]` b&#96;](https://ok) [1]"),
        ("[a `[1]` b` [1]", "[a `[1]` b&#96; [1]"),
        ("`[a`` [1]", "&#96;[a&#96;&#96; [1]"),
        ("x\n```a [b `` [1]", "x\n&#96;&#96;&#96;a [b &#96;&#96; [1]"),
        ("[```^` [1]", "[&#96;&#96;&#96;^&#96; [1]"),
        ("x ``````a\n``````b [c ``````` [1]", "x ``````a ``````b [c &#96;&#96;&#96;&#96;&#96;&#96;&#96; [1]"),
        ("`[1]` b` [1]", "`[1]` b&#96; [1]"),
        // Without the removed definition between them, micromark reads the item as text.
        ("    a\n\n[9]: https://evil\n\n2. b [1]", "```\na\n```\n\n2. b [1]"),
        // As a footnote, it would take in the indented text.
        ("[^9]: a b\n\n    [1](https://evil)\n\nx[1]", "\\[^9\\]: a b\n\n[1]\n\nx[1]"),
        // markdown-it looks for a label one byte behind an address that fails.
        ("<*[1]*", "<*[1]*"),
        // Code that begins before the tag once seemed to end behind it, so the tag was let through.
        ("> `[9]:\n> <!--` [1]", "> &#96;[9]:\n>\n> &lt;!--&#96; &#91;1&#93;"),
        ("https://x/a\\<javascript:y> [1] \\<b", "https://x/a&#60;javascript:y> [1] \\<b"),
        ("[x](Word. \u{feff}[1]", "[x]\\(Word. \u{feff}[1]"),
        ("![^9][![b](https://x/i)](https://ok) [1]", "!\u{200b}[^9]\u{200b}[b](https://ok) [1]"),
        ("[x](https://ok\t*[2]*", "[x]\\(https://ok\t*[1]*"),
        ("x[1]{aria-label=\"y\"}", "x[1]\u{200b}{aria-label=\"y\"}"),
    ]);
}

#[test]
fn teams_gets_numbers_and_nothing_that_only_definitions_need() {
    for (given, expected) in [
        ("x[1][2][3]", "x[1][2][3]"),
        ("Great![1] [text][2]: y", "Great![1] text[2]: y"),
        ("x[1](2024) y", "x[1]\u{200b}(2024) y"),
        ("【1】: y", "[1]\u{200b}: y"),
        ("\\【1】", "\\\u{200b}[1]"),
        ("x[1]\n\n[1]: https://evil\n", "x[1]"),
        ("[see [1]](https://x) [1]", "[see &#91;\u{200b}1&#93;](https://x) [1]"),
        ("\\[1\\] `[1]` $a[1]$ [1]", "\\[\u{200b}1\\] `[1]` $a[\u{200b}1]$ [1]"),
        ("x [doc9]. [7] [1]", "x. [7] [1]"),
        ("x[1]\n\n```js\na[2]", "x[1]\n\n```js\na[2]"),
    ] {
        assert_eq!(cite(&answer(given), &Rules::teams()).text.trim_end(), expected, "{given:?}");
    }
}

#[test]
fn a_plain_text_has_no_invisible_characters_and_no_escapes() {
    for (given, expected) in [
        ("x[1][2] (2024)", "x[1][2] (2024)"),
        ("x[1](2024) [2, 3]", "x[1](2024) [2][3]"),
        ("a**[doc9]**b [doc9] c [doc9].", "a****b c."),
        ("<b onclick=\"x\">&amp;</b>[1]", "<b onclick=\"x\">&amp;</b>[1]"),
        ("\\[1\\] [1]", "\\[1\\] [1]"),
        ("\u{feff}\u{feff}a\0b\u{feff} [1]", "a\u{fffd}b\u{feff} [1]"),
    ] {
        assert_eq!(cite(&answer(given), &Rules::plain()).text, expected, "{given:?}");
    }
}

#[test]
fn a_badge_behind_a_bare_address_is_no_part_of_it() {
    cases(&[
        // A bracket in the address lets the address run on over a tag, and take in the bracket of a link.
        ("https://x/a[b<br>[1] https://x/a<br>[1]", "https://x/a[b<br>\u{200a}[1] https://x/a<br>\u{200a}[1]"),
        ("https://x/a[see](https://ok)[1]", "https://x/a[see](https://ok)\u{200a}[1]"),
        ("https://x/a[see x](https://ok)[1]", "https://x/a[see x](https://ok)\u{200a}[1]"),
        // A title within the address would be text, and the number in the title a badge; a link within a link makes text of
        // the outer one.
        ("https://x/a[b](https://ok \"[1]\") [1]", "https://x/a[b](https://ok \"&#91;1&#93;\") [1]"),
        ("[a [foo]](https://ok)[1]", "[a &#91;foo&#93;](https://ok)[1]"),
        ("https://x/a[1] y", "https://x/a\u{200a}[1] y"),
        ("WWW.x.example[1][2]", "WWW.x.example\u{200a}[1]\u{200b}[2]"),
        ("https://x/a![1](https://y)", "https://x/a!\u{200a}[1]"),
        ("https://x/_a_[1]", "https://x/_a_<!-- -->[1]"),
        ("https://x/.**[1]**", "https://x/.**<!-- -->[1]**"),
        ("https://x/a[b~~c~~[1]", "https://x/a[b~~c~~<!-- -->[1]"),
        // The address would take in the opening backtick, and the content of the code would be a badge.
        ("https://x/`a[1]`[1] https://x/**`[1]`**", "https://x/\u{200a}`a[1]`[1] https://x/**<!-- -->`[1]`**"),
        ("https://x/**`a`** [1]", "https://x/**`a`** [1]"),
        ("https://x/a [doc9]:[1]", "https://x/a:\u{200a}[1]"),
        ("https://x/a b[1]", "https://x/a b[1]"),
        ("[a](https://x)[1] <https://x>[1] `https://x`[1]", "[a](https://x)[1] <https://x>[1] `https://x`[1]"),
    ]);
}

/// The rewrite once forgot a very long address when a marker behind it vanished.
#[test]
fn a_long_address_is_not_forgotten_behind_a_marker_that_vanishes() {
    let address = format!("https://x/{}", "a".repeat(3_000));
    assert_eq!(body(&answer(&format!("{address})【9】![1]"))), format!("{address})!\u{200a}[1]"));
}

#[test]
fn private_use_is_a_letter_to_emphasis_and_so_is_what_stands_there_after() {
    cases(&[
        ("**[1]**\u{e200}c\u{e202}c.pdf\u{e201}", "**[1]**\u{200b}[2]"),
        ("a**\u{e200}c\u{e202}c.pdf\u{e201}** b", "a**\u{200b}[1]\u{200b}** b"),
        ("a**\u{e200}c\u{e202}nobody\u{e201}** b [1]", "a**\u{200b}** b [1]"),
    ]);
}

/// Without the list, the answer would lose its content, or its only citations.
#[test]
fn a_list_of_references_stays_where_nothing_before_it_is_cited() {
    let list = "Leave is 30 days.\n\nSources:\n[1] A\n[2] B";
    assert_eq!(body(&answer(list)), list);
    let documents = "What the documents say:\n\n[1] A: 30 days a year.\n[2] B: two weeks ahead.";
    assert_eq!(
        (body(&answer(documents)).as_str(), cite(&answer(documents), &Rules::web_chat()).sources.len()),
        (documents, 2)
    );
    assert_eq!(body(&answer("Leave is 30 days [2].\n\nSources:\n[1] A\n[2] B")), "Leave is 30 days [1].");
    let mut spanned = answer(list);
    spanned.citations = vec![Citation::new(Span::new(list, 0..16).expect("a span"), vec![SourceIndex(2)])];
    assert_eq!(body(&spanned), "Leave is 30 days[1].");
}

/// The label was once lost, because it was written with the text of the footnote.
#[test]
fn a_footnote_without_text_is_text() {
    cases(&[
        ("x[1]\n\n[^9]:\n\ny", "x[1]\n\n\\[^9\\]:\n\ny"),
        ("[^ `]:", "\\[^ `\\]:"),
        ("x[1]\n\n[^9]:", "x[1]\n\n\\[^9\\]:"),
        ("> [^9]:\n\nx[1]", "> \\[^9\\]:\n\nx[1]"),
    ]);
}

/// With more than eight definitions of one marker, every bracket behind them once became a hidden label. There are so few of
/// one character that `[p]` became a link to the address behind `[1]`.
#[test]
fn links_lead_where_they_led_whatever_number_of_markers_is_defined() {
    let block = "Sales rose [1]. See [the portal][p].\n\n[1]: https://evil.example/c\n[p]: https://portal.example/\n\n";
    for times in [9, 20, 60] {
        let answer = answer(&block.repeat(times));
        for rules in [Rules::web_chat(), Rules::plain()] {
            let text = cite(&answer, &rules).text;
            assert!(!text.contains("evil"), "{times} times: {text}");
            assert_eq!(text.matches("https://portal.example/").count(), 2 * times - 1, "{text}");
        }
    }
}

/// To engines without footnotes it is a definition, and it was once removed like one.
#[test]
fn a_footnote_of_one_word_that_names_no_source_stays() {
    cases(&[
        ("x[^9] [1]\n\n[^9]: Vendor", "x[^9] [1]\n\n\\[^9\\]: Vendor"),
        ("x[^9] [1]\n\n[^9]: https://ok/doc", "x[^9] [1]\n\n\\[^9\\]: https://ok/doc"),
        ("x[^9] [1]\n\n[^9]: [2]", "x[^9] [1]\n\n\\[^9\\]: [2]"),
        ("x[^1]\n\n[^1]: Vendor", "x[1]"),
    ]);
}

/// Each of these once lost a line in the second conversion, because it looked like an entry of a list of references.
#[test]
fn a_second_conversion_takes_no_line_for_a_reference() {
    for (given, expected) in [("x\n\n[1] A.\n[\n2] B.", "x\n\n[1] A.\n\u{200b}[2] B."), ("x\n\n[1] A.", "x\n\n[1] A.")]
    {
        let once = cite(&answer(given), &Rules::web_chat());
        assert_eq!(once.text.split("\n\n[1]: ").next(), Some(expected), "{given:?}");
        assert_eq!(cite(&answer(&once.text), &Rules::web_chat()).text, once.text);
    }
}

/// For a table, markdown-it needs a border in the header, and micromark does not; markdown-it also looks for tables before
/// all other blocks. So an image once reached beyond a cell in one engine, or code lost its closing sign, and the image
/// loaded.
#[test]
fn what_is_a_table_to_some_engines_alone_is_text() {
    stays("a\n-|\n![|](https://ok/i)\nx[1]", "a\n-|\u{200b}\n[|](https://ok/i)\nx[1]");
    stays("|\n-|\n![|](https://ok/i)\nx[1]", "|\n-|\u{200b}\n[|](https://ok/i)\nx[1]");
    stays("a|\n-|\n![|](https://ok/i)\nx[1]", "a |\n| --- |\n!\u{200b}[ |\nx[1] |");
    stays("# a|b\n-|-\n`|![](u)|`[1]", "# a|b\n-|-\u{200b}\n`|![](u)|`[1]");
    stays("```a|b\n-|-\nx\n```\n[1]", "```a\n-|-\nx\n```\n[1]");
    stays("```\na|b\n-|-\nx\n```\n[1]", "```\na|b\n-|-\nx\n```\n[1]");
    // A fence without a border is no header. The line below it once lost its bytes to a copy.
    stays("```\n-|\n```\n[1]", "```\n-|\n```\n[1]");
    stays("> ~~~\n> :-\n> ~~~\n> [1]", "> ~~~\n> :-\n> ~~~\n> [1]");
    stays("~~~|b\n-|-\n~~~\n[1]", "~~~\n-|-\n~~~\n[1]");
    stays("- a|b\n  -|-\n[1]", "- a | b |\n    | --- | --- |\n\n[1]");
    stays("- | a | b |\n  |---|---|\n  | [1] | c |", "- | a | b |\n  |---|---|\n  | [1] | c |");
    stays("a|\n---\nx[1]", "a&#124;\n---\nx[1]");
    // The line feed behind a lone carriage return once separated nothing, and the bracket became a link.
    stays("[a|\r--\n](javascript:x) [1]", "[a&#124;\n--\n]\\(javascript:x) [1]");
    stays("[](javascript:|)a|b\n-|-\nx[1]", "a|b\n-|-\u{200b}\nx[1]");
    // micromark once ended the paragraph at the tag, and read HTML from there on.
    stays("x\n<p title=\"|\">\n-|-\n[1]", "x\n\n<p>\n-&#124;-\n&#91;1&#93;");
    stays("x\n<a title=\"|\">\n-|-\n[1]", "x\n&lt;a title=\"|\">\n-|-\u{200b}\n[1]");
    stays("<a title=\"|\">\n-|-\n[1]", "&lt;a title=\"|\">\n-|-\u{200b}\n&#91;1&#93;");
    stays("[](javascript:x)<a title=\"|\">\n-|-\n[1]", "&lt;a title=\" | \"> |\n| --- | --- |\n[1] |  |");
    stays("<b>a|b\n-|-\n[1]", "<b>a | b |\n| --- | --- |\n[1] |  |");
    stays("x\n<b>a|b\n-|-\n[1]", "x\n<b>a|b\n-|-\u{200b}\n[1]");
}

/// Nothing in a paragraph extends into a table: code was once read beyond its header, and an image there loaded.
#[test]
fn nothing_reaches_from_a_paragraph_into_a_table() {
    stays("`\n![x](https://e/i)`|b\n-|-\n[1]", "` ![x](https://e/i)`|b\n-|-\u{200b}\n[1]");
    stays("<b title=\"\n![x](https://e/i)\">|b\n-|-\n[1]", "<b>|b\n-|-\u{200b}\n[1]");
    stays("[a\nb](https://e)|c\n-|-\n[1]", "[a\nb](https://e)|c\n-|-\u{200b}\n[1]");
    stays("`\n![x](https://e/i)`|b\n-\\-\n[1]", "` ![x](https://e/i)`|b\n-\\-\n[1]");
    let long = "b".repeat(5_000);
    stays(
        &format!("`\n![x](https://e/i)`|{long}\n-|-\n[1]"),
        &format!("` ![x](https://e/i)`|{long}\n-|-\u{200b}\n[1]"),
    );
}

/// Where micromark reads the sign of an item as text, code in the item was once an image.
#[test]
fn an_item_that_would_not_begin_in_a_paragraph_begins_behind_a_comment_where_one_may_be_open() {
    stays("\tx\n2.      ![x](https://e/i)\n\n[1]", "```\nx\n```\n2. ```\n    ![x](https://e/i)\n   ```\n\n[1]");
    stays("\tx\n\n> - \n    ![x](u)\n\n[1]", "```\nx\n```\n\n> - \u{200b} \n```\n![x](u)\n```\n\n[1]");
    stays("a\n> 2.      ![x](u)\n\n[1]", "a\n> 2. ```\n>     ![x](u)\n>    ```\n\n[1]");
    stays("> a\n> - 2.      ![x](u)\n\n[1]", "> a\n> - 2. ```\n>       ![x](u)\n>      ```\n\n[1]");
    stays("\tx\n[a]: /u\n> - \n    ![x](u)\n\n[1]", "```\nx\n```\n\n> - \u{200b} \n```\n![x](u)\n```\n\n[1]");
    stays("1. a\n\n       b\n2. c[1]", "1. a\n\n   ```\n   b\n   ```\n2. c[1]");
    stays("\tx\n\n- a[1]", "```\nx\n```\n\n- a[1]");
}

/// An indented line that continues a paragraph is no header. The line below it looks like delimiters but may be code, so
/// nothing may be added to it.
#[test]
fn what_is_under_no_header_is_left_as_it_is() {
    stays("`[1]\n    a|b\n-|-\n![|`x[1]", "`[1]     a|b -|- ![|`x[1]");
    stays("> `x\n>     a|b\n> -|-\n> `[1]", "> `x     a|b -|- `[1]");
    stays("- a\n  > `x\n  > \ta|b\n  > -|-\n  > `[1]", "- a\n  > `x \ta|b -|- `[1]");
    stays("- `x\n    a|b\n-|-\n`[1]", "- `x   a|b -|- `[1]");
    stays("- `x\n  # a|b\n-|-\n`[1]", "- &#96;x\n  # a|b\n-|-\u{200b}\n&#96;[1]");
}

/// Where markdown-it reads a table, the rule must become text; everywhere else it was once made text without need.
#[test]
fn a_rule_under_no_header_stays_one() {
    for given in [
        "> a\n> !\u{200b}[|\n\n---\n[1]",
        "a\nb&#124;\n---\n[1]",
        "> a\n> b&#124;\n> ---\n> [1]",
        "- a\n  b&#124;\n  ---\n  [1]",
        "> a\n> b|\n\n---\n[1]",
        "> a\n> # b|\n---\n[1]",
        "- a\n  > b|\n\n---\n[1]",
        "|a|\n|-|\n|b|\n\n---\n[1]",
        "```\na|\n```\n---\n[1]",
        "<div>a&#124;</div>\n\n---\n[1]",
        "***&#124;a\n---\n[1]",
        "- a\n- b|\n\n---\n[1]",
        "- \u{200b}\n\n- b|\n\n---\n[1]",
        "> 1. a\n>\n> 2. b|\n\n---\n[1]",
        "1.&#124;a\n---\n[1]",
        "- |a\n\n---\n[1]",
        "> |a\n\n---\n[1]",
        "2) - |a\n\n---\n[1]",
        "- - |a\r\n\r\n  ---\r\n  [1]",
        "- > |a\n\n  ---\n  [1]",
        "> - |[1]\n>\n> ---\n> [1]",
    ] {
        stays(given, given);
    }
    stays("a|b\n> -|-\n![|\n---\n[1]", "a|b\n> -|-\u{200b}\n> !\u{200b}[|\n\n---\n[1]");
    stays("> a|\n---\n[1]", "> a|\n\n---\n[1]");
    stays("-     a|\n---\n[1]", "- ```\n  a|\n  ```\n---\n[1]");
    stays("- a\n+ b|\n---\n[1]", "- a\n+ b|\n\n---\n[1]");
    stays("- a\n- - b|\n  ---\n[1]", "- a\n- - b|\n\n  ---\n[1]");
    stays("- - |a\n    ---\n    [1]", "- - &#124;a\n    ---\n    [1]");
    stays("> - a|\n> ---\n> [1]", "> - a|\n>\n> ---\n> [1]");
    // Without its link, the line has no second cell.
    stays("- |[](javascript:x)\n---\n[1]", "- |\u{200b}\n\n---\n[1]");
    stays("- a|\n  ---\n[1]", "- a&#124;\n  ---\n[1]");
    stays("a\n   b|\n---\n[1]", "a\nb&#124;\n---\n[1]");
    // Nothing is left before it.
    stays("> [2]: /u\n>\n> # b|\n---\n[1]", "> # b|\n---\n[1]");
    stays("[2]: /u\n    b|\n---\n[1]", "b&#124;\n---\n[1]");
}

/// micromark and this code once read the lines below the tag as HTML; markdown-it read rows, with links to any address.
#[test]
fn a_tag_alone_is_a_row_behind_a_table() {
    stays("a|b\n-|-\n<b>\n[1](https://evil)", "a | b |\n| --- | --- |\n<b> |  |\n[1] |  |");
    stays("a|b\n-|-\n<b id=x>[doc9]\n</b>\n[1]", "a | b |\n| --- | --- |\n<b>\u{200b} |  |\n</b> |  |\n[1] |  |");
    stays("> a|b\n> -|-\n> <br>\n> [1]", "> a | b |\n> | --- | --- |\n> <br> |  |\n> [1] |  |");
    stays("a|b\n-|-\n<div>\n\n[1]", "a | b |\n| --- | --- |\n\n<div>\n\n[1]");
}

/// The backtick that kept the line from being a fence was once removed with the address of a link, and the fence took in all
/// text behind it.
#[test]
fn code_that_ends_like_a_fence_ends_in_the_line_before() {
    stays("```a`\n```[b](`) [1]", "\u{200b}```a` ```b [1]");
    stays("> ```a`<b>  \r\n> ```[b](`) [1]", "> \u{200b}```a`<b>    ```b [1]");
    stays("```a`\nb```[b](`) [1]", "\u{200b}```a` b```b [1]");
    stays("``a\n``[b](`) [1]", "``a ``b [1]");
}

/// The blanks were part of the link, and then ended a line.
#[test]
fn no_line_break_is_left_of_a_link_that_was_a_marker_and_a_year() {
    stays("[1](  \n2024  \n) b", "[1]\u{200b}(   2024   ) b");
    stays("> [1](   \r\n> 2024) b", "> [1]\u{200b}(    2024) b");
    stays("[1](2024) a  \nb", "[1]\u{200b}(2024) a  \nb");
}

/// The blanks on both sides of the marker once joined to a line break.
#[test]
fn no_line_break_is_left_of_a_marker_that_vanishes() {
    stays("a  [doc9] \nb [1]", "a\nb [1]");
    stays("a [doc9] \nb [1]", "a\nb [1]");
    stays("a  [doc9] [doc8] \r\nb [1]", "a\r\nb [1]");
    stays("a  [doc9]\nb [1]", "a\nb [1]");
    stays("a [doc9]  \nb [1]", "a  \nb [1]");
}

/// A definition swallows the text behind it, and code behind its label once became active.
#[test]
fn a_bracket_that_loses_another_is_no_label() {
    stays("[[]()`]: y`\nx[1]", "\u{200b}[`]: y`\nx[1]");
    stays("[![a](javascript:x)]: https://evil\nx[1]", "[a]\\: https://evil\nx[1]");
    stays("![a `]: b`](https://ok/i)\nx[1]", "\u{200b}[a `]: b`](https://ok/i)\nx[1]");
    stays("[<b title=\"[\">a]: https://evil\nx[1]", "[<b>a]\\: https://evil\nx[1]");
    stays("[a [b](javascript:x) c]: y\n\nx[1]", "[a b c]\\: y\n\nx[1]");
    stays("a [b [c](javascript:x) d]: y\nx[1]", "a [b c d]: y\nx[1]");
}

/// When a marker stood within text that only looks like a marker, the second conversion once joined them and lost the text
/// between.
#[test]
fn a_machine_marker_holds_no_bracket() {
    let given = "a \u{e200}c (https:/\u{e200}cite\u{e202}a.pdf\u{e201}/evite\u{e202}a.pdf\u{e201}";
    stays(given, "a \u{e200}c (https:/[1]/evite\u{e202}a.pdf\u{e201}");
}

/// The definitions of a first conversion once looked like the list of the heading, and the second one removed both.
#[test]
fn a_heading_with_no_list_stays_when_it_is_converted_again() {
    stays("a [1]\nSource", "a [1]\nSource\u{200b}");
    stays("a [1]\n\n## Sources: ##  \n\n", "a [1]\n\n## Sources:\u{200b} ##");
    stays("a [1]\n\nSources\n[1] Leave policy", "a [1]");
}

/// Only the blank within the marker kept the text from being a definition, and no separator can be put into code that holds
/// its colon.
#[test]
fn text_with_its_colon_in_code_does_not_become_a_definition() {
    stays("[`]: y`[Docs 2] z", "\u{200b}[`]: y`[1] z");
    stays("- [`\n  ]: y`[doc9] z", "- \u{200b}[` ]: y` z");
    stays("[$]: y$[Docs 2]", "\u{200b}[$]: y$[1]");
    stays("[`a`]: y[Docs 2]", "[`a`]\\: y[1]");
    stays("[`]: y` z [Docs 2]", "\u{200b}[`]: y` z [1]");
}

/// Engines read U+FFFD in place of NUL: text that was no address here was a link to a script there.
#[test]
fn an_address_with_a_nul_is_one() {
    cases(&[
        ("[x](javascript:a\0) [1]", "[x]\\(javascript:a�) [1]"),
        ("<javascript:a\0> [1]", "&lt;javascript:a�> [1]"),
        ("[1]: https://evil/\0\n\nx [1]", "[1]\u{200b}: https://evil/�\n\nx [1]"),
        ("[x](https://ok/\0) [1]", "[x]\\(https://ok/�) [1]"),
    ]);
}

/// Engines follow quotes and lists to any depth: a definition nested deeper than the writer's limit once defined the number
/// of a source.
#[test]
fn what_is_nested_too_deep_stands_in_the_deepest_container_that_is_written() {
    for marker in ["> ", "- ", "1. "] {
        let nested = |text: &str| body(&answer(&format!("x [1]\n\n{}{text}", marker.repeat(101))));
        assert_eq!(nested("y").matches(marker.trim()).count(), 40, "{marker:?}");
        assert!(nested("y").ends_with('y'), "{marker:?}");
        let defined = nested("[1]: https://evil\n[2]: https://evil");
        assert!(!defined.contains("evil"), "{defined:?}");
    }
    // Containers that have ended do not count.
    let deep = "> ".repeat(40);
    stays(&format!("{deep}x\n\n> [1]\n\n2. y"), &format!("{deep}x\n\n> [1]\n\n2. y"));
}

/// The bracket once looked like the label of a footnote, which nothing extends over, so a definition was shown.
#[test]
fn a_label_of_a_footnote_holds_no_bracket() {
    stays("[2]: https://evil\n[^[1]:", "[^[1]\u{200b}:");
    stays("[2]: https://evil\n[^a\\[1]: b", "\\[^a\\[1\\]: b");
}

/// The comment that separates two lists once made the second conversion separate a bracket before it as well.
#[test]
fn a_second_conversion_leaves_the_comment_of_the_first_alone() {
    let given = "1. item\n\n[2]: https://evil \"t\"\n[x](https://ok\n   1. item";
    stays(given, "1. item\n\n[x]\\(https://ok\n   1. item");
}

/// The definitions behind the line once made it a list of references, which the second conversion removed.
#[test]
fn a_second_conversion_leaves_a_line_that_looks_like_a_definition_alone() {
    stays("e[1]``\n[1]:``a", "e[1]`` [1]:``a");
    stays("Answer [1].\n[1]: https://x/a", "Answer [1].\n[1]\u{200b}: https://x/a");
    stays("Answer [1].\n[1] a\n[1]: a", "Answer [1].\n[1] a\n[1]\u{200b}: a");
}

#[test]
fn what_the_model_left_open_is_closed_before_the_definitions() {
    cases(&[
        ("x[1]\n\n```js\na[2]", "x[1]\n\n```js\na[2]\n```"),
        ("x[1]\n\n~~~~\na\n", "x[1]\n\n~~~~\na\n~~~~"),
        ("x[1]\n- a\n  ```\n  b", "x[1]\n- a\n  ```\n  b\n  ```"),
        ("x[1]\n> ```\n> b\n\nc", "x[1]\n> ```\n> b\n> ```\n\nc"),
        ("x[1]\n<!-- open", "x[1]\n\n&lt;!-- open"),
        ("```\nno citation", "```\nno citation"),
    ]);
}

#[test]
fn a_span_that_ends_in_code_or_a_link_is_cited_behind_it() {
    let cite_at = |text: &str, end: usize| {
        let mut answer = answer(text);
        let span = Span::new(text, 0..end).expect("a span");
        answer.citations = vec![Citation::new(span, vec![SourceIndex(1), SourceIndex(0)])];
        body(&answer)
    };
    assert_eq!(cite_at("Leave is long. More.", 15), "Leave is long.[1]\u{200b}[2] More.");
    assert_eq!(cite_at("a `bc` d", 4), "a `bc`[1]\u{200b}[2] d");
    assert_eq!(cite_at("a [b](https://x) d", 4), "a [b](https://x)[1]\u{200b}[2] d");
    assert_eq!(cite_at("a **b** d", 6), "a **b**[1]\u{200b}[2] d");
    assert_eq!(cite_at("**bc**d", 4), "**bc[1]\u{200b}[2]\u{200b}**d");
    assert_eq!(cite_at("[p] a\n\n[p]: https://ok", 20), "[p] a\n\n> [p]: https://ok\n\n[1]\u{200b}[2]");
    assert_eq!(cite_at("[p] a\n\n[p]: https://ok\nb", 20), "[p] a\n\n> [p]: https://ok\n\n[1]\u{200b}[2]\n\nb");
    // The badge stands before the image that a later definition would make, not in its bracket.
    assert_eq!(
        cite_at("great![p]\n\n[p]: https://ok", 6),
        "great!\u{200b}[1]\u{200b}[2]\u{200b}[p]\n\n> [p]: https://ok"
    );
    // The offset is in the first of two definitions. The badge once stood at the beginning of the line behind both, which
    // was then no fence.
    assert_eq!(cite_at("[p]: u\n[q]: u\n~~~\nb", 5), "[1]\u{200b}[2]\n\n~~~\nb\n~~~");
    assert_eq!(cite_at("[)]:", 4), "[)]\\:[1]\u{200b}[2]");
    assert_eq!(cite_at("```\nb\n```\nd", 6), "```\nb\n```\n\n[1]\u{200b}[2]\n\nd");
    assert_eq!(cite_at("```\nb", 5), "```\nb\n```\n\n[1]\u{200b}[2]");
    // As the missing value of the attribute, the badge once made a tag that loads and runs.
    assert_eq!(cite_at("<img src=x onerror=>b", 19), "&lt;img src=x onerror=[1]\u{200b}[2]>b");
    assert_eq!(cite_at("<img src= onerror=x=>b", 10), "&lt;img src=[1]\u{200b}[2] onerror=x=>b");
    // The second conversion has the definitions of the first one behind this text.
    stays("[doc1]<?=", "[1]&lt;?=");
    assert_eq!(cite_at("a <b c=d>e", 7), "a <b>[1]\u{200b}[2]e");
    assert_eq!(cite_at("a【4:0†s】 b", 14), "a【4:0†s】[1]\u{200b}[2] b".replace("【4:0†s】", ""));
}

/// Behind the last border, the badge was once in a cell that no engine draws, or the text was no table any more.
#[test]
fn a_span_that_ends_with_a_row_of_a_table_is_cited_in_its_last_cell() {
    let text = "| Plan | Days |\n|---|---|\n| A | 30 |\n\nx\n===\n- y";
    let cited_at = |end: usize| {
        let mut answer = answer(text);
        answer.citations = vec![Citation::new(Span::new(text, 0..end).expect("a span"), vec![SourceIndex(0)])];
        body(&answer)
    };
    let row = |from: &str, to: &str| text.replacen(from, to, 1);
    for end in [14, 15, 16] {
        assert_eq!(cited_at(end), row("Days |", "Days[1] |"), "{end}");
    }
    for end in [20, 25, 26] {
        assert_eq!(cited_at(end), row("| A", "| [1]A"), "{end}");
    }
    for end in [34, 35, 36, 37] {
        assert_eq!(cited_at(end), row("30 |", "30[1] |"), "{end}");
    }
    assert_eq!(cited_at(text.len() - 4), row("- y", "\n[1]\n\n- y"));
    assert_eq!(cited_at(text.len() - 8), row("x\n", "x[1]\n"));
}

/// A badge behind the closing hashes of a heading once made text of them, and a backslash made text of the badge.
#[test]
fn a_span_is_cited_before_what_closes_its_line() {
    for (given, expected) in [
        ("# Plans ##\n\nb", "# Plans[1] ##\n\nb"),
        ("> - ## Plans #  \nb", "> - ## Plans[1] #  \nb"),
        ("1. # Plans #\r\nb", "1. # Plans[1] #\r\nb"),
        ("30 days\\\nb", "30 days[1]\\\nb"),
        ("30 days \\\nb", "30 days[1]\\\nb"),
        ("30 days\\\\\nb", "30 days\\\\\u{200b}[1]\nb"),
        ("30 days #\nb", "30 days #[1]\nb"),
        ("written in C#\nb", "written in C#[1]\nb"),
        ("# written in C#\nb", "# written in C#[1]\nb"),
        ("# #\nb", "#\n\n[1]\n\nb"),
        ("a\n\n> - ", "a[1]\n\n> - \u{200b}"),
        ("a\n\n## \nb", "a[1]\n\n## \nb"),
        ("a **\nb", "a[1] **\nb"),
        ("5.", "5. [1]"),
        ("- ", "- [1]"),
        ("3. b", "3. [1]b"),
        ("> ```\nb", "> ```\n> ```\n>\n> [1]\n\nb"),
        ("in the year\n2024.\nb", "in the year[1]\n2024.\nb"),
    ] {
        let mut answer = answer(given);
        let end = given.trim_end_matches('b').len();
        answer.citations = vec![Citation::new(Span::new(given, 0..end).expect("a span"), vec![SourceIndex(0)])];
        assert_eq!(body(&answer), expected);
    }
}

/// The badge once stood before the line behind the item, and made text of a block that began there.
#[test]
fn a_place_in_the_number_of_an_item_is_cited_where_its_text_begins_or_in_a_paragraph_behind_it() {
    for (behind, expected) in [
        (". b", "1. [1]b"),
        (".\nb", "1. [1]\n\nb"),
        (".\n   b", "1. [1]b"),
        (".\n2.\n3. b", "1. [1]\n\n2. \u{200b}\n3. b"),
        (". # b", "1. # [1]b"),
        (".\n# b", "1. [1]\n\n# b"),
        (".\n<td>[b](/u)", "1. [1]\n\n&lt;td>&#91;b&#93;(/u)"),
        (".\n```\nb\n```", "1. [1]\n\n```\nb\n```"),
        (".\n---\nb", "1. [1]\n\n---\nb"),
        (".\n", "1. [1]"),
    ] {
        let text = format!("1{behind}");
        let mut answer = answer(&text);
        answer.citations = vec![Citation::new(Span::new(&text, 0..1).expect("a span"), vec![SourceIndex(0)])];
        assert_eq!(body(&answer), expected, "{text:?}");
    }
}

/// Behind the delimiters, the badge once made text of the table, and a tag of the content of two cells.
#[test]
fn a_place_in_the_delimiters_of_a_table_is_cited_in_the_next_row_or_behind_the_table() {
    for (text, expected) in [
        ("a <b x=\"|\">\n-|-", "a &lt;b x=\" | \"> |\n| --- | --- |\n\n[1]"),
        ("a|b\n-|-\n", "a | b |\n| --- | --- |\n\n[1]"),
        ("a|b\n-|-\n\nc", "a | b |\n| --- | --- |\n\n[1]\n\nc"),
        ("a|b\n-|-\n> c", "a | b |\n| --- | --- |\n\n[1]\n\n> c"),
        ("> a|b\n> -|-\n\nc", "> a | b |\n> | --- | --- |\n>\n> [1]\n\nc"),
        ("a|b\n-|-\nc|d", "a | b |\n| --- | --- |\n[1]c | d |"),
    ] {
        let mut answer = answer(text);
        let end = text.find("-|-").expect("delimiters") + 3;
        answer.citations = vec![Citation::new(Span::new(text, 0..end).expect("a span"), vec![SourceIndex(0)])];
        assert_eq!(body(&answer), expected, "{text:?}");
    }
}

#[test]
fn a_list_of_references_stays_when_only_the_list_is_cited() {
    let text = "30 days.\n\nSources:\n[1] A\n[2] B";
    let cited_at = |end: usize| {
        let mut answer = Answer { grammar: MarkerGrammar::NONE, ..answer(text) };
        answer.citations = vec![Citation::new(Span::new(text, 0..end).expect("a span"), vec![SourceIndex(0)])];
        body(&answer)
    };
    assert_eq!(cited_at(8), "30 days.[1]");
    assert!(cited_at(text.len() - 6).contains("Sources:"));
    assert!(cited_at(text.len()).contains("Sources:"));
}

#[test]
fn a_point_in_a_line_is_not_moved_and_citations_at_one_place_ascend() {
    let text = "in ninety days .\nb";
    let mut answer = answer(text);
    let at = |end: usize, source: usize| {
        Citation::new(Span::new(text, end..end).expect("a place"), vec![SourceIndex(source)])
    };
    answer.citations = vec![at(15, 1), at(15, 0), at(17, 2)];
    let mut rules = Rules::plain();
    rules.numbering = Numbering::Provider;
    // The line end was not left by a marker.
    assert_eq!(cite(&answer, &rules).text, "in ninety days [1][2].[3]\nb");
}

#[test]
fn a_link_on_a_number_and_a_footnote_stay_where_the_format_knows_no_such_markers() {
    let text = "a [1](https://ok/x) b[^1] c[1]\n\n[^1]: a note";
    let mut answer = answer(text);
    assert_eq!(cite(&answer, &Rules::plain()).text.trim_end(), "a [1] b[1] c[1]");
    answer.grammar = MarkerGrammar::BRACKETED_NUMBERS;
    assert_eq!(cite(&answer, &Rules::plain()).text, text);
}

/// A link once stayed that looked like the badge beside it.
#[test]
fn what_looks_like_a_badge_is_no_link_where_the_format_knows_no_such_markers_either() {
    for (text, expected) in [
        ("a [[1]](https://evil) b", "a &#91;1&#93; b"),
        ("a [**1**](https://evil) b ![2](https://evil/i.png)", "a **1** b 2"),
        ("a [7](https://ok) [one](https://ok)", "a [7](https://ok) [one](https://ok)"),
    ] {
        let mut answer = answer(text);
        answer.grammar = MarkerGrammar::NONE;
        let cited = cite(&answer, &Rules::web_chat());
        assert_eq!(cited.text.replace('\u{200b}', ""), expected);
        assert_eq!(cited.entries.iter().any(|entry| entry.code == "marker-link"), text != expected);
    }
}

/// The closing brackets of a literal number were once written twice, and a number with an address counted as a citation.
#[test]
fn numbers_in_brackets_stay_where_the_format_has_other_markers() {
    for (text, expected) in [
        ("See [1][2] [doc1].", "See &#91;1&#93;&#91;2&#93; [1]."),
        ("m[1][1] = 0 [doc1].", "m&#91;1&#93;&#91;1&#93; = 0 [1]."),
        ("B[doc2]! See table[1](a).", "B[1]! See table1."),
        ("A [doc1]. In [2](2024) they say", "A [1]. In 2 they say"),
        // The bracket before it becomes a link when a definition comes, so the number must stay its label.
        ("[foo][1] [doc1]", "[foo]&#91;1&#93; [1]"),
        ("[foo][ 1 ] [doc1]", "[foo]&#91; 1 &#93; [1]"),
        ("[foo][1][bar] [doc1]", "[foo]&#91;1&#93;[bar] [1]"),
    ] {
        let mut answer = answer(text);
        answer.grammar = MarkerGrammar::AZURE_ON_YOUR_DATA;
        assert_eq!(body(&answer), expected);
        assert_eq!(cite(&answer, &Rules::web_chat()).sources.len(), 1, "{text}");
    }
}

/// Web Chat once drew the brackets of the text, because a zero-width space separated it from its label.
#[test]
fn the_text_of_a_link_to_a_marker_stands_before_the_badge_without_its_brackets() {
    cases(&[
        ("See the [Leave policy][1].", "See the Leave policy[1]."),
        ("See the [Leave policy][doc2] and [plan][^3^].", "See the Leave policy[1] and plan[2]."),
        ("[The *Leave* `policy`][1, 2] x", "The *Leave* `policy`[1]\u{200b}[2] x"),
        ("**[Leave policy][1]** and *[plan][2]*", "**Leave policy[1]** and *plan[2]*"),
        ("([Leave policy][1])", "(Leave policy[1])"),
        ("[Leave\npolicy][1]", "Leave\npolicy[1]"),
        ("[text][c.pdf] [text][1-3]", "text[1] text[2]\u{200b}[3]\u{200b}[1]"),
        ("- [Leave policy][1]\n- [2024 plan][2]", "- Leave policy[1]\n- 2024 plan[2]"),
        ("Great [news!][1]", "Great news!\u{200b}[1]"),
        ("[text][1]: y", "text[1]\u{200b}: y"),
        ("[text][1]\n\n[1]: https://evil", "text[1]"),
        ("[text][1][2] [text][1](https://evil)", "text[1]\u{200b}[2] text[1]"),
        ("| [text][1] | b |\n|---|---|", "| text[1] | b |\n|---|---|"),
        // Without a source, a machine-made marker vanishes, and a number stays text.
        ("[text][doc9]. [text][9] x[1]", "text. [text][9] x[1]"),
        ("[doc9 y][1] [doc1][2]", "doc9 y[1] [1]\u{200b}[2]"),
        // These are no links.
        ("[text][^9] [text][note] [text] [1]", "[text][^9] [text][note] [text] [1]"),
        (
            "m[row][1] m[i][1] [x][1] [ ][1] [2019][1]",
            "m[row]\u{200b}[1] m[i]\u{200b}[1] [x]\u{200b}[1] [ ]\u{200b}[1] [2019]\u{200b}[1]",
        ),
        ("![text][1] `[text][1]` \\[text][1]", "!\u{200b}[text]\u{200b}[1] `[text][1]` \\[text]\u{200b}[1]"),
        (
            "[a [b] c][1] [a [text][1] b](https://ok)",
            "[a [b] c]\u{200b}[1] [a &#91;text&#93;&#91;1&#93; b](https://ok)",
        ),
        // The emphasis beside the bracket keeps its meaning.
        ("a**[b c][1]**d", "a**&#8203;b c[1]**d"),
    ]);
}

/// The link once stayed, and its source was not cited.
#[test]
fn a_link_to_the_address_of_a_source_is_a_citation_of_it() {
    cases(&[
        ("See the [Leave policy](https://x/b).", "See the Leave policy[1]."),
        ("[Leave policy](https://x/b#days \"t\") x[1]", "Leave policy[1] x[2]"),
        ("[a](https://X/b?utm_source=openai)", "a[1]"),
        ("[a](<https://x/b>) [b](https://x/b)", "a[1] b[1]"),
        ("**[Leave *policy*](https://x/b)**", "**Leave *policy*[1]**"),
        ("- ([x.example](https://x/b))", "- (x.example[1])"),
        ("[see [3]](https://x/b)", "see [1]\u{200b}[2]"),
        ("[p]: https://x/b\n\n[Leave policy][p] [p]", "Leave policy[1] p[1]"),
        ("[](https://x/b) [[9]](https://x/b) [2024](https://x/b)", "[1] [1] 2024[1]"),
        ("[![Leave](https://i/i.png)](https://x/b)", "[Leave](https://i/i.png)[1]"),
        ("https://x/b <https://x/b> ![a](https://x/b)", "https://x/b <https://x/b> [a](https://x/b)"),
        ("[a](https://x/other) `[a](https://x/b)`", "[a](https://x/other) `[a](https://x/b)`"),
        ("![see [a](https://x/b)](https://ok) [1]", "[see a](https://ok) [1]"),
        ("[see [a](https://x/b) c](https://ok)", "[see a[1] c]\\(https://ok)"),
        ("[1](https://x/b)", "[1]"),
    ]);
    let cited = cite(&answer("See [a](https://x/c)."), &Rules::web_chat());
    assert_eq!(cited.text, "See a[1].\n\n[1]: https://x/c \"C\"");
    let notes: Vec<_> = cited.entries.iter().filter(|entry| entry.kind == Kind::Note).collect();
    assert_eq!((notes.len(), notes[0].code), (1, "link"));
    for (rules, expected) in [
        (Rules::teams(), "See a[1] and bee[2]. [c](https://ok)"),
        (Rules::plain(), "See a[1] and bee[2]. [c](https://ok)"),
        (Rules::numbered(), "See [a](https://x/c) and [bee][1]. [c](https://ok)"),
    ] {
        let cited = cite(&answer("See [a](https://x/c) and [bee][1]. [c](https://ok)"), &rules);
        assert_eq!(cited.text, expected);
        assert_eq!(cited.sources.len(), 2);
    }
}

#[test]
fn a_link_is_no_marker_where_the_provider_cites_beside_the_text() {
    for grammar in [MarkerGrammar::NONE, MarkerGrammar::ANNOTATED] {
        let answer = Answer { grammar, ..answer("See [a](https://x/c).") };
        assert_eq!(body(&answer), "See [a](https://x/c).");
    }
    let numbers = Answer {
        grammar: MarkerGrammar::BRACKETED_NUMBERS,
        ..answer("[a](https://x/c) [7](https://x/b) [2](https://x/a)")
    };
    assert_eq!(body(&numbers), "a[1] 7[2] [3]");
}

#[test]
fn a_link_in_a_cited_span_belongs_to_it_and_gets_no_badge_of_its_own() {
    let text = "Leave is [30 days](https://x/a) a year. See [more](https://x/a).";
    let cited = |start: usize, end: usize, source: usize| {
        let mut answer = answer(text);
        answer.citations = vec![Citation::new(Span::new(text, start..end).expect("a span"), vec![SourceIndex(source)])];
        body(&answer)
    };
    let sentence = "Leave is [30 days](https://x/a) a year.";
    assert_eq!(cited(0, sentence.len(), 0), format!("{sentence}[1] See more[1]."));
    assert_eq!(cited(0, sentence.len(), 1), format!("{sentence}[1] See more[2]."));
    // The span ends within the link, like one whose offset is wrong by two.
    assert_eq!(cited(0, 29, 0), "Leave is [30 days](https://x/a)[1] a year. See more[1].");
    assert_eq!(cited(9, 31, 0), "Leave is [30 days](https://x/a)[1] a year. See more[1].");
    assert_eq!(cited(0, 8, 0), "Leave is[1] 30 days[1] a year. See more[1].");
}

/// Regression test for a panic: the blank was removed with the marker, and the search for the next text then began inside a
/// character of several bytes.
#[test]
fn a_character_of_several_bytes_may_follow_a_marker_that_vanishes_with_its_blank() {
    for rules in [Rules::numbered(), Rules::web_chat(), Rules::teams(), Rules::plain()] {
        for (given, expected) in
            [(" 【9†x】…", "…"), ("[1] 【9†x】中文**", "[1]中文**"), ("  【9†x】é 【9†x】é", "é é")]
        {
            let cited = cite(&answer(given), &rules).text;
            let plain: String = cited.chars().filter(|c| *c != '\u{200b}').collect();
            let body = plain.split("\n\n").next().unwrap_or_default().replace(' ', "");
            assert_eq!(body, expected.replace(' ', ""), "{given:?}");
        }
    }
}

/// Of three markers, the one between two commas was once removed without a comma.
#[test]
fn a_marker_that_vanishes_takes_its_comma_with_it() {
    cases(&[
        ("x [2], [doc9], 【1】.", "x [1], [2]."),
        ("x [2], [doc9] y", "x [1] y"),
        ("x [2]; [doc9]", "x [1]"),
        ("x [doc9], [2] y", "x [1] y"),
        ("x [doc9], [doc8], [2], [doc7] y", "x [1] y"),
        ("x [doc9], [doc8]. y", "x. y"),
        ("x [1],[doc9],[2] y", "x [1],[2] y"),
        ("x [a](https://x/c), [doc9]. y", "x a[1]. y"),
        ("x [9], [doc9], [2].", "x [9], [1]."),
        // The comma belongs to the sentence.
        ("x [doc9], y [2], and z.", "x, y [1], and z."),
        ("x [2], [doc9 y] and [2] and [doc9].", "x [1], [doc9 y] and [1] and."),
        ("x [2],\n[doc9] y", "x [1],\ny"),
    ]);
}

#[test]
fn a_span_that_is_a_marker_is_replaced() {
    let text = "a [x.example](https://x.example) b";
    let mut answer = answer(text);
    answer.citations = vec![Citation::new(Span::new(text, 2..32).expect("a span"), vec![SourceIndex(2)])];
    assert_eq!(body(&answer), "a [1] b");
}

/// The badge once stood behind the first word of the next sentence.
#[test]
fn a_badge_at_the_end_of_a_sentence_stands_before_the_next_one() {
    for (text, expected) in [
        ("Salt sinks in water.Oil does not.", "Salt sinks in water.[1] Oil does not."),
        ("水より重い。油は軽い。", "水より重い。[1]油は軽い。"),
    ] {
        let mut answer = answer(text);
        let end = text.find("Oil").or_else(|| text.find("油は")).expect("a sentence");
        answer.citations = vec![Citation::new(Span::new(text, 0..end).expect("a span"), vec![SourceIndex(2)])];
        assert_eq!(body(&answer), expected);
    }
}

#[test]
fn every_other_byte_stays_as_it_was() {
    let text = "# Überschrift\r\n\r\n* a\u{a0}b  \r\n  | x | y |\r\n  &copy; 😀 <br> [km/h] [2019] \\* x";
    assert_eq!(cite(&answer(text), &Rules::web_chat()).text, text);
}

/// Forms that a model writes for `[1]` once went through as text, and all sources with it.
#[test]
fn each_form_of_marker_is_read() {
    let named = |id: &str, file: &str| Source {
        id: Some(id.into()).filter(|id: &String| !id.is_empty()),
        filepath: Some(file.into()),
        ..Source::default()
    };
    let mut two = answer("");
    two.sources = vec![named("turn0file0", "plan.pdf"), named("turn0file1", "travel.pdf")];
    for row in MARKER_ROWS {
        for sample in row.samples {
            two.text = format!("Leave is thirty days {sample}. Ask.");
            let cited = cite(&two, &Rules::web_chat());
            assert_eq!(cited.sources.first().map(|source| source.sources[0].0), Some(0), "{sample}: {}", cited.text);
            assert!(cited.text.starts_with("Leave is thirty days [1]"), "{sample}: {}", cited.text);
            assert!(cited.entries.iter().all(|entry| entry.code != "looks-like-marker"), "{sample}");
            let mut growing = Incremental::new(two.grammar, &Rules::web_chat());
            growing.add_sources(two.sources.clone());
            for letter in two.text.split_inclusive(|_| true) {
                growing.push(letter);
            }
            assert_eq!(growing.finish(), cited, "{sample}, letter by letter");
            for grammar in [MarkerGrammar::NONE, MarkerGrammar::ANNOTATED, MarkerGrammar::BRACKETED_NUMBERS] {
                let of_format = cite(&Answer { grammar, ..two.clone() }, &Rules::web_chat());
                let is_read = !of_format.sources.is_empty();
                assert!(!is_read || row.formats.include(&grammar), "{sample} in {grammar:?}");
            }
        }
    }
}

#[test]
fn a_form_with_a_word_is_a_marker_in_every_format_if_all_its_numbers_name_sources() {
    for grammar in [
        MarkerGrammar::NONE,
        MarkerGrammar::LINKS,
        MarkerGrammar::ANNOTATED,
        MarkerGrammar::BRACKETED_NUMBERS,
        MarkerGrammar::AZURE_ON_YOUR_DATA,
        MarkerGrammar::REFERENCES,
    ] {
        let text = |given: &str| {
            let mut answer = answer(given);
            answer.grammar = grammar;
            let cited = cite(&answer, &Rules::numbered());
            let alike = cited.entries.iter().filter(|entry| entry.code == "looks-like-marker").count();
            (cited.text, alike)
        };
        assert_eq!(text("a [Source 2] b"), ("a [2] b".into(), 0), "{grammar:?}");
        assert_eq!(text("a [Source 2, Source 9] b"), ("a [Source 2, Source 9] b".into(), 1), "{grammar:?}");
        assert_eq!(text("a (source 9) b ##7$$ c"), ("a (source 9) b ##7$$ c".into(), 2), "{grammar:?}");
    }
    let mut none = answer("a [Source 1] ##0$$ ¹ (source 1)");
    none.sources.clear();
    let cited = cite(&none, &Rules::web_chat());
    assert!(cited.entries.is_empty(), "{:?}", cited.entries);
}

#[test]
fn a_number_that_is_no_place_is_the_id_of_one_source() {
    let with_ids = |text: &str, ids: &[&str]| {
        let mut answer = answer(text);
        answer.sources = ids.iter().map(|id| Source { id: Some((*id).into()), ..Source::default() }).collect();
        let cited = cite(&answer, &Rules::web_chat());
        cited.sources.iter().map(|source| source.sources[0].0).collect::<Vec<_>>()
    };
    assert_eq!(with_ids("Leave [12] and [37].", &["12", "37"]), [0, 1]);
    assert_eq!(with_ids("Leave [Source 37].", &["12", "37"]), [1]);
    assert_eq!(with_ids("Leave [2].", &["12", "37"]), [1], "a place, and no id");
    assert_eq!(with_ids("Leave [12].", &["12", "12"]), Vec::<usize>::new(), "two sources have the id");
    // A place that is also the id of another source: an id only where all numbers are ids and one is no place.
    assert_eq!(with_ids("Leave [3] and [12].", &["3", "12", "37"]), [0, 1]);
    assert_eq!(with_ids("Leave [3] and [1].", &["3", "12", "37"]), [2, 0]);
    assert_eq!(with_ids("Leave [3].", &["3", "12", "37"]), [2]);
    assert_eq!(with_ids("Leave [2] and [1].", &["2", "1"]), [1, 0], "ids that are places are not looked at");
}

#[test]
fn words_that_do_not_tell_where_they_count_from_are_read_by_the_text() {
    let cited = |text: &str| {
        let cited = cite(&answer(text), &Rules::numbered());
        cited.places.iter().map(|place| place.position.get()).collect::<Vec<_>>()
    };
    assert_eq!(cited("a [ID:0] b [ID:2]"), [1, 3]);
    assert_eq!(cited("a [ID:1] b [ID:0]"), [2, 1]);
    assert_eq!(cited("a [ID:1] b [ID:4]"), [1, 4]);
    assert_eq!(cited("a [ID:1] b [ID:2]"), Vec::<u32>::new(), "from 0 or from 1, nobody knows");
    let mut zero = answer("a [ID:1]");
    zero.grammar.meaning = NumberMeaning::PlacesFromZero;
    assert_eq!(cite(&zero, &Rules::numbered()).text, "a [2]");
}

/// `[2]` once cited the second source where numbers count from 0, and `[ref_1]` the first where they are ids.
#[test]
fn a_format_says_what_the_numbers_of_every_form_mean() {
    let read = |text: &str, meaning: NumberMeaning| {
        let mut answer = answer(text);
        answer.grammar.meaning = meaning;
        for (source, id) in answer.sources.iter_mut().zip(["5", "3", "0"]) {
            source.id = Some(id.into());
        }
        let cited = cite(&answer, &Rules::numbered());
        (cited.text, cited.unresolved)
    };
    let (zero, ids) = (NumberMeaning::PlacesFromZero, NumberMeaning::Ids);
    for (form, from_zero, by_ids) in [
        ("[0]", "[1]", "[3]"),
        ("[0, 1]", "[1][2]", "[3]"),
        ("[0-2]", "[1][2][3]", "[0-2]"),
        ("[3, 5]", "[4]", "[2][1]"),
        ("[doc0]", "[1]", "[3]"),
        ("【0】", "[1]", "[3]"),
        ("【0†source】", "[1]", "[3]"),
        ("days ^0^", "days [1]", "days [3]"),
        ("[^0^]", "[1]", "[3]"),
        ("[^0]", "[1]", "[3]"),
        ("days⁰", "days[1]", "days[3]"),
        ("days<sup>0</sup>", "days[1]", "days[3]"),
        ("##0$$", "[1]", "[3]"),
        ("[ID:0]", "[1]", "[3]"),
        ("[ref_id:0]", "[1]", "[3]"),
        ("[ref_0]", "[1]", "[3]"),
        ("[citation:0]", "[1]", "[3]"),
        ("(Source 0)", "[1]", "[3]"),
        ("[ID:3]", "[4]", "[2]"),
        ("[citation:5]", "[citation:5]", "[1]"),
        ("[ref_1]", "[2]", "[ref_1]"),
        ("[[0]](https://x.example/none)", "[1]", "[3]"),
    ] {
        assert_eq!(read(form, zero).0.trim(), from_zero, "{form}");
        assert_eq!(read(form, ids).0.trim(), by_ids, "{form}");
    }
    assert_eq!(read("A [2].", ids), ("A [2].".to_owned(), vec!["[2]".to_owned()]), "no source has the id 2");
}

#[test]
fn what_a_marker_says_beside_its_sources_stays_or_is_reported() {
    assert_eq!(body(&answer("Leave [2, p. 3]. Ask [Source 1, page 7].")), "Leave [1], p. 3. Ask [2], page 7.");
    let cited = cite(&answer("Leave [1, 9]."), &Rules::web_chat());
    assert!(cited.text.starts_with("Leave [1].") && cited.unresolved == ["9"], "{cited:?}");
    for same in ["Since [1, 2019].", "x = [1, 9]", "f([1, 9])", "[1, 8, 9]", "[1-9]"] {
        assert_eq!(body(&answer(same)), same);
    }
}

#[test]
fn a_range_of_markers_cites_what_lies_between() {
    let cited = |text: &str| {
        let cited = cite(&answer(text), &Rules::web_chat());
        (body(&answer(text)), cited.sources.len())
    };
    assert_eq!(cited("Leave [1]–[3]."), ("Leave [1]–[3].".into(), 3));
    assert_eq!(cited("Leave [1] bis [3]."), ("Leave [1] bis [3].".into(), 3));
    assert_eq!(cited("Ask [2]. Leave [1]–[3]."), ("Ask [1]. Leave [2]\u{200b}[1]\u{200b}[3].".into(), 3));
    assert_eq!(cited("Ask [2]. Leave [1] bis [3]."), ("Ask [1]. Leave [2] bis [3].".into(), 3));
    assert_eq!(cited("Leave [1] – [3] says."), ("Leave [1] – [2] says.".into(), 2));
}

/// `10<sup>6</sup>` once reached readers as 106.
#[test]
fn raised_and_lowered_text_keeps_its_meaning_without_tags() {
    let given = "10<sup>6</sup> per m<sup>2</sup>, H<sub>2</sub>O, 10<sup>6.5</sup>, x<sub>max</sub>";
    let expected = "10⁶ per m², H₂O, 10^6.5, x_max";
    for rules in [Rules::web_chat(), Rules::teams(), Rules::plain()] {
        assert_eq!(cite(&answer(given), &rules).text, expected);
    }
    assert_eq!(cite(&answer(given), &Rules::numbered()).text, given);
    assert_eq!(body(&answer("days<sup>1</sup> <sup>*a*</sup>")), "days[1] <sup>*a*</sup>");
    assert_eq!(body(&answer("[10<sup>2</sup>](https://ok.example)")), "[10²](https://ok.example)");
}

#[test]
fn the_heading_of_a_list_that_goes_goes_with_it() {
    for heading in [
        "Fuentes:",
        "来源：",
        "### Quellen",
        "参考文献",
        "**Sources**",
        "Lähteet",
        "### Mistä tiedämme",
        "Fuentes\n-------",
        "Kirjallisuus\n===",
        "**Lue lisää:**\n",
    ] {
        let mut given = answer(&format!("Leave [1] and [2].\n\n{heading}\n[1] Report 1\n[2] Report 2"));
        for (at, source) in given.sources.iter_mut().enumerate() {
            source.title = Some(format!("Report {}", at + 1));
        }
        assert_eq!(body(&given), "Leave [1] and [2].", "{heading}");
    }
}

/// Text that may begin a form was once shown before the form was whole.
#[test]
fn a_form_that_is_cut_anywhere_is_read_as_in_the_whole_answer() {
    let mut two = answer("");
    for (at, source) in two.sources.iter_mut().enumerate() {
        source.id = Some(format!("turn0file{at}"));
    }
    for text in [
        "a newsciteturn0file0 navlistturn0file1 filecite citeturn0",
        "a (see Sources 1 and 2) b (source of c) d (来源3)",
        "a ##0$$ ##1$ ### ##x $$y$$",
        "Ask [2]. Leave [1]–[3] and [1]-[2], [2] bis [4] - [1]",
        "days<sup>1, 2</sup> 10<sup>6</sup> <sup>a b c d e f g h i j k l m n o p q r s t</sup> <sup>1",
        "days<sup>1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4</sup>. Weeks¹,², months³.",
        "a [ID:1] b [ID:0] c\n\n[ID:2] d",
        "word^1^ ^2^ 10^3^ x^2",
        "A [1].\n\n**Lue lisää**\n\n[1] A [2] B\n\nSources\n---\n",
    ] {
        two.text = text.into();
        for rules in [Rules::web_chat(), Rules::teams(), Rules::plain(), Rules::numbered()] {
            let whole = cite(&two, &rules);
            let mut growing = Incremental::new(two.grammar, &rules);
            growing.add_sources(two.sources.clone());
            let mut shown = String::new();
            for letter in text.split_inclusive(|_| true) {
                shown.push_str(growing.push(letter));
            }
            let finished = growing.finish();
            assert_eq!(finished, whole, "{text:?}");
            assert!(finished.text.starts_with(&shown), "{text:?} showed {shown:?}");
        }
    }
}
