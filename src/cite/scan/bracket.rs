//! Brackets: markers, links, images, and those that are text.

use std::ops::Range;

use url::Url;

use super::construct::{Parsed, Target, inline_target, label};
use super::cursor::Cursor;
use super::definitions::{normalised, unbracketed};
use super::drawn::drawn;
use super::inline::holds_change;
use super::node::{CitedLink, Node, NodeKind};
use super::scanner::{Input, Opener, Scanner};
use crate::answer::{MarkerGrammar, SourceIndex};
use crate::cite::LiteralNumbers;
use crate::cite::definition::push_title;
use crate::cite::marker::{self, MAX_INNER_BYTES, Marker};
use crate::cite::resolve::Indices;
use crate::report::{Entry, Kind};
use crate::url::{WebUrl, without_user};

/// Whether readers may be led to this address.
pub(super) fn is_allowed(url: &str) -> bool {
    written(url).is_some()
}

/// The address as it may be written between parentheses, when readers may be led there.
fn written(url: &str) -> Option<String> {
    let is_scheme = |scheme: &str| url.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    if is_scheme("http:") || is_scheme("https:") {
        return url.parse::<WebUrl>().ok().map(|url| url.markdown());
    }
    let url = Url::parse(url).ok().filter(|url| url.scheme() == "mailto" && is_scheme("mailto:"))?;
    let escape = |c: char| match c {
        '(' => "%28".to_owned(),
        ')' => "%29".to_owned(),
        '<' => "%3C".to_owned(),
        '>' => "%3E".to_owned(),
        ' ' => "%20".to_owned(),
        c => c.to_string(),
    };
    Some(url.as_str().chars().map(escape).collect())
}

impl Target {
    /// Address and title as they may be written on one line, when readers may be led there.
    pub(super) fn written(&self) -> Option<String> {
        let mut written = written(&self.url)?;
        if !self.title.is_empty() {
            written.push(' ');
            push_title(&mut written, &self.title.split_whitespace().collect::<Vec<_>>().join(" "));
        }
        Some(written)
    }
}

fn behind_character(text: &str, at: usize) -> usize {
    text.get(at..).and_then(|rest| rest.chars().next()).map_or(at + 1, |c| at + c.len_utf8())
}

/// The number between the brackets of `[n]`, with blanks, line ends and the prefixes of quotes in between.
fn number(inner: &str) -> Option<usize> {
    let mut number: Option<usize> = None;
    for byte in inner.bytes() {
        match byte {
            b'0'..=b'9' => {
                number = Some(number.unwrap_or(0).saturating_mul(10).saturating_add(usize::from(byte - b'0')));
            }
            b'>' => {}
            byte if byte.is_ascii_whitespace() => {}
            _ => return None,
        }
    }
    number
}

