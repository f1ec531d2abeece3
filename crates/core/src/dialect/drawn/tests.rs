//! Tests of the drawn text of each channel, and of properties for any text.

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use regex::Regex;

use super::super::{Dialect, MessageOptions};
use crate::activity::{Activity, Entity};
use crate::cite::Position;
use crate::graph::{Claim, ClaimPosition, DigitalDocument, Message};
use crate::report::{At, Entry, Kind};

const DRAWN: [Dialect; 6] =
    [Dialect::Slack, Dialect::SlackBlocks, Dialect::GoogleChat, Dialect::Telegram, Dialect::Line, Dialect::EmailHtml];

const DEFINITIONS: &str = "\n\n[1]: https://x.example/a?b=1&c \"A\"\n[2]: cite:2 \"B\"";

/// A message with two sources; one has an address.
fn thing() -> Message {
    let claim = |number: usize, document| {
        let position = Position::after(number - 1);
        Claim::new(None, ClaimPosition::Text(position), document)
    };
    let mut first = DigitalDocument::new("A & <b>");
    first.url = Some("https://x.example/a?b=1&c".into());
    let mut second = DigitalDocument::new("B");
    second.summary = Some("Thirty\ndays.".to_owned());
    Message::new(vec![claim(1, first), claim(2, second)], None)
}

/// The drawn form of a Markdown text without citations.
fn drawn(dialect: Dialect, text: &str) -> String {
    let message = Message::new(Vec::new(), None);
    shown(&dialect.message(text.to_owned(), message, MessageOptions::default(), &mut Vec::new()))
}

/// The text that readers see in an activity.
fn shown(activity: &Activity) -> String {
    let data = activity.channel_data.as_ref();
    let native = data.and_then(|data| {
        ["/text", "/parameters/text", "/htmlBody"].into_iter().find_map(|member| data.pointer(member)?.as_str())
    });
    assert!(native.is_none() || activity.text.is_none(), "a text beside a native message is a message of its own");
    native.or(activity.text.as_deref()).unwrap_or_default().to_owned()
}

fn all(text: &str) -> [String; 3] {
    [Dialect::Slack, Dialect::Telegram, Dialect::Line].map(|dialect| drawn(dialect, text).replace('\u{200b}', ""))
}

#[test]
fn each_mark_is_that_of_the_channel() {
    for (markdown, expected) in [
        ("**a** *b* ~~c~~ `d`", ["*a* _b_ ~c~ `d`", "<b>a</b> <i>b</i> <s>c</s> <code>d</code>", "a b c d"]),
        ("# a **b**", ["*a b*", "<b>a b</b>", "a b"]),
        (
            "[a](https://x.example/?b&c)",
            [
                "<https://x.example/?b&amp;c|a>",
                "<a href=\"https://x.example/?b&amp;c\">a</a>",
                "a (https://x.example/?b&c)",
            ],
        ),
        (
            "<https://x.example/>",
            [
                "<https://x.example/|https://x.example/>",
                "<a href=\"https://x.example/\">https://x.example/</a>",
                "https://x.example/",
            ],
        ),
        (
            "![a](https://x.example/a.png)",
            ["<https://x.example/a.png|a>", "<a href=\"https://x.example/a.png\">a</a>", "a (https://x.example/a.png)"],
        ),
        ("- a\n- b\n  1. c", ["• a\n• b\n  1. c", "• a\n• b\n  1. c", "• a\n• b\n  1. c"]),
        ("7. a\n8. b", ["7. a\n8. b", "7. a\n8. b", "7. a\n8. b"]),
        ("> a\n>\n> > b", ["> a\n>\n> b", "<blockquote>a\n\nb</blockquote>", "> a\n>\n> b"]),
        ("```rust\na < b\n```", ["```\na &lt; b\n```", "<pre>a &lt; b</pre>", "a < b"]),
        (
            "|a|b|\n|-|-|\n|cc|`d`|",
            ["```\na  | b\n---|--\ncc | d\n```", "<pre>a  | b\n---|--\ncc | d</pre>", "a | b\ncc | d"],
        ),
        ("a  \nb\nc", ["a\nb c", "a\nb c", "a\nb c"]),
        ("a\n\n---", ["a\n\n———", "a\n\n———", "a\n\n———"]),
    ] {
        assert_eq!(all(markdown), expected, "{markdown}");
    }
}

