//! The flow that an engine should read in the rewritten answer, told from what it reads in the answer itself.
//!
//! Markers are looked for in the text that the engine shows, and nowhere else; what the policies say of links, images and
//! HTML is applied to what the engine takes for links, images and HTML.

use citewire_core::answer::MarkerGrammar;

use super::flow::{Flow, Item, KEPT_END, KEPT_START, joined};
use super::generator::FORWARD_URL;
use super::given::ATTESTED;
use super::marker::{Marker, bracket, is_marker_label, lenticular, machine_names, worded};

/// The sources of every generated answer, by the number of their place: what a badge for each leads to.
pub(super) struct Sources {
    /// Address (none for a passage) and title.
    pub(super) all: Vec<(Option<&'static str>, &'static str)>,
    /// Other names of a source: a whole marker, a file name.
    pub(super) names: Vec<(&'static str, usize)>,
}

/// The flow that should be read, and the respects in which it is not foretold exactly.
pub(super) struct Expectation {
    pub(super) flow: Flow,
    /// The places of the cited sources, in the order of their numbers.
    pub(super) cited: Vec<usize>,
    /// Whether blanks are not foretold: a marker vanished with the blank before it, or a year in parentheses was an address.
    pub(super) vanished: bool,
    /// Why the flow as a whole is not foretold: HTML that is made text reads anew, and a footnote reaches how far the engine
    /// thinks it does.
    pub(super) inexact: bool,
}

/// The meaning of a bracket.
enum Meaning {
    Cites(Vec<usize>),
    Vanishes,
    Nothing,
}

/// Foretells the rewrite of an answer from its flow, where markers have the forms of `grammar`.
pub(super) fn of(flow: Flow, sources: &Sources, grammar: &MarkerGrammar) -> Expectation {
    let expectation = Expectation { flow: Vec::new(), cited: Vec::new(), vanished: false, inexact: false };
    let mut reader = Reader { sources, grammar, expectation };
    reader.expectation.inexact = may_hold_math(&flow);
    for item in joined(flow) {
        reader.item(item);
    }
    reader.expectation
}

/// Whether dollars may stand around math, in which no marker is looked for (policy P-02). Engines do not know it.
fn may_hold_math(flow: &Flow) -> bool {
    let (mut text, mut links) = (String::new(), 0);
    for item in flow {
        match item {
            Item::Text(more) => text.push_str(more),
            Item::Link { text, .. } | Item::Image { text, .. } => links += usize::from(text.contains('$')),
            _ => {}
        }
    }
    let opens = |at: &usize| text[at + 1..].starts_with(|next: char| !next.is_ascii_digit() && !next.is_whitespace());
    let first = text.match_indices('$').map(|(at, _)| at).find(opens);
    // Math that begins in a link may end behind it, and the reverse.
    let is_across = links > 1 || links == 1 && text.contains('$');
    is_across || first.is_some_and(|first| text[first + 1..].contains('$'))
}

/// Whether digits stand in a text without a bracket before them.
fn holds_lone_number(text: &str) -> bool {
    let digits = |c: char| c.is_ascii_digit();
    text.match_indices(digits).any(|(at, _)| !text[..at].trim_end_matches(digits).ends_with('['))
}

/// Not every engine knows strikethrough, and where it does, one sign is enough for some.
fn without_strikethrough(text: &str) -> &str {
    let inner = |sign| text.strip_prefix(sign).and_then(|inner: &str| inner.strip_suffix(sign));
    inner("~~").or_else(|| inner("~")).filter(|inner| !inner.contains('~')).unwrap_or(text)
}

/// The letter that turns the direction goes, and leaves nothing that can be seen.
fn without_override(text: &str) -> String {
    text.replace('\u{202e}', "\u{200b}")
}

/// A text without tags and invisible characters.
fn visible(text: &str) -> String {
    let mut is_tag = false;
    let is_seen = |c: &char| {
        is_tag = *c == '<' || is_tag && *c != '>';
        !is_tag && *c != '>' && !matches!(c, '\u{200b}'..='\u{200f}' | '\u{202e}' | '\u{feff}' | '~')
    };
    text.chars().filter(is_seen).collect::<String>().trim().to_owned()
}

struct Reader<'r> {
    sources: &'r Sources,
    grammar: &'r MarkerGrammar,
    expectation: Expectation,
}