impl Input<'_> {
    /// Whether `[n]` may come to be the number of a claim.
    pub(super) fn may_be_claim(&self, n: usize) -> bool {
        (1..=self.sources.len().min(self.rules.max_claims.unwrap_or(usize::MAX))).contains(&n)
    }

    fn is_number(&self, inner: &str) -> bool {
        number(inner).is_some_and(|n| self.may_be_claim(n))
    }

    /// Every `[n]` that may come to be the number of a claim, where no backslash stands before it.
    fn numbers_within(&self, range: Range<usize>) -> Vec<Range<usize>> {
        let raw = &self.text[range.clone()];
        let number_at = |at: usize| {
            let is_escaped = raw[..at].bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1;
            let length = raw[at + 1..].find([']', '[']).filter(|length| raw[at + 1 + length..].starts_with(']'))?;
            let is_number = !is_escaped && self.is_number(&raw[at + 1..at + 1 + length]);
            is_number.then(|| range.start + at..range.start + at + length + 2)
        };
        raw.match_indices('[').filter_map(|(at, _)| number_at(at)).collect()
    }

    /// The sources that a link or image names when all that it shows is a marker: `[1](url)`, `[[1]](url)`, `[**1**](url)`.
    fn shown_sources(&self, inner: &str) -> Option<Indices> {
        self.written_sources(inner).or_else(|| self.written_sources(&drawn(inner)?))
    }

    /// Whether this is the address of one of them.
    fn are_at(&self, sources: &Indices, address: &str) -> bool {
        let at = |index: &SourceIndex| self.sources[index.0].url.as_ref();
        address.parse::<WebUrl>().is_ok_and(|address| sources.iter().any(|index| at(index) == Some(&address)))
    }

    /// Whether it is one without an address as well.
    fn is_marker(&self, inner: &str) -> bool {
        marker::in_square_brackets(unbracketed(inner), self.grammar).is_some()
    }

    /// Whether the text of a link is drawn as the badge of a claim is: where a format knows no markers in links as well.
    pub(super) fn looks_like_badge(&self, inner: &str) -> bool {
        drawn(inner).map_or_else(|| self.is_number(unbracketed(inner)), |drawn| self.is_number(unbracketed(&drawn)))
    }

    fn written_sources(&self, inner: &str) -> Option<Indices> {
        if !self.grammar.linked {
            return None;
        }
        let bracketed = unbracketed(inner);
        let marker = marker::in_square_brackets(bracketed, &MarkerGrammar::ALL)?;
        if matches!(marker, Marker::Name(_)) {
            return None;
        }
        self.resolver.resolve(self.sources, &format!("[{bracketed}]"), &marker)
    }
}

/// How a link ends behind its text.
struct Tail {
    target: Target,
    /// What is written instead, for a link whose definition goes.
    written: Option<String>,
    inline: bool,
}

impl Scanner {
    /// At a closing bracket; `false` while more must arrive.
    pub(super) fn close_bracket(&mut self, input: &Input<'_>, at: usize) -> bool {
        let Some(opener) = self.openers.back().copied() else {
            self.at = at + 1;
            return true;
        };
        let text = input.text;
        let next = text.as_bytes().get(at + 1).copied();
        // `[]` behind it is looked for as well.
        if text.len() < at + 4 && !input.finished && next.is_none_or(|next| next == b'[') {
            return false;
        }
        // `[a][](…)` is a link without a text behind `[a]`; were `a` defined later, it would be a link and a bare address.
        let mut separate = self.colon == Some(at);
        if text[at + 1..].starts_with("[](") {
            separate |= match inline_target(self.cursor(input, at + 4), text) {
                Parsed::Unknown => return false,
                Parsed::Found(_) | Parsed::TooLong => true,
                Parsed::Fails(to) => match holds_change(input, at + 4, behind_character(text, to)) {
                    None => return false,
                    Some(holds) => holds,
                },
            };
        }
        if next == Some(b'(') {
            match inline_target(self.cursor(input, at + 2), text) {
                Parsed::Unknown => return false,
                Parsed::Found(target) if opener.active => {
                    self.link(input, opener, at, Tail { target, written: None, inline: true });
                    return true;
                }
                Parsed::Found(_) => separate |= opener.gone,
                // markdown-it passes over the character where an address fails, and takes a bracket behind it for a label.
                Parsed::Fails(to) => match holds_change(input, at + 2, behind_character(text, to)) {
                    None => return false,
                    Some(holds) => separate |= holds,
                },
                Parsed::TooLong => separate = true,
            }
        }
        match self.known_label(input, opener, at, next) {
            None => return false,
            Some(Some(tail)) => {
                self.link(input, opener, at, tail);
                return true;
            }
            Some(None) => {}
        }
        // `[a][foo]` may come to be a link, whatever follows it.
        let label = match label_behind(self.cursor(input, at + 2), next) {
            Parsed::Unknown => return false,
            Parsed::Found(close) if opener.active => Some(normalised(&text[at + 2..close])),
            Parsed::Found(_) | Parsed::Fails(_) | Parsed::TooLong => None,
        };
        self.openers.pop_back();
        self.at = at + 1;
        let inner = &text[opener.inner()..at];
        // `[**1**][foo]` would look like a badge.
        separate |= next == Some(b'[') && !input.is_number(inner) && self.will_look_like_badge(input, opener, at);
        if let Some(kind) = self.marker(input, opener, at) {
            self.nodes.truncate(opener.node);
            // The `!` of an image ended a sentence: "Great![1]".
            let stays = matches!(kind, NodeKind::Nameless { vanishes: false });
            if stays && opener.image && next == Some(b'[') && input.rules.definitions && input.rules.markdown {
                // A later definition of what may be a label, now or when an image in it goes, would make an image of it.
                self.push(opener.inner() - 1..opener.inner() - 1, NodeKind::Separate);
            }
            self.used.extend(label.filter(|_| stays));
            self.begin_marker(
                input,
                opener.inner() - 1..at + 1,
                !matches!(kind, NodeKind::Nameless { vanishes: true }),
            );
            self.push(opener.inner() - 1..at + 1, kind);
            if separate && stays && input.rules.markdown {
                self.push(at + 1..at + 1, NodeKind::Separate);
            }
            return true;
        }
        if self.is_text_of_marker(input, opener, at) {
            self.nodes[opener.node].kind = NodeKind::TextStart { end: at };
            self.push(at..at + 1, NodeKind::TextEnd(None));
            return true;
        }
        self.used.extend(label);
        let is_plain = self.nodes[opener.node + 1..].iter().all(|node| node.is_blank(text));
        let is_number = input.is_number(inner) && !inner.contains(['[', ']']);
        if is_number {
            self.nodes.truncate(opener.node);
            self.push(opener.inner() - 1..at + 1, NodeKind::Number);
        } else {
            if opener.image && input.rules.definitions && input.rules.markdown {
                self.nodes[opener.node].kind = NodeKind::Exclamation;
            }
            if is_plain && number(inner).is_none() && (next != Some(b'[') || text[at + 1..].starts_with("[]")) {
                self.used.insert(normalised(inner));
            }
        }
        if separate && input.rules.markdown {
            if !is_number {
                self.opaque(at..at + 1);
            }
            self.push(at + 1..at + 1, NodeKind::Separate);
        }
        true
    }