#[test]
fn nothing_of_a_text_is_read_as_a_mark_or_a_tag() {
    for (markdown, expected) in [
        (
            "\\<script> &amp; <!channel>",
            ["&lt;script&gt; &amp; ", "&lt;script&gt; &amp; ", "<script> & "].map(str::trim_end),
        ),
        (
            "a \\<!channel> \\<@U1>",
            ["a &lt;!channel&gt; &lt;@U1&gt;", "a &lt;!channel&gt; &lt;@U1&gt;", "a <!channel> <@U1>"],
        ),
        ("<script>a</script>", ["a", "a", "a"]),
        ("<div onclick=x>\na\n</div>", ["a", "a", "a"]),
        ("a<br>b <b>c</b>", ["a\nb c", "a\nb c", "a\nb c"]),
        ("[a](javascript:b) [c](tg://user?id=1) ![d](data:e)", ["a c d", "a c d", "a c d"]),
        (
            "[a|b>](https://x.example/|>\"<)",
            [
                "<https://x.example/%7C%3E%22%3C|a¦b&gt;>",
                "<a href=\"https://x.example/%7C%3E%22%3C\">a|b&gt;</a>",
                "a|b> (https://x.example/%7C%3E%22%3C)",
            ],
        ),
        ("``a`b`` `</code>`", ["a`b `&lt;/code&gt;`", "<code>a`b</code> <code>&lt;/code&gt;</code>", "a`b </code>"]),
        (
            "[**a** `b`](https://x.example/)",
            ["<https://x.example/|a b>", "<a href=\"https://x.example/\">a b</a>", "a b (https://x.example/)"],
        ),
    ] {
        assert_eq!(all(markdown), expected, "{markdown}");
    }
    assert_eq!(drawn(Dialect::Slack, "````\n```\n<!here>\n````"), "```\n&lt;!here&gt;");
}

#[test]
fn a_badge_links_to_its_source_and_the_list_names_it() {
    let text = format!("a [1]\u{200b}[2] `[1]`{DEFINITIONS}");
    let of = |dialect: Dialect| dialect.message(text.clone(), thing(), MessageOptions::default(), &mut Vec::new());
    let url = "https://x.example/a?b=1&amp;c";
    let expected = format!("a <{url}|[1]>[2] `[1]`\n\n[1] <{url}|A &amp; &lt;b&gt;>\n[2] B: Thirty days.");
    assert_eq!(shown(&of(Dialect::Slack)), expected);
    let link = |text: &str| format!("<a href=\"{url}\">{text}</a>");
    let (badge, title) = (link("[1]"), link("A &amp; &lt;b&gt;"));
    let expected = format!("a {badge}[2] <code>[1]</code>\n\n[1] {title}\n[2] B: Thirty days.");
    assert_eq!(shown(&of(Dialect::Telegram)), expected);
    let plain = "a [1][2] [1]\n\n[1] A & <b> (https://x.example/a?b=1&c)\n[2] B: Thirty days.";
    assert_eq!(shown(&of(Dialect::Line)), plain);
    let expected = format!(
        "<html><body>\n<p>a <sup>{badge}</sup><sup>[2]</sup> <code>[1]</code></p>\n<p>[1] {title}<br />\n[2] B: Thirty days.</p>\n\
         </body></html>"
    );
    assert_eq!(shown(&of(Dialect::EmailHtml)), expected);
    // Other programs read the claims, and the entity's text if the activity has none.
    for dialect in DRAWN {
        let activity = of(dialect);
        let Some([Entity::Message(thing)]) = activity.entities.as_deref() else { panic!("{dialect}: a Message thing") };
        assert_eq!(thing.citation.len(), 2);
        assert_eq!(activity.text.as_deref().or(thing.text.as_deref()), Some(plain), "{dialect}");
    }
}

