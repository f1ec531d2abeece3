//! Finds numbers in brackets outside code, like a program that looks for `[n]`.

use std::collections::BTreeSet;
use std::ops::Range;

use pulldown_cmark::{Event, Parser, Tag};

use super::super::code;
use super::super::findings::Findings;
use super::super::joined::Joined;
use super::super::markdown::Markdown;
use super::super::pointer::Pointer;
use super::claim::Claim;

/// The markers of one text.
#[derive(Debug, Default)]
pub(super) struct Markers {
    /// The number and byte offset of each `[n]`.
    numbers: Vec<(u64, usize)>,
    /// Each `[1, 2]` and `[1-3]`, with its text.
    joined: Vec<(Joined, String)>,
    /// The comments of HTML, which users do not see.
    comments: Vec<Range<usize>>,
}

impl Markers {
    #[expect(clippy::wildcard_enum_match_arm, reason = "only code is looked for")]
    pub(super) fn of(text: &str) -> Self {
        let code = Parser::new(text).into_offset_iter().filter_map(|(event, range)| match event {
            Event::Code(_) | Event::Start(Tag::CodeBlock(_)) => Some(range),
            _ => None,
        });
        let mut code = code.peekable();
        let mut markers = Self::default();
        for (at, _) in text.match_indices('[') {
            while code.next_if(|range| range.end <= at).is_some() {}
            let in_code = code.peek().is_some_and(|range| range.contains(&at));
            if in_code || text[..at].ends_with('\\') {
                continue;
            }
            let inner = &text[at + 1..];
            let length = inner.find(|c: char| !c.is_ascii_digit()).unwrap_or(inner.len());
            if inner[length..].starts_with(']')
                && let Ok(number) = inner[..length].parse()
            {
                markers.numbers.push((number, at));
            }
        }
        let markdown = Markdown::read(text);
        let joined = markdown.joined.into_iter();
        markers.joined = joined.map(|joined| (joined.clone(), text[joined.span].to_owned())).collect();
        let html = markdown.html.into_iter().map(|html| html.span);
        markers.comments = html.filter(|span| text[span.clone()].starts_with("<!--")).collect();
        markers
    }

    /// Reports a marker of a Message without claims. A number in brackets may mean something else there.
    pub(super) fn check_unclaimed(&self, at: &Pointer, findings: &mut Findings) {
        let is_seen = |place: &usize| !self.comments.iter().any(|comment| comment.contains(place));
        let mut seen = self.numbers.iter().filter(|(number, _)| (1..1000).contains(number));
        if let Some((number, place)) = seen.find(|(_, place)| is_seen(place)) {
            findings.add(
                code::MARKER_WITHOUT_CLAIM,
                at,
                format!("Byte {place}: the Message has no claims, and users see [{number}] as text."),
            );
        }
    }

    /// Checks the markers against the claims. `whole` is false for the updates of a livestream, whose text still grows.
    pub(super) fn check(&self, claims: &[Claim<'_>], whole: bool, at: &Pointer, findings: &mut Findings) {
        let shown: BTreeSet<u64> = self.numbers.iter().map(|(number, _)| *number).collect();
        let claimed: BTreeSet<u64> = claims.iter().filter_map(|claim| claim.position).collect();
        let is_meant = |joined: &Joined| joined.is_meant(|number| claimed.contains(&number));
        let joined: Vec<_> = self.joined.iter().filter(|(joined, _)| is_meant(joined)).collect();
        for (marker, written) in &joined {
            findings.add(
                code::TEAMS_MARKERS_JOINED,
                at,
                format!(
                    "Byte {}: Teams finds single numbers in square brackets only, and users see {written} as text. Write {}.",
                    marker.span.start,
                    marker.parted("")
                ),
            );
        }
        let is_joined = |position: &u64| joined.iter().any(|(joined, _)| joined.numbers.contains(position));
        let is_cited =
            |claim: &&Claim<'_>| claim.position.is_none_or(|number| shown.contains(&number) || is_joined(&number));
        let uncited: Vec<_> = claims.iter().filter(|claim| !is_cited(claim)).collect();
        if whole && !claims.is_empty() && uncited.len() == claims.len() {
            findings.add(
                code::TEAMS_CLAIMS_UNCITED,
                &claims[0].place.at,
                "The text outside of code has the marker of no claim, so users see none of the sources. Cite them in `text`: markers in \
                 a card are not read.",
            );
        } else {
            for (claim, position) in uncited.into_iter().filter_map(|claim| Some((claim, claim.position?))) {
                findings.add(
                    code::TEAMS_CLAIM_WITHOUT_MARKER,
                    &claim.place.at,
                    format!("[{position}] is nowhere in the text outside of code, so users do not see this source. Leave it out, or cite it."),
                );
            }
        }
        // Without claims, a number in brackets is ordinary text. A claim with an invalid position may be the one that the
        // marker means.
        if claims.is_empty() || claims.iter().any(|claim| claim.position.is_none()) {
            return;
        }
        let is_meant = |number: u64| (1..1000).contains(&number) && !claimed.contains(&number);
        for (number, place) in self.numbers.iter().filter(|(number, _)| is_meant(*number)) {
            findings.add(
                code::TEAMS_MARKER_WITHOUT_CLAIM,
                at,
                format!("Byte {place}: [{number}] has no claim, and users see it as text."),
            );
        }
    }
}