    /// Whether the text of a bracket looks like the badge of a claim, as it is or once its markers are numbers: `[[^1^]]`.
    fn will_look_like_badge(&self, input: &Input<'_>, opener: Opener, at: usize) -> bool {
        let inner = &input.text[opener.inner()..at];
        if inner.len() > MAX_INNER_BYTES || input.looks_like_badge(inner) {
            return input.looks_like_badge(inner);
        }
        let (mut written, mut from) = (String::new(), opener.inner());
        for node in &self.nodes[opener.node + 1..] {
            #[expect(clippy::wildcard_enum_match_arm, reason = "all others stay, or hold what can be no badge")]
            let becomes = match &node.kind {
                NodeKind::Cite(sources) if sources.len() == 1 => "[1]",
                NodeKind::CiteLink(link) if link.sources.len() == 1 => "[1]",
                NodeKind::Nameless { vanishes: true } => "",
                _ => continue,
            };
            written.push_str(&input.text[from..node.range.start]);
            written.push_str(becomes);
            from = node.range.end;
        }
        written.push_str(&input.text[from..at]);
        from > opener.inner() && input.looks_like_badge(&written)
    }

    /// What the bracket is as a marker.
    fn marker(&self, input: &Input<'_>, opener: Opener, at: usize) -> Option<NodeKind> {
        let text = input.text;
        let inner = &text[opener.inner()..at];
        let is_plain = || self.nodes[opener.node + 1..].iter().all(|node| node.is_blank(text));
        if inner.len() > MAX_INNER_BYTES || !is_plain() {
            return None;
        }
        let marker = marker::in_square_brackets(inner, input.grammar)?;
        match input.resolver.resolve(input.sources, &text[opener.inner() - 1..=at], &marker) {
            Some(sources) => Some(NodeKind::Cite(sources)),
            None if marker.is_machine_made() => Some(NodeKind::Nameless { vanishes: true }),
            None if marker.is_name() || input.is_number(inner) => None,
            None => Some(NodeKind::Nameless { vanishes: false }),
        }
    }

