//! The figures as lines for people.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::tally::{Count, Earlier, Tally};
use crate::claims::Verdict;
use crate::text::in_terminal;

/// The answers with alarms that are printed.
const MOST_ALARMS: usize = 20;

/// A section for all answers and one for each group.
pub(super) fn described(count: &Count, earlier: Option<&Earlier>) -> String {
    let mut out = String::new();
    total(&mut out, count, earlier);
    for (at, (name, group)) in count.by.named().into_iter().enumerate() {
        table(&mut out, name, group, earlier.map(|earlier| earlier.by.named()[at].1));
    }
    reasons(&mut out, &count.total);
    lists(&mut out, count);
    out
}

// Writing to a string does not fail.
fn total(out: &mut String, count: &Count, earlier: Option<&Earlier>) {
    let Count { total, of, .. } = count;
    let before = earlier.map(|earlier| earlier.total.shares());
    let (now, gained) = (total.shares(), before.map(|before| total.shares().since(before)));
    writeln!(out, "{} answers of {}", total.answers, in_terminal(of)).ok();
    if let Some(earlier) = earlier {
        writeln!(out, "compared with {} answers of {}", earlier.total.answers, in_terminal(&earlier.of)).ok();
    }
    let mut line = |name: &str, number: u64, share: Option<f64>, gained: Option<f64>| {
        writeln!(out, "  {name:<28}{number:>8}{}{}", percent(share), points(gained)).ok();
    };
    line("sentences with a citation", total.cited_sentences, now.cited, gained.and_then(|gained| gained.cited));
    line("sentences without", total.uncited_sentences, None, None);
    line("markers without a source", total.unresolved, now.unresolved, gained.and_then(|gained| gained.unresolved));
    line("answers without sources", total.answers_without_sources, None, None);
    line("  their sentences", total.sentences_without_sources, None, None);
    line("source objects not read", total.unread_sources, None, None);
    line("citations", total.citations, None, None);
    for verdict in Verdict::ALL {
        let share =
            |tally: &Tally| (tally.citations > 0).then(|| tally.verdict(verdict) as f64 / tally.citations as f64);
        let gained = earlier.and_then(|earlier| Some(share(total)? - share(&earlier.total)?));
        line(&format!("  {}", verdict.code()), total.verdict(verdict), share(total), gained);
    }
}

fn percent(share: Option<f64>) -> String {
    share.map(|share| format!("{:>8.1} %", share * 100.0)).unwrap_or_default()
}

fn points(gained: Option<f64>) -> String {
    gained.map(|gained| format!("  {:+.1}", gained * 100.0)).unwrap_or_default()
}

fn table(out: &mut String, name: &str, group: &BTreeMap<String, Tally>, before: Option<&BTreeMap<String, Tally>>) {
    let widest = group.keys().map(|key| in_terminal(key).chars().count()).max().unwrap_or(0).max(name.len());
    writeln!(out, "\n{name:<widest$}  answers  cited   held  unknown  alarms  no source").ok();
    for (key, tally) in group {
        let key_shown = in_terminal(key);
        let shares = tally.shares();
        let share = |share: Option<f64>| share.map_or_else(|| "-".to_owned(), |share| format!("{:.1}%", share * 100.0));
        let [cited, held, unknown, alarms] = [shares.cited, shares.held, shares.unknown, shares.alarms].map(share);
        let counted =
            format!("{:>7} {cited:>6} {held:>6}  {unknown:>7}  {alarms:>6}  {:>9}", tally.answers, tally.unresolved);
        let gained = before.map(|before| match before.get(key) {
            Some(before) => {
                let gained = shares.since(before.shares());
                format!("  cited{} alarms{}", or_same(gained.cited), or_same(gained.alarms))
            }
            None => "  new".to_owned(),
        });
        writeln!(out, "{key_shown:<widest$}  {counted}{}", gained.unwrap_or_default()).ok();
    }
    for key in before.into_iter().flat_map(BTreeMap::keys).filter(|key| !group.contains_key(*key)) {
        writeln!(out, "{:<widest$}  no longer there", in_terminal(key)).ok();
    }
}

fn or_same(gained: Option<f64>) -> String {
    gained.map_or_else(|| " -".to_owned(), |gained| format!(" {:+.1}", gained * 100.0))
}

fn reasons(out: &mut String, total: &Tally) {
    if total.reasons.is_empty() {
        return;
    }
    writeln!(out, "\nreasons").ok();
    let mut reasons: Vec<_> = total.reasons.iter().collect();
    reasons.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), *name));
    for (name, count) in reasons {
        writeln!(out, "  {name:<28}{count:>8}").ok();
    }
}

fn lists(out: &mut String, count: &Count) {
    if !count.alarms.is_empty() {
        writeln!(out, "\nanswers to look at").ok();
    }
    for alarm in count.alarms.iter().take(MOST_ALARMS) {
        let (conflict, unsupported) = (alarm.conflict, alarm.unsupported);
        writeln!(out, "  {}: {conflict} conflict, {unsupported} unsupported", in_terminal(&alarm.at)).ok();
    }
    let more = count.alarms.len().saturating_sub(MOST_ALARMS) as u64 + count.more_alarms;
    if more > 0 {
        writeln!(out, "  and {more} more: --output json names the first 1,000").ok();
    }
    for (title, list) in [("not read", &count.unread), ("left out", &count.left_out)] {
        if !list.is_empty() {
            writeln!(out, "\n{}: {title}", list.len()).ok();
        }
        for named in list {
            writeln!(out, "  {}: {}", in_terminal(&named.at), in_terminal(&named.why)).ok();
        }
    }
    if count.other_activities > 0 {
        writeln!(out, "\n{} other activities, which are no answers", count.other_activities).ok();
    }
}