#[test]
fn what_a_channel_does_not_show_is_reported() {
    let mut entries = Vec::new();
    let wishes = MessageOptions { feedback: true, ..MessageOptions::default() };
    let _ = Dialect::Slack.message("a".to_owned(), thing(), wishes, &mut entries);
    assert_eq!(entries.iter().map(|entry| (entry.kind, entry.code)).collect::<Vec<_>>(), [(Kind::Dropped, "feedback")]);
}

#[test]
fn a_long_message_is_cut_or_goes_out_in_parts_that_are_drawn_each() {
    let text = format!("{}{DEFINITIONS}", "**word** [1] & so on.\n\n".repeat(1_000));
    for dialect in [Dialect::Slack, Dialect::Telegram, Dialect::Line] {
        let mut entries = Vec::new();
        let only = dialect.message(text.clone(), thing(), MessageOptions::default(), &mut entries);
        let codes: Vec<_> = entries.iter().map(|entry| (entry.kind, entry.code)).collect();
        assert_eq!(codes, [(Kind::Cut, "message-size")], "{dialect}");
        assert!(
            shown(&only).contains('…') && !shown(&only).contains("] B"),
            "{dialect}: the second source is cited nowhere"
        );

        let (parts, entries) = parts(dialect, &text);
        assert!(parts.len() > 3, "{dialect}");
        assert!(parts.iter().all(|part| !shown(part).contains("[1]:")), "{dialect}");
        assert!(
            entries.iter().any(|entry| entry.code == "message-parts" && entry.at == At::Pointer("/text".to_owned()))
        );
    }
}

fn parts(dialect: Dialect, text: &str) -> (Vec<Activity>, Vec<Entry>) {
    let mut entries = Vec::new();
    let wishes = MessageOptions { in_parts: true, ..MessageOptions::default() };
    let message = dialect.message(text.to_owned(), thing(), wishes, &mut entries);
    assert_eq!(message.text.as_deref(), Some(text), "a message for parts stays in Markdown");
    (dialect.parts(message, dialect.max_message_bytes(), &mut entries), entries)
}