    /// The rest of a link whose label the model has defined.
    #[expect(clippy::option_option, reason = "the outer one says that more must arrive")]
    fn known_label(&self, input: &Input<'_>, opener: Opener, at: usize, next: Option<u8>) -> Option<Option<Tail>> {
        // A definition that is text is no link to itself.
        if self.definitions.is_empty() || !opener.active || self.shown_definition == Some(at) {
            return Some(None);
        }
        let text = input.text;
        let inner = &text[opener.inner()..at];
        let (named, end) = if next == Some(b'[') {
            match label(self.cursor(input, at + 2)) {
                Parsed::Unknown => return None,
                Parsed::Found(close) if text[at + 2..close].trim().is_empty() => (inner, close + 1),
                // What a label follows is no link by itself.
                Parsed::Found(close) => (&text[at + 2..close], close + 1),
                Parsed::Fails(_) | Parsed::TooLong => (inner, at + 1),
            }
        } else {
            (inner, at + 1)
        };
        let is_marker = end == at + 1 && input.written_sources(inner).is_some();
        let known = self.definitions.get(&normalised(named)).filter(|_| !is_marker && !named.contains(['[', ']']));
        let Some(target) = known else { return Some(None) };
        let written = target.written().map(|target| format!("]({target})"));
        Some(Some(Tail { target: Target { end, ..target.clone() }, written, inline: false }))
    }

    /// A link or an image, whose text ends at `at`.
    fn link(&mut self, input: &Input<'_>, opener: Opener, at: usize, tail: Tail) {
        let Tail { target, written, inline } = tail;
        let inner = &input.text[opener.inner()..at];
        self.openers.pop_back();
        // `[1](2024)` is a marker and a year, not an address.
        let is_address = !inline || target.url.contains([':', '/', '#']) || target.url.is_empty();
        if let Some(sources) = input.shown_sources(inner).filter(|_| is_address || input.is_marker(inner)) {
            let end = if is_address { target.end } else { at + 1 };
            self.tail_end = target.end;
            let lost = Some(target.url).filter(|url| is_address && !input.are_at(&sources, url));
            let link = CitedLink { sources, shown: opener.inner()..at, image: opener.image, lost };
            self.nodes.truncate(opener.node);
            self.begin_marker(input, opener.inner() - 1..end, true);
            self.push(opener.inner() - 1..end, NodeKind::CiteLink(Box::new(link)));
            self.at = end;
            if !opener.image {
                // Nor will it be one for whoever reads the result without our definitions.
                self.deactivate(true);
            }
            return;
        }
        let linked = self.linked_source(input, opener, &target.url, target.end);
        if let Some(sources) = linked.clone().filter(|_| !input.rules.only_markers) {
            self.cite_link(input, opener, at, target.end, sources);
            return;
        }
        self.at = target.end;
        let address = &target.url;
        let is_allowed = is_allowed(address);
        let host = || Url::parse(address).ok().and_then(|url| url.host_str().map(str::to_lowercase));
        let may_load = opener.image && is_allowed && host().is_some_and(|host| input.rules.image_hosts.contains(&host));
        let nameless = opener.image && inner.trim().is_empty();
        let refused = if !is_allowed {
            Some(("link-scheme", format!("the address {address:?} is neither http, https nor mailto; its text stays")))
        } else if input.rules.markdown && input.looks_like_badge(inner) {
            Some(("marker-link", format!("[{inner}] looks like a citation, and leads to {address:?} no more")))
        } else {
            None
        };
        if let Some((code, message)) = refused {
            self.report(code, opener.at, message);
            self.unlink(opener, at, target.end, nameless);
            if !opener.image {
                self.deactivate(true);
            }
            return;
        }
        let becomes_link = opener.image && !may_load;
        let written = match without_user(address) {
            Some(without) => {
                self.report("link-user", opener.at, format!("the link leads to {without:?}: its address named a user"));
                written.or_else(|| target.written().map(|target| format!("]({target})")))
            }
            None => written,
        };
        self.spell_math(opener.node + 1, input);
        for node in opener.node + 1..self.nodes.len() {
            if becomes_link {
                self.show_only(node, input);
            }
            self.soften(node, input, becomes_link);
            self.unlink_image(node);
        }
        if becomes_link {
            self.report("image", opener.at, format!("the image {address:?} became a link, so that nothing is loaded"));
            let tail = self.nodes.len() - opener.node;
            self.nodes[opener.node].kind = NodeKind::ImageStart { end: target.end, tail, nameless };
        } else {
            self.nodes[opener.node].kind = NodeKind::LinkStart { end: target.end };
        }
        let is_beside_bracket = !opener.image && input.text[..opener.at].ends_with(']');
        if written.is_some() && inner.is_empty() && is_beside_bracket && input.rules.markdown {
            // Written inline, `[a][][foo]` is `[a][](…)`, which is kept apart wherever it stands.
            self.nodes.insert(opener.node, Node::new(opener.at..opener.at, NodeKind::Separate));
        }
        match written {
            // Where nothing but markers is touched, the link stays, and is a citation all the same.
            _ if linked.is_some() => self.push(at..target.end, NodeKind::TextEnd(linked)),
            Some(written) => self.push(at..target.end, NodeKind::Replace(written)),
            None => self.push(at..target.end, NodeKind::LinkEnd),
        }
        if !opener.image {
            self.deactivate(false);
        }
    }