impl Reader<'_> {
    fn item(&mut self, item: Item) {
        match item {
            Item::Text(text) => self.text(&without_override(&text)),
            Item::Link { text, url, title } => self.link(&without_override(&text), url, title, false),
            Item::Image { text, url, title } => self.link(&without_override(&text), url, title, true),
            Item::Html(source) => {
                // Raised and lowered text is written without its tags.
                self.expectation.inexact |= source.contains("<su");
                self.expectation.inexact |= !is_harmless(&source) || self.opens_behind_forward();
                self.push(Item::Html(source));
            }
            Item::Code(text) => self.push(Item::Code(without_override(&text))),
            Item::Block(text) => self.push(Item::Block(without_override(&text))),
            item => self.push(item),
        }
    }

    fn push(&mut self, item: Item) {
        self.expectation.flow.push(item);
    }

    fn link(&mut self, text: &str, url: String, title: String, image: bool) {
        // The name of a file as the text of a link is no marker: the link leads to that file or to another.
        let trimmed = without_strikethrough(text.trim());
        let inner = trimmed.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(trimmed);
        // Without such markers a link is one, unless it could be taken for the badge of a claim.
        self.expectation.inexact |= !self.grammar.linked && is_marker_label(visible(text).trim_matches(['[', ']']));
        if let Some(cited) = bracket(inner, &MarkerGrammar::ALL)
            .filter(|marker| marker.names.is_empty() && self.grammar.linked)
            .and_then(|marker| self.resolve(&format!("[{inner}]"), &marker))
        {
            // A marker with an address is one: the bracket before it may be its text, and the engine does not tell how it was written.
            self.expectation.inexact |=
                matches!(self.expectation.flow.last(), Some(Item::Text(text)) if text.ends_with(']'));
            // Where a number in brackets is no marker, one that is no address behind it does not make one of it.
            self.expectation.inexact |= self.bracket(inner).is_none() && !url.contains([':', '/', '#']);
            self.expectation.inexact |= self.ends_in_forward_label();
            if image {
                self.push(Item::Text("!".into()));
            }
            // The address of another source says more than the number.
            let is_source =
                |(address, _): &(Option<&str>, &str)| address.is_some_and(|address| is_same_address(address, &url));
            match self.sources.all.iter().position(is_source) {
                Some(at) if !cited.contains(&(at + 1)) => self.badges(&[at + 1]),
                _ => self.badges(&cited),
            }
            // `[1][foo]`, when the definition of `foo` comes later: the badge was shown, and `[foo]` becomes a link.
            self.expectation.inexact |= url == FORWARD_URL;
            if !url.is_empty() && !url.contains([':', '/', '#']) {
                // An address that is text again may be formatted.
                self.expectation.inexact |=
                    !title.is_empty() || url.contains(['%', '*', '_', '~', '`', '\\', '&', '<']);
                self.push(Item::Text(format!("({url})")));
                // The engine does not tell the blanks and line ends around it.
                self.expectation.vanished = true;
            }
            return;
        }
        // Signs that nobody sees are left out before a link is looked at. The engine tells tags by their source alone.
        let visible = visible(text);
        let bare = visible.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(&visible);
        self.expectation.inexact |= visible != trimmed && bracket(bare, &MarkerGrammar::ALL).is_some();
        // `[doc9][foo]` and `[c.pdf][foo]`, likewise: the marker was decided on before the definition came.
        let is_marker = |marker: Marker| marker.machine || self.resolve(&format!("[{inner}]"), &marker).is_some();
        self.expectation.inexact |= url == FORWARD_URL && self.bracket(inner).is_some_and(is_marker);
        // Whether a marker in the text of a link is one hangs on a definition that may come later.
        self.expectation.inexact |= url == FORWARD_URL && text.contains(['[', '【']);
        let scheme = url.split_once(':').map_or(String::new(), |(scheme, _)| scheme.trim().to_lowercase());
        // Of a link on a number in the text of an image, `[2](2024)`, the engine tells the number alone.
        self.expectation.inexact |= image && holds_lone_number(text);
        // Attributes of tags go, and what the engine tells of the text of a link is their source.
        self.expectation.inexact |= holds_attributes(text);
        let allowed = ["http", "https", "mailto"].contains(&scheme.as_str()) && url::Url::parse(&url).is_ok();
        let shown = if image && trimmed.is_empty() { "image" } else { text };
        let is_source =
            |(address, _): &(Option<&str>, &str)| address.is_some_and(|address| is_same_address(address, &url));
        if let Some(at) = self.sources.all.iter().position(is_source).filter(|_| self.grammar.links && !image) {
            self.expectation.inexact |= text.contains(['[', ']', '<', '*', '_', '`']);
            self.push(Item::Text(shown.to_owned()));
            self.badges(&[at + 1]);
        } else if allowed {
            self.push(Item::link(shown, url, title));
        } else if !image && url == text && url.contains(':') {
            // An autolink: all of it is shown.
            self.push(Item::Text(format!("<{url}>")));
        } else {
            // The text of the link is now text like any other, with its own formatting.
            self.expectation.inexact = true;
            self.push(Item::Text(shown.to_owned()));
        }
    }

    fn text(&mut self, text: &str) {
        if text == ATTESTED {
            self.push(Item::Text(text.to_owned()));
            self.badges(&[1]);
            return;
        }
        // `[foo][](…)`, when the definition of `foo` comes later: `[](…)` was read as a link of its own.
        let is_behind_forward =
            matches!(self.expectation.flow.last(), Some(Item::Link { url, .. }) if url == FORWARD_URL);
        self.expectation.inexact |= is_behind_forward && text.starts_with('(') && text.contains([')', '[', '【', '<']);
        let mut rest = text;
        // Where the marker before ends, and whether it vanished. What stands before this text may be one as well.
        let (mut before, mut before_vanished) = (0, false);
        while let Some(at) = rest.find(['[', '［', '【', '\u{e200}', KEPT_START]) {
            self.push(Item::Text(rest[..at].to_owned()));
            let open = rest[at..].chars().next().unwrap_or_default();
            let after = &rest[at + open.len_utf8()..];
            if open == KEPT_START {
                let end = after.find(KEPT_END).unwrap_or(after.len());
                self.push(Item::Text(after[..end].to_owned()));
                rest = after[end..].strip_prefix(KEPT_END).unwrap_or_default();
                continue;
            }
            let (meaning, length) = self.meaning(open, after);
            self.expectation.inexact |= !matches!(meaning, Meaning::Nothing) && self.ends_in_forward_label();
            if open == '[' && !matches!(meaning, Meaning::Nothing) {
                self.unbracket(&text[..text.len() - rest.len() + at]);
            }
            let begin = text.len() - rest.len() + at;
            // Behind the sign of a formula, which may stand before an emphasis, a list with an unknown number is none.
            let behind_sign = text[..begin].trim_end_matches([' ', KEPT_END]).chars().next_back();
            let behind_sign = behind_sign.is_none_or(|c| "=+*{(".contains(c));
            self.expectation.inexact |= behind_sign && after[..length].contains(['9', '0']);
            let vanishes = matches!(meaning, Meaning::Vanishes);
            if !matches!(meaning, Meaning::Nothing) {
                // Of two markers with a comma between them, one that vanishes takes the comma with it.
                let is_separated = matches!(text[before..begin].trim(), "," | ";");
                self.expectation.inexact |= is_separated && (vanishes || before_vanished);
                (before, before_vanished) = (begin + open.len_utf8() + length, vanishes);
            }
            match meaning {
                Meaning::Cites(sources) => self.badges(&sources),
                Meaning::Vanishes => self.expectation.vanished = true,
                Meaning::Nothing => self.push(Item::Text(open.to_string())),
            }
            rest = &after[length..];
        }
        self.push(Item::Text(rest.to_owned()));
    }

    /// The text of a link to the marker that follows, `[text][1]`, is shown without its brackets (policy P-05). `before` is what
    /// the engine read before the marker, and ends what was pushed.
    fn unbracket(&mut self, before: &str) {
        let Some(open_text) = before.strip_suffix(']') else { return };
        let Some(start) = open_text.rfind(['[', ']', KEPT_START, KEPT_END]) else {
            // The bracket may be open from before an emphasis.
            self.expectation.inexact |= self.expectation.flow.iter().any(|item| !matches!(item, Item::Text(_)));
            return;
        };
        let inner = &open_text[start..];
        let Some(inner) = inner.strip_prefix('[') else {
            self.expectation.inexact |= !inner.starts_with(']');
            return;
        };
        // Behind an emphasis the engine does not tell which sign ends it: an underscore there is a part of a word.
        self.expectation.inexact |=
            start == 0 && self.expectation.flow.iter().any(|item| matches!(item, Item::Close(_)));
        let word = open_text[..start].strip_suffix('_').unwrap_or(&open_text[..start]);
        let is_index =
            open_text[..start].ends_with([']', '!']) || word.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        // Escaped, or an entity: how it was written tells whether it is a part of a word.
        self.expectation.inexact |= open_text[..start].ends_with(KEPT_END);
        let is_text = inner.trim().chars().count() > 1 && inner.contains(char::is_alphabetic);
        let is_marker = self.bracket(inner).and_then(|marker| self.resolve(&format!("[{inner}]"), &marker)).is_some();
        if is_index || !is_text || is_marker || is_marker_label(inner) || worded(inner).is_some() {
            return;
        }
        // Its text was pushed in one piece for each bracket, empty ones among them.
        let mut shown = format!("[{inner}]");
        while !shown.is_empty() {
            match self.expectation.flow.pop() {
                Some(Item::Text(piece)) if shown.ends_with(&piece) => shown.truncate(shown.len() - piece.len()),
                Some(Item::Text(piece)) if piece.ends_with(&shown) => {
                    self.push(Item::Text(piece[..piece.len() - shown.len()].to_owned()));
                    break;
                }
                // The bracket is a marker itself.
                Some(item) => {
                    self.push(item);
                    self.push(Item::Text(shown));
                    return;
                }
                None => return,
            }
        }
        self.push(Item::Text(inner.to_owned()));
    }

    /// `[foo][](<br>`, likewise.
    fn opens_behind_forward(&self) -> bool {
        matches!(&*self.expectation.flow, [.., Item::Link { url, .. }, Item::Text(text)]
            if url == FORWARD_URL && text.starts_with('('))
    }

    /// A bracket before a marker is no label's text once the two are kept apart, and a link when it is defined.
    fn ends_in_forward_label(&self) -> bool {
        matches!(self.expectation.flow.last(), Some(Item::Text(text)) if text.ends_with("foo]"))
    }

    /// The meaning of the bracket before `after`, and the length of its rest in bytes.
    fn meaning(&mut self, open: char, after: &str) -> (Meaning, usize) {
        let close = match open {
            '[' => ']',
            '［' => '］',
            '【' => '】',
            _ => '\u{e201}',
        };
        let nothing = (Meaning::Nothing, 0);
        let Some(end) = after.find([open, close, KEPT_START]).filter(|end| after[*end..].starts_with(close)) else {
            return nothing;
        };
        let (inner, length) = (&after[..end], end + close.len_utf8());
        if inner.len() > 256 {
            return nothing;
        }
        let marker = match open {
            '[' | '［' => self.bracket(inner),
            '【' => lenticular(inner, self.grammar),
            _ => {
                let names = machine_names(inner);
                let marker = || Marker { places: Vec::new(), names, machine: true, whole: false };
                self.grammar.private_use.then(marker)
            }
        };
        let Some(marker) = marker else { return nothing };
        self.expectation.inexact |= open == '[' && inner.trim().starts_with('^') && after[length..].starts_with(':');
        match self.resolve(&format!("{open}{inner}{close}"), &marker) {
            Some(sources) => (Meaning::Cites(sources), length),
            None if marker.machine => (Meaning::Vanishes, length),
            None => nothing,
        }
    }

    fn bracket(&self, inner: &str) -> Option<Marker> {
        bracket(inner, self.grammar)
    }

    fn resolve(&self, token: &str, marker: &Marker) -> Option<Vec<usize>> {
        let named = |name: &str| self.sources.names.iter().find(|(known, _)| *known == name).map(|(_, place)| *place);
        if let Some(place) = named(token) {
            return Some(vec![place]);
        }
        let known = |place: &&usize| (1..=self.sources.all.len()).contains(*place);
        let unknown: Vec<usize> = marker.places.iter().copied().filter(|place| !known(&place)).collect();
        let is_list = !marker.whole && unknown.len() * 2 <= marker.places.len() && unknown.iter().all(|n| *n < 100);
        if !marker.machine && !unknown.is_empty() && !is_list {
            return None;
        }
        let mut found: Vec<usize> = Vec::new();
        let names =
            marker.names.iter().filter(|name| !name.contains('【')).filter_map(|name| named(&name.to_lowercase()));
        for place in marker.places.iter().filter(known).copied().chain(names) {
            if !found.contains(&place) {
                found.push(place);
            }
        }
        Some(found).filter(|found| !found.is_empty())
    }

    fn badges(&mut self, places: &[usize]) {
        for place in places {
            let cited = &mut self.expectation.cited;
            let at = cited.iter().position(|cited| cited == place).unwrap_or_else(|| {
                cited.push(*place);
                cited.len() - 1
            });
            let (url, title) = self.sources.all[place - 1];
            let url = url.map_or_else(|| format!("cite:{}", at + 1), str::to_owned);
            self.push(Item::link((at + 1).to_string(), url, title));
        }
    }
}

