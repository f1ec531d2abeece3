//! The figures as a page that needs nothing else: no script, no font, nothing from elsewhere.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::tally::{Count, Earlier, Named, Shares, Tally};
use crate::claims::Verdict;
use crate::text::in_terminal;

const STYLE: &str = include_str!("../../../web/eval.css");

/// The page.
pub(super) fn page(count: &Count, earlier: Option<&Earlier>) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<meta name=\"robots\" content=\"noindex\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>Citations of {} answers</title>\n<style>{STYLE}</style>\n</head>\n<body>\n",
        count.total.answers
    );
    head(&mut out, count, earlier);
    verdicts(&mut out, &count.total);
    for (at, (name, group)) in count.by.named().into_iter().enumerate() {
        table(&mut out, name, group, earlier.map(|earlier| earlier.by.named()[at].1));
    }
    reasons(&mut out, &count.total);
    lists(&mut out, count);
    out.push_str("</body>\n</html>\n");
    out
}

// Writing to a string does not fail.
fn head(out: &mut String, count: &Count, earlier: Option<&Earlier>) {
    let total = &count.total;
    writeln!(out, "<header>\n<h1>Citations of {} answers</h1>", grouped(total.answers)).ok();
    let days = count.by.day.keys();
    let span = match (days.clone().next(), days.clone().next_back()) {
        (Some(first), Some(last)) if first != last => format!(", {} to {}", escaped(first), escaped(last)),
        (Some(only), _) => format!(", {}", escaped(only)),
        (None, _) => String::new(),
    };
    writeln!(out, "<p class=\"faint\">From <bdi>{}</bdi>{span}.</p>", escaped(&count.of)).ok();
    if let Some(earlier) = earlier {
        let (answers, of) = (grouped(earlier.total.answers), escaped(&earlier.of));
        writeln!(out, "<p class=\"faint\">Compared with {answers} answers from <bdi>{of}</bdi>; changes are in percentage points.</p>").ok();
    }
    out.push_str("</header>\n");
    tiles(out, count, earlier.map(|earlier| total.shares().since(earlier.total.shares())));
}

fn tiles(out: &mut String, count: &Count, gained: Option<Shares>) {
    let (total, shares) = (&count.total, count.total.shares());
    let gained = gained.unwrap_or_default();
    let sentences = total.cited_sentences + total.uncited_sentences;
    let tiles = [
        (
            "Sentences cited",
            percent(shares.cited),
            format!(
                "{} of {}, {} are not",
                grouped(total.cited_sentences),
                grouped(sentences),
                grouped(total.uncited_sentences)
            ),
            change(gained.cited, true),
        ),
        (
            "Citations held",
            percent(shares.held),
            format!("of {} citations", grouped(total.citations)),
            change(gained.held, true),
        ),
        (
            "Alarms",
            percent(shares.alarms),
            format!("{} conflict or unsupported", grouped(total.alarms())),
            change(gained.alarms, false),
        ),
        (
            "Not decidable",
            percent(shares.unknown),
            format!("{} unknown", grouped(total.verdict(Verdict::Unknown))),
            change(gained.unknown, false),
        ),
        (
            "Markers without a source",
            grouped(total.unresolved),
            percent(shares.unresolved) + " of all markers",
            change(gained.unresolved, false),
        ),
        (
            "Answers without sources",
            grouped(total.answers_without_sources),
            format!("{} sentences", grouped(total.sentences_without_sources)),
            String::new(),
        ),
        ("Not read", grouped(count.unread.len() as u64), "named below".to_owned(), String::new()),
    ];
    out.push_str("<div class=\"tiles\">\n");
    for (name, figure, about, change) in tiles {
        writeln!(out, "<div class=\"tile\"><h3>{name}</h3><strong>{figure}</strong><p>{about}</p>{change}</div>").ok();
    }
    out.push_str("</div>\n");
}

/// The verdicts of all citations, with their key.
fn verdicts(out: &mut String, total: &Tally) {
    writeln!(out, "<h2>Verdicts</h2>\n<figure>{}\n<figcaption><ul class=\"key\">", bar(total)).ok();
    for verdict in Verdict::ALL {
        let (code, number) = (verdict.code(), total.verdict(verdict));
        let share = percent((total.citations > 0).then(|| number as f64 / total.citations as f64));
        writeln!(out, "<li><i class=\"{code}\"></i>{code} {} ({share})</li>", grouped(number)).ok();
    }
    out.push_str("</ul></figcaption></figure>\n");
    out.push_str(
        "<p class=\"faint\">Verdicts are about the cited passages. <code>supported-words</code> says that nothing speaks \
         against the words, not that they are true; <code>unknown</code> that only a model could decide.</p>\n",
    );
}

