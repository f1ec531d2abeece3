//! The parts of an answer that its badges stand for, and the verdicts about them.

use citewire_core::answer::{Answer, Source};
use citewire_core::claims::{Claims, Verdict, claims};
use citewire_core::ingest::ingest;
use citewire_core::output::records;
use serde_json::{Value, json};

fn of(body: &Value) -> (String, Claims) {
    let answer = ingest(body.to_string().as_bytes(), None).expect("an answer");
    let claims = claims(&answer);
    assert_eq!(claims.text, records(&answer, &[]).text);
    (claims.text.clone(), claims)
}

/// The parts of a text with two sources, each with its positions.
fn parts(text: &str) -> Vec<(String, Vec<usize>)> {
    let (text, found) =
        of(&json!({"text": text, "sources": [{"title": "A", "content": "x"}, {"title": "B", "content": "y"}]}));
    found.claims.iter().map(|claim| (text[claim.start..claim.end].to_owned(), claim.positions.clone())).collect()
}

#[track_caller]
fn stands_for(text: &str, expected: &[(&str, &[usize])]) {
    let expected: Vec<(String, Vec<usize>)> =
        expected.iter().map(|(part, positions)| ((*part).to_owned(), positions.to_vec())).collect();
    assert_eq!(parts(text), expected, "{text}");
}

#[test]
fn a_badge_stands_for_the_words_before_it_in_its_sentence() {
    stands_for("Leave is 30 days [1].", &[("Leave is 30 days", &[1])]);
    stands_for("Hello there. Leave is 30 days. [1]", &[("Leave is 30 days.", &[1])]);
    stands_for("Leave is 30 days.[1] Ask in writing.[2]", &[("Leave is 30 days.", &[1]), ("Ask in writing.", &[2])]);
    stands_for(
        "Leave is 30 days [1], and the canteen opens at noon [2].",
        &[("Leave is 30 days", &[1]), ("and the canteen opens at noon", &[2])],
    );
    stands_for(
        "休暇は年に三十日です[1]。食堂は正午に開きます[2]。",
        &[("休暇は年に三十日です", &[1]), ("食堂は正午に開きます", &[2])],
    );
}

/// The parts of an answer as the file of spans writes them: `Leave is 30 days {1} | Ask first {2}`.
fn written(text: &str) -> String {
    let parts = parts(text).into_iter().map(|(part, positions)| {
        let positions: Vec<String> = positions.iter().map(usize::to_string).collect();
        format!("{part} {{{}}}", positions.join(","))
    });
    parts.collect::<Vec<_>>().join(" | ")
}

#[test]
fn each_badge_of_many_answers_stands_for_its_own_words() {
    let lines = include_str!("spans.txt").lines().filter(|line| !line.starts_with("# The words"));
    let lines = lines.filter_map(|line| line.split_once(" => "));
    let answers: Vec<(String, String)> =
        lines.map(|(text, spans)| (text.replace("\\n", "\n"), spans.replace("\\n", "\n"))).collect();
    let spans: usize = answers.iter().map(|(_, spans)| spans.matches('{').count()).sum();
    assert!(spans >= 200, "{spans}");
    let others: Vec<String> = answers
        .iter()
        .filter(|(text, spans)| written(text) != *spans)
        .map(|(text, spans)| format!("{text:?}\n  is    {}\n  meant {spans}", written(text)))
        .collect();
    assert!(others.is_empty(), "{}", others.join("\n"));
}

#[test]
fn badges_that_touch_stand_for_one_part() {
    stands_for("Leave is 30 days [1][2].", &[("Leave is 30 days", &[1, 2])]);
    stands_for("Leave is 30 days [1], [2].", &[("Leave is 30 days", &[1, 2])]);
    stands_for("Leave is 30 days [1, 2].", &[("Leave is 30 days", &[1, 2])]);
}

#[test]
fn a_badge_at_the_start_stands_for_what_follows() {
    stands_for("According to [1], leave is 30 days.", &[("leave is 30 days.", &[1])]);
    stands_for(
        "As [1] and [2] say: leave is 30 days",
        &[("and [2] say: leave is 30 days", &[1]), ("say: leave is 30 days", &[2])],
    );
}

#[test]
fn markdown_is_no_part_of_it_and_items_cells_and_headings_stand_alone() {
    stands_for(
        "You get:\n\n- **30 days** of leave [1]\n- a free lunch [2]",
        &[("30 days** of leave", &[1]), ("a free lunch", &[2])],
    );
    stands_for("# Paid leave of employees [1]\n\nText.", &[("Paid leave of employees", &[1])]);
    stands_for("| Kind | Days of leave |\n|---|---|\n| Full-time employees | 30 [1] |", &[("30", &[1])]);
    let (_, found) = of(&json!({"text": "| Kind | Days |\n|---|---|\n| Full-time employees | 30 [1] |",
        "sources": [{"title": "A", "content": "Days for full-time employees: 30."}]}));
    assert_eq!(found.claims[0].verdict, Verdict::SupportedWords, "{found:?}");
}

#[test]
fn the_part_that_a_provider_names_is_taken() {
    let text = "Employees get leave. It is 30 days a year. Ask first.";
    let (shown, found) = of(&json!({"text": text, "sources": [{"id": "a", "title": "A", "content": "x"}],
        "annotations": [{"start": 0, "end": 42, "sources": ["a"]}]}));
    assert_eq!(&shown[found.claims[0].start..found.claims[0].end], "Employees get leave. It is 30 days a year.");
    assert_eq!(found.uncited, 1);
}