fn is_same_address(one: &str, other: &str) -> bool {
    matches!((url::Url::parse(one), url::Url::parse(other)), (Ok(one), Ok(other)) if one == other)
}

/// A badge that follows the same badge is one; so are two in one run of badges.
pub(super) fn without_repeated_badges(flow: Flow) -> Flow {
    let mut once: Flow = Vec::with_capacity(flow.len());
    for item in flow {
        let mut run = once.iter().rev().take_while(|item| is_badge(item));
        if !(is_badge(&item) && run.any(|before| *before == item)) {
            once.push(item);
        }
    }
    once
}

fn is_badge(item: &Item) -> bool {
    matches!(item, Item::Link { text, .. } if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether a text holds a tag with attributes.
fn holds_attributes(text: &str) -> bool {
    let tags = text.split('<').skip(1);
    tags.filter(|tag| tag.starts_with(|c: char| c.is_ascii_alphabetic()))
        .any(|tag| tag.split('>').next().is_some_and(|tag| tag.contains(char::is_whitespace)))
}

/// Whether a tag stays as it is: one of those that the generated answers hold and that can do nothing.
fn is_harmless(source: &str) -> bool {
    let mut rest = source.trim();
    while let Some(after) = ["<b>", "</b>", "<br>", "<sub>", "</sub>"].iter().find_map(|tag| rest.strip_prefix(tag)) {
        rest = after.trim_start();
    }
    rest.is_empty()
}