    /// In the text of a link, math that holds the number of a claim is text: for an engine that knows no math the number would
    /// be a link in the link, which then were none.
    fn spell_math(&mut self, from: usize, input: &Input<'_>) {
        if input.rules.literal_numbers != LiteralNumbers::Escape {
            return;
        }
        let mut done = 0;
        for node in self.nodes.split_off(from) {
            if node.range.start < done {
                continue;
            }
            let NodeKind::MathStart { end } = node.kind else {
                self.nodes.push(node);
                continue;
            };
            let start = node.range.start;
            let numbers = input.numbers_within(start..end);
            if numbers.is_empty() {
                self.nodes.push(node);
                continue;
            }
            let dollars = input.text[start..].bytes().take_while(|byte| *byte == b'$').count();
            let dollar = NodeKind::Replace("&#36;".repeat(dollars));
            self.push(start..start + dollars, dollar.clone());
            done = start + dollars;
            for number in numbers {
                self.opaque(done..number.start);
                done = number.end;
                self.push(number, NodeKind::Number);
            }
            self.opaque(done..end - dollars);
            self.push(end - dollars..end, dollar);
            done = end;
        }
    }

    /// Takes the brackets and the address off a text.
    fn unlink(&mut self, opener: Opener, at: usize, end: usize, nameless: bool) {
        let text = if nameless { NodeKind::Replace("image".into()) } else { NodeKind::Unlinked };
        self.nodes[opener.node].kind = text;
        self.push(at..end, NodeKind::Cut);
    }

    /// In the text of an image nothing leads anywhere; once it is the text of a link, what did would be a link in a link.
    fn show_only(&mut self, node: usize, input: &Input<'_>) {
        let kind = &self.nodes[node].kind;
        if let NodeKind::LinkStart { end } = *kind {
            let behind = &mut self.nodes[node + 1..];
            if let Some(tail) = behind.iter_mut().find(|tail| tail.range.end == end) {
                tail.kind = NodeKind::Cut;
                self.nodes[node].kind = NodeKind::Cut;
            }
            return;
        }
        let raw = &input.text[self.nodes[node].range.clone()];
        let shown = if matches!(kind, NodeKind::Autolink) { raw.get(1..raw.len() - 1) } else { None };
        if let Some(shown) = shown {
            self.nodes[node].kind = NodeKind::Replace(literal(shown));
        }
    }