/// Reads HTML, and panics on an incomplete tag or entity. Returns the tags, and the length of the text.
fn read_html(html: &str) -> (Vec<String>, usize) {
    let token =
        Regex::new(r#"^(?:<(/?)([a-z][a-z0-9]*)((?: [a-z]+="[^"<>]*")*)( /)?>|&(?:amp|lt|gt|quot|#x27|#39);|[^<>&]+)"#);
    let token = token.expect("an expression");
    let (mut open, mut tags, mut units, mut rest) = (Vec::new(), Vec::new(), 0, html);
    while !rest.is_empty() {
        let found = token.captures(rest).unwrap_or_else(|| panic!("{rest:.40?} in {html:?}"));
        match found.get(2).map(|name| name.as_str()) {
            None => units += if rest.starts_with('&') { 1 } else { found[0].encode_utf16().count() },
            Some(name) if &found[1] == "/" => assert_eq!(open.pop(), Some(name), "{html:?}"),
            Some(name) => {
                tags.push(format!("{name}{}", found[3].split('=').next().unwrap_or_default()));
                if found.get(4).is_none() {
                    open.push(name);
                }
            }
        }
        rest = &rest[found[0].len()..];
    }
    assert!(open.is_empty(), "{open:?} in {html:?}");
    (tags, units)
}

/// The longest text of a channel: as one message, and as a part.
#[expect(clippy::wildcard_enum_match_arm, reason = "a new dialect has its limit in its row, and is no line here")]
fn limits(dialect: Dialect) -> (usize, usize) {
    match dialect {
        Dialect::Slack => (40_000, 4_000),
        Dialect::Telegram => (4_096, 4_096),
        Dialect::Line => (5_000, 5_000),
        _ => (150_000, 150_000),
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "text without markup has nothing to check but its length")]
fn check(dialect: Dialect, shown: &str, limit: usize) {
    let length = match dialect {
        Dialect::Telegram => {
            let (tags, units) = read_html(shown);
            let known = ["b", "i", "s", "code", "pre", "blockquote", "a href"];
            assert!(tags.iter().all(|tag| known.contains(&tag.as_str())), "{tags:?}");
            units
        }
        Dialect::EmailHtml => {
            let (tags, _) = read_html(shown);
            assert!(!tags.iter().any(|tag| tag.starts_with("script") || tag.starts_with("img")), "{tags:?}");
            shown.encode_utf16().count()
        }
        Dialect::Slack => {
            let control = Regex::new("<([^<>|]*)\\|[^<>|]*>").expect("an expression");
            let links = control.captures_iter(shown).map(|link| link[1].to_owned());
            assert!(links.into_iter().all(|url| url.starts_with("http") || url.starts_with("mailto:")), "{shown:?}");
            assert!(!control.replace_all(shown, "").contains('<'), "{shown:?}");
            shown.encode_utf16().count()
        }
        _ => shown.encode_utf16().count(),
    };
    assert!(length <= limit, "{dialect}: {length}");
}

/// Runs 24 cases, whatever number is configured, because each case draws messages of many parts.
fn for_some<S: Strategy>(strategy: S, test: impl Fn(S::Value)) {
    let mut runner = TestRunner::new(ProptestConfig::with_cases(24));
    let result = runner.run(&strategy, |value| {
        test(value);
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn any_text_is_drawn_whole_and_within_the_limits() {
    const PIECES: [&str; 39] = [
        "**",
        "*",
        "~~",
        "`",
        "```\n",
        "\n",
        "\n\n",
        "> ",
        "- ",
        "1. ",
        "    ",
        "# ",
        "|a|b|\n|-|-|\n",
        "| ",
        "[1]",
        "[2]",
        "[9]",
        "<b>",
        "</b>",
        "<script>",
        "<br>",
        "<",
        ">",
        "&",
        "&lt;",
        "&#60;",
        "\"",
        "👩‍👩‍👧",
        "😀",
        "\\",
        "![",
        "](https://x.example/|>\"<)",
        "](javascript:x)",
        "[",
        "<!channel>",
        "<https://x.example/?a&b>",
        "<a@b.example>",
        "---\n",
        "x",
    ];
    let piece = prop_oneof!["\\PC{0,12}", prop::sample::select(&PIECES[..]).prop_map(str::to_owned)];
    let times = prop::sample::select(&[1_usize, 20, 100][..]);
    for_some((prop::collection::vec(piece, 0..30), times), |(pieces, times)| {
        let text = format!("{}{DEFINITIONS}", pieces.concat().repeat(times));
        for dialect in DRAWN {
            let (max_message, max_part) = limits(dialect);
            let whole = dialect.message(text.clone(), thing(), MessageOptions::default(), &mut Vec::new());
            check(dialect, &shown(&whole), max_message);
            let (parts, _) = parts(dialect, &text);
            for part in &parts {
                check(dialect, &shown(part), max_part);
            }
        }
    });
}

#[test]
fn claims_that_leave_no_room_go_and_are_reported() {
    for_some((1_u32..40, 1_usize..1_500), |(count, length)| {
        let url = format!("https://x.example/{}", "a".repeat(length));
        let claims = (1..=count).map(|number| {
            let mut document = DigitalDocument::new(format!("T{number}"));
            document.url = Some(url.clone().into());
            Claim::new(None, ClaimPosition::Text(Position::after(number as usize - 1)), document)
        });
        let message = Message::new(claims.collect(), None);
        let body: String = (1..=count).map(|number| format!("[{number}] ")).collect();
        let definitions: String = (1..=count).map(|number| format!("\n[{number}]: {url} \"T\"")).collect();
        for dialect in DRAWN {
            let mut entries = Vec::new();
            let text = format!("{body}\n{definitions}");
            let activity = dialect.message(text, message.clone(), MessageOptions::default(), &mut entries);
            check(dialect, &shown(&activity), limits(dialect).0);
            let Some([Entity::Message(thing)]) = activity.entities.as_deref() else { panic!("a Message thing") };
            assert!(thing.citation.len() == count as usize || !entries.is_empty());
        }
    });
}