/// The verdicts as one bar. Its numbers stand beside it.
fn bar(tally: &Tally) -> String {
    let mut rects = String::new();
    let mut at = 0.0;
    for verdict in Verdict::ALL {
        if tally.verdict(verdict) > 0 {
            let width = tally.verdict(verdict) as f64 * 100.0 / tally.citations as f64;
            write!(rects, "<rect class=\"{}\" x=\"{at:.2}\" width=\"{width:.2}\" height=\"10\"/>", verdict.code()).ok();
            at += width;
        }
    }
    format!("<svg viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">{rects}</svg>")
}

fn table(out: &mut String, name: &str, group: &BTreeMap<String, Tally>, before: Option<&BTreeMap<String, Tally>>) {
    writeln!(
        out,
        "<h2>By {name}</h2>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"By {name}\"><table>\n<thead><tr>\
         <th scope=\"col\">{name}</th><th scope=\"col\">verdicts</th><th scope=\"col\">answers</th><th scope=\"col\">cited</th>\
         <th scope=\"col\">held</th><th scope=\"col\">unknown</th><th scope=\"col\">alarms</th><th scope=\"col\">no source</th>\
         </tr></thead>\n<tbody>"
    )
    .ok();
    for (key, tally) in group {
        let shares = tally.shares();
        let gained = before.map(|before| before.get(key).map(|before| shares.since(before.shares())));
        let new = if gained == Some(None) { " <span class=\"faint\">new</span>" } else { "" };
        let gained = gained.flatten().unwrap_or_default();
        let cell = |share: Option<f64>, gained: Option<f64>, is_good: bool| {
            format!("<td>{} {}</td>", percent(share), change(gained, is_good))
        };
        let [cited, held, unknown, alarms] = [
            cell(shares.cited, gained.cited, true),
            cell(shares.held, gained.held, true),
            cell(shares.unknown, gained.unknown, false),
            cell(shares.alarms, gained.alarms, false),
        ];
        let (key, answers, unresolved) = (escaped(key), grouped(tally.answers), grouped(tally.unresolved));
        writeln!(
            out,
            "<tr><th scope=\"row\"><bdi>{key}</bdi>{new}</th><td class=\"bar\">{}</td><td>{answers}</td>{cited}{held}{unknown}{alarms}<td>{unresolved}</td></tr>",
            bar(tally)
        )
        .ok();
    }
    for key in before.into_iter().flat_map(BTreeMap::keys).filter(|key| !group.contains_key(*key)) {
        writeln!(
            out,
            "<tr class=\"gone\"><th scope=\"row\"><bdi>{}</bdi></th><td colspan=\"7\">no longer there</td></tr>",
            escaped(key)
        )
        .ok();
    }
    out.push_str("</tbody></table></div>\n");
}

fn reasons(out: &mut String, total: &Tally) {
    if total.reasons.is_empty() {
        return;
    }
    out.push_str("<h2>Reasons</h2>\n<table class=\"narrow\">\n<thead><tr><th scope=\"col\">reason</th><th scope=\"col\">times</th></tr></thead>\n<tbody>");
    let mut reasons: Vec<_> = total.reasons.iter().collect();
    reasons.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), *name));
    for (name, count) in reasons {
        writeln!(out, "<tr><th scope=\"row\">{}</th><td>{}</td></tr>", escaped(name), grouped(*count)).ok();
    }
    out.push_str("</tbody></table>\n");
}

fn lists(out: &mut String, count: &Count) {
    let alarms: Vec<Named> = count
        .alarms
        .iter()
        .map(|alarm| Named {
            at: alarm.at.clone(),
            why: format!("{} conflict, {} unsupported", alarm.conflict, alarm.unsupported),
        })
        .collect();
    let number = alarms.len() as u64 + count.more_alarms;
    let more = if count.more_alarms > 0 { format!(", the first {} are named", alarms.len()) } else { String::new() };
    for (title, number, list, is_open) in [
        (format!("answers to look at{more}"), number, &alarms, false),
        ("not read".to_owned(), count.unread.len() as u64, &count.unread, true),
        ("left out".to_owned(), count.left_out.len() as u64, &count.left_out, false),
    ] {
        if list.is_empty() {
            continue;
        }
        let open = if is_open { " open" } else { "" };
        writeln!(
            out,
            "<h2>{}</h2>\n<details{open}><summary>{} {title}</summary>\n<ul class=\"plain\">",
            capital(&title),
            grouped(number)
        )
        .ok();
        for Named { at, why } in list {
            writeln!(out, "<li><code>{}</code>: <bdi>{}</bdi></li>", escaped(at), escaped(why)).ok();
        }
        out.push_str("</ul></details>\n");
    }
    if count.other_activities > 0 {
        let number = grouped(count.other_activities);
        writeln!(out, "<p class=\"faint\">{number} other activities are no answers: what users said, and events.</p>")
            .ok();
    }
}

/// The first words of a title, as a heading.
fn capital(title: &str) -> String {
    let title = title.split(',').next().unwrap_or_default();
    let mut letters = title.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn change(gained: Option<f64>, is_good: bool) -> String {
    let Some(gained) = gained.map(|gained| gained * 100.0) else { return String::new() };
    let is_worse = gained.abs() >= 0.05 && (gained > 0.0) != is_good;
    let class = if is_worse { "change worse" } else { "change" };
    format!("<span class=\"{class}\">{}</span>", format!("{gained:+.1}").replace('-', "\u{2212}"))
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "–".to_owned(), |share| format!("{:.1}\u{a0}%", share * 100.0))
}

/// A number with its thousands apart.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    groups.join(",")
}

/// A text that others have written, as HTML: without letters that are not seen.
fn escaped(text: &str) -> String {
    in_terminal(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