    /// An image inside a link is its text.
    pub(super) fn unlink_image(&mut self, node: usize) {
        if let NodeKind::ImageStart { tail, nameless, .. } = self.nodes[node].kind {
            self.nodes[node].kind = if nameless { NodeKind::Replace("image".into()) } else { NodeKind::Cut };
            self.nodes[node + tail].kind = NodeKind::Cut;
        }
    }

    /// Markers in the text of a link are none, a link that cites is what it was, and an image there is its description.
    fn soften(&mut self, node: usize, input: &Input<'_>, becomes_link: bool) {
        let Node { range, kind } = &mut self.nodes[node];
        #[expect(clippy::wildcard_enum_match_arm, reason = "nothing else cites")]
        let softened = match kind {
            NodeKind::CiteLink(link) => {
                range.start -= usize::from(link.image);
                let shown = &input.text[link.shown.clone()];
                NodeKind::Replace(literal(drawn(shown).as_deref().unwrap_or(shown)))
            }
            NodeKind::Cite(_) | NodeKind::Nameless { .. } => {
                let raw = &input.text[range.clone()];
                let inner = raw.strip_prefix('[').and_then(|raw| raw.strip_suffix(']'));
                let is_number = inner.is_some_and(|inner| input.is_number(inner));
                if is_number { NodeKind::Number } else { NodeKind::Opaque }
            }
            NodeKind::TextEnd(Some(_)) if becomes_link => NodeKind::Cut,
            NodeKind::TextEnd(_) | NodeKind::Separator => NodeKind::Opaque,
            NodeKind::TextStart { end } => {
                let end = *end;
                let is_linked =
                    |node: &Node| node.range.start == end && matches!(node.kind, NodeKind::TextEnd(Some(_)));
                let mut inside = self.nodes[node + 1..].iter().take_while(|node| node.range.start <= end);
                let is_cut = becomes_link && inside.any(is_linked);
                if is_cut { NodeKind::Cut } else { NodeKind::Bracket }
            }
            _ => return,
        };
        self.nodes[node].kind = softened;
    }

    /// A link holds no other: brackets that are still open become none.
    pub(super) fn deactivate(&mut self, gone: bool) {
        for opener in self.openers.iter_mut().filter(|opener| !opener.image) {
            opener.active = false;
            opener.gone |= gone;
        }
    }

    /// A bracket that equals the number of a claim, kept from being taken for it.
    pub(super) fn number(&mut self, input: &Input<'_>, at: usize, raw: &str) {
        let entry = self.writer.number(raw, &input.text[at + raw.len()..]);
        self.literal_entry(at, raw, entry);
    }

    /// `\[1`, or `[1` in math: a reader of the drawn text would take it for a badge.
    pub(super) fn escaped_number(&mut self, input: &Input<'_>, at: usize, raw: &str) {
        let bracket = raw.find('[').map_or(0, |bracket| bracket + 1);
        let digits = &raw[bracket..];
        if number(digits).is_some_and(|n| input.may_be_claim(n)) {
            let entry = self.writer.escaped_number(&raw[..bracket], digits);
            self.literal_entry(at, &format!("[{digits}]"), entry);
        } else {
            self.writer.opaque(raw);
        }
    }

    fn literal_entry(&mut self, at: usize, bracket: &str, entry: (Kind, &'static str, &'static str)) {
        let (kind, code, fate) = entry;
        self.entries.push(Entry::in_text(kind, code, at, format!("{bracket} is text, and {fate}")));
    }
}

/// The label of a full reference behind the bracket that closes its text: where it closes.
fn label_behind(cursor: Cursor<'_>, next: Option<u8>) -> Parsed<usize> {
    if next == Some(b'[') { label(cursor) } else { Parsed::Fails(cursor.at()) }
}

/// Text that Markdown reads as it is.
fn literal(text: &str) -> String {
    let mut literal = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            // A reader of the drawn text would take `[1]` for a badge.
            '[' => literal.push_str("&#91;"),
            ']' => literal.push_str("&#93;"),
            '\\' | '`' | '*' | '_' | '~' | '$' | '&' | '<' => literal.extend(['\\', c]),
            c => literal.push(c),
        }
    }
    literal
}