#[test]
fn a_badge_of_an_answer_that_quotes_is_for_all_that_is_quoted() {
    let passage = "# Leave\n\nLeave is 30 days. Ask **first**.\n\n- Fill in the form.\n- Wait for an answer.";
    let text = "I found this:\n\nLeave is 30 days. Ask **first**.\n\nWait for an answer. [1]";
    let of = |is_quoted| {
        let source = Source { content: Some(passage.to_owned()), is_quoted, ..Source::default() };
        let found = claims(&Answer { text: text.to_owned(), sources: vec![source], ..Answer::default() });
        let quoted =
            found.claims.iter().map(|claim| (&found.text[claim.start..claim.end], claim.verdict, &claim.quotes));
        let quoted = quoted.map(|(part, verdict, quotes)| (part.to_owned(), verdict, quotes[0].text.clone()));
        (quoted.collect::<Vec<_>>(), found.uncited)
    };
    let verbatim = |part: &str, quote: &str| (part.to_owned(), Verdict::Verbatim, quote.to_owned());
    let last = verbatim("Wait for an answer.", "Wait for an answer");
    assert_eq!(of(false), (vec![last.clone()], 2));
    let first = verbatim("Leave is 30 days. Ask **first**.", "Leave is 30 days. Ask **first");
    assert_eq!(of(true), (vec![first, last], 0));
}

#[test]
fn an_answer_is_held_against_its_passages() {
    let body = json!({"text": "Leave is 30 days a year [1]. The canteen opens at noon [2]. Ask Anna in writing [3]. Fine.", "sources": [
        {"title": "Leave", "content": "Employees have 25 days of leave a year."},
        {"title": "Canteen", "content": "The canteen opens at noon and closes at three."},
        {"title": "Ask"}]});
    let (text, found) = of(&body);
    let verdicts: Vec<&str> = found.claims.iter().map(|claim| claim.verdict.code()).collect();
    assert_eq!(verdicts, ["conflict", "verbatim", "unknown"]);
    let reason = &found.claims[0].reasons[0];
    assert_eq!((reason.code.code(), reason.text.as_deref(), reason.position), ("number-missing", Some("30 days"), 1));
    assert_eq!(&text[reason.start..reason.end], "30 days");
    assert_eq!(found.claims[1].quotes[0].text, "The canteen opens at noon");
    assert_eq!(found.claims[2].reasons[0].code.code(), "no-passage");
    assert_eq!(found.uncited, 0, "one word says nothing");
}

/// A source that holds one cell was held against the numbers of the cells beside it, which cite other sources.
#[test]
fn a_source_is_not_asked_about_cells_with_badges_of_their_own() {
    let verdicts = |row: &str| -> Vec<Verdict> {
        let text = format!("| Pump | Pressure | Seal |\n|---|---|---|\n{row}");
        let sources = json!([
            {"title": "Sheet", "content": "The P20 works at 9 bar."},
            {"title": "Seals", "content": "The P10 has a seal of rubber, the P20 one of steel."},
        ]);
        of(&json!({"text": text, "sources": sources})).1.claims.iter().map(|claim| claim.verdict).collect()
    };
    assert!(!verdicts("| P20 | 9 bar [1] | steel [2] |").contains(&Verdict::Conflict));
    assert_eq!(verdicts("| P20 | 8 bar [1] | steel [2] |")[0], Verdict::Conflict);
    assert_eq!(verdicts("| P20 | 9 bar | steel [2] |"), [Verdict::Conflict], "the badge stands for its row");
}

#[test]
fn another_source_that_holds_it_is_named() {
    let body = json!({"text": "Employees get 30 days of leave [1]. More is in the handbook [2].", "sources": [
        {"title": "Old", "content": "Employees get 25 days of leave."},
        {"title": "New", "content": "Employees get 30 days of leave."}]});
    let (_, found) = of(&body);
    let codes: Vec<(&str, usize)> =
        found.claims[0].reasons.iter().map(|reason| (reason.code.code(), reason.position)).collect();
    assert_eq!(codes, [("number-missing", 1), ("elsewhere", 2)]);
}

#[test]
fn strange_answers_have_claims_or_none() {
    for text in [
        "",
        "[1]",
        "[1][1][1]",
        "```\n[1]\n```",
        "`a [1]`",
        "$x$ [1]",
        "| a |\n|---|\n| [1] |",
        "- [1]\n- [2]",
        "> [1]",
        "a\u{0}b [1]",
        "<b>[1]</b>",
    ] {
        of(&json!({"text": text, "sources": [{"content": "a b c"}, {"content": ""}]}));
    }
    let many = "Leave is 30 days [1]. ".repeat(2_001);
    let (_, found) = of(&json!({"text": many, "sources": [{"content": "Leave is 30 days."}]}));
    let verdicts: Vec<Verdict> = found.claims.iter().map(|claim| claim.verdict).collect();
    assert_eq!((verdicts.len(), verdicts[1_999], verdicts[2_000]), (2_001, Verdict::Verbatim, Verdict::Unknown));
    assert_eq!(found.claims[2_000].reasons[0].code.code(), "cut");
}

#[test]
fn what_is_not_looked_at_is_named() {
    let (_, found) = of(
        &json!({"text": "# Paid leave\n\nLeave is 30 days [1] and more [7].", "sources": [{"content": "Leave is 30 days."}]}),
    );
    assert_eq!((found.unresolved.len(), found.uncited), (1, 0), "{found:?}");
    let long = format!("Leave is 30 days {}", "and so on ".repeat(500));
    let (_, found) = of(&json!({"text": "Leave is 30 days [1].", "sources": [{"content": long}]}));
    let quote = &found.claims[0].quotes[0];
    assert!(quote.text.len() <= 1_000 && quote.end - quote.start == quote.text.len());
    let (_, found) = of(&json!({"text": "Leave is 30 days [1][1].", "sources": [{"content": "Leave is 30 days."}]}));
    assert_eq!(found.claims[0].positions, [1]);
}
