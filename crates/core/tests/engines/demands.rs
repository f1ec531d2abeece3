//! The demands on every rewritten answer, and the answers of which they can be made.

use super::expectation::{Expectation, Sources, without_repeated_badges};
use super::flow::{Flow, Item, comparable, without_blanks};
use super::generator::FORWARD_URL;
use super::judge::{Reading, Readings};
use super::marker::is_marker_label;
use super::pulldown;

/// The longest that anything is waited for (policy P-12).
pub(super) const LOOK_AHEAD: usize = 4 * 1024;

/// Whether all links and images that are read without the model's definitions of markers are there with them as well.
fn keeps_links(without: &Flow, with: &Flow) -> bool {
    let is_safe = |item: &&Item| match item {
        Item::Link { url, .. } | Item::Image { url, .. } => {
            ["http://", "https://"].iter().any(|web| url.starts_with(web))
        }
        _ => false,
    };
    without.iter().filter(is_safe).all(|link| with.contains(link))
}

/// Whether mdast is asked for more than definitions: it knows no tables, and Web Chat draws nothing of what it reads.
pub(super) fn is_compared(engine: &str, before: &Readings) -> bool {
    engine != "mdast" || !before.engines["markdown-it"].has_table()
}

/// Whether all engines, and the parser behind the rewrite, read the answer alike.
pub(super) fn is_read_in_one_way(given: &str, before: &Readings) -> bool {
    let by_pulldown = comparable(pulldown::read(given, is_marker_label));
    let agree = |(engine, reading): (&String, &Reading)| {
        !is_compared(engine, before) || comparable(reading.flow()) == by_pulldown
    };
    // `[1][2][foo]`: which two belong together depends on whether the model's own definition of 2 counts.
    // Likewise `[a [foo]](…)`, where what is a link hangs on a definition that may come later.
    let flow = before.engines["markdown-it"].flow();
    before.engines.iter().all(agree)
        && keeps_links(&flow, &before.links())
        && keeps_links(&before.links_without_definitions(), &flow)
}

/// Whether brackets stand in what may be a formula between escaped brackets. Engines do not know it.
pub(super) fn may_hold_formula(given: &str) -> bool {
    [("\\(", "\\)"), ("\\[", "\\]")].iter().any(|(open, close)| {
        let formulas = given.split(open).skip(1).filter_map(|behind| behind.split_once(close));
        formulas.into_iter().any(|(formula, _)| formula.contains('['))
    })
}

/// The definitions are those of the cited sources, in their order; beside them only the model's own, for links that came
/// before their definition.
pub(super) fn definitions(
    reading: &Reading,
    before: &Reading,
    expected: &Expectation,
    sources: &Sources,
) -> Result<(), String> {
    let of = |(at, place): (usize, &usize)| {
        let (url, title) = sources.all[place - 1];
        ((at + 1).to_string(), url.map_or_else(|| format!("cite:{}", at + 1), str::to_owned), title.to_owned())
    };
    let expected: Vec<_> = expected.cited.iter().enumerate().map(of).collect();
    let is_own = |definition: &&(String, String, String)| {
        is_marker_label(&definition.0) || !before.definitions.contains(definition)
    };
    let mut found: Vec<_> = reading.definitions.iter().filter(is_own).cloned().collect();
    found.sort();
    if found == expected { Ok(()) } else { Err(format!("the definitions are {found:?}, not {expected:?}")) }
}

pub(super) fn flows(reading: &Reading, expected: Expectation) -> Result<(), String> {
    let form = |flow: Flow| {
        let flow = without_repeated_badges(without_exclamation(comparable(flow)));
        if expected.vanished { without_repeated_badges(without_blanks(flow)) } else { flow }
    };
    let (expected, found) = (form(expected.flow), form(reading.flow()));
    if expected == found {
        return Ok(());
    }
    let at = expected.iter().zip(&found).take_while(|(expected, found)| expected == found).count();
    Err(format!(
        "at {at}\n expected {:?}\n    found {:?}",
        &expected[at.min(expected.len())..],
        &found[at.min(found.len())..]
    ))
}

/// A flow in which `!` before a link to an address that only definitions name is gone: an image that came before its
/// definition is a link behind its `!`, one that came after it is a link.
pub(super) fn without_exclamation(flow: Flow) -> Flow {
    let is_forward = |item: Option<&Item>| matches!(item, Some(Item::Link { url, .. }) if url == FORWARD_URL);
    let next: Vec<bool> = (0..flow.len()).map(|at| is_forward(flow.get(at + 1))).collect();
    let part = |(item, forward): (Item, bool)| match item {
        Item::Text(text) if forward => Item::Text(text.trim_end_matches('!').to_owned()),
        item => item,
    };
    let is_empty = |item: &Item| matches!(item, Item::Text(text) if text.is_empty());
    flow.into_iter().zip(next).map(part).filter(|item| !is_empty(item)).collect()
}

/// No images, no HTML that can act, no link but to a source or an address that readers may be led to.
pub(super) fn harmless(reading: &Reading, sources: &Sources) -> Result<(), String> {
    for item in reading.flow().into_iter().chain(reading.drawn()) {
        match item {
            Item::Image { url, .. } => return Err(format!("the image {url}")),
            Item::Html(source) => {
                let shown = outside_comments(&source).to_lowercase();
                if ["<img", "<script", "<button", "<a "].iter().any(|harm| shown.contains(harm)) {
                    return Err(format!("the HTML {source}"));
                }
            }
            Item::Link { url, .. } => {
                let scheme = url.split_once(':').map_or(String::new(), |(scheme, _)| scheme.to_lowercase());
                let number = url.strip_prefix("cite:").and_then(|number| number.parse::<usize>().ok());
                let is_source = number.is_some_and(|number| number <= sources.all.len());
                if !is_source && !["http", "https", "mailto"].contains(&scheme.as_str()) {
                    return Err(format!("a link to {url}"));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// HTML without its comments. The content of one stays if an engine or a browser might end it elsewhere.
fn outside_comments(source: &str) -> String {
    let mut shown = String::new();
    let mut rest = source;
    while let Some(at) = rest.find("<!--") {
        shown.push_str(&rest[..at]);
        let comment = &rest[at + 4..];
        let content = comment.split_once("-->").map(|(content, _)| content);
        let is_plain = |content: &&str| !content.contains("--") && !content.starts_with(['>', '-']);
        rest = content.filter(is_plain).map_or(comment, |content| &comment[content.len() + 3..]);
    }
    shown + rest
}

/// Every link to a defined address that shows a number shows its own, and the page draws each of them.
pub(super) fn badges(reading: &Reading, drawn: bool) -> Result<(), String> {
    let flow = reading.flow();
    let claims: Vec<_> = reading.definitions.iter().filter(|(label, ..)| is_marker_label(label)).collect();
    let is_badge = |item: &&Item| matches!(item, Item::Link { text, url, .. } if claims.iter().any(|(label, to, _)| label == text && to == url));
    for item in &flow {
        if let Item::Link { text, url, .. } = item
            && let Some((_, to, _)) = claims.iter().find(|(label, ..)| label == text)
            && to != url
        {
            return Err(format!("the badge {text} leads to {url}"));
        }
    }
    let links = reading.drawn();
    let (read, shown) = (flow.iter().filter(is_badge).count(), links.iter().filter(is_badge).count());
    if drawn && read != shown {
        return Err(format!("{read} badges, of which {shown} are drawn: {links:?}"));
    }
    Ok(())
}
