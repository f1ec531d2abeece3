//! Decides about links and images: they cite a source, stay, or keep only their text.

use std::borrow::Cow;
use std::ops::Range;

use url::Url;

use super::Piece;
use super::bracket::{number as bracket_number, unbracketed};
use super::leaf::{Leaf, Within};
use super::shown::drawn;
use crate::answer::{MarkerGrammar, SourceIndex};
use crate::cite::marker::{self, Marker};
use crate::cite::read::Form;
use crate::cite::resolve::Indices;
use crate::report::{Entry, Kind};
use crate::url::{WebUrl, without_user};

/// Whether a link may lead to this address: http, https or mailto, and valid (policy P-06).
pub(crate) fn is_allowed(url: &str) -> bool {
    let is_scheme = |scheme: &str| url.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    if is_scheme("http:") || is_scheme("https:") {
        return url.parse::<WebUrl>().is_ok();
    }
    is_scheme("mailto:") && Url::parse(url).is_ok_and(|url| url.scheme() == "mailto")
}

/// Whether the clients of readers can load an image from this address: https, from a host with a public name.
fn is_public(url: &Url) -> bool {
    let is_name = |domain: &str| domain.contains('.') && !domain.ends_with(".local") && !domain.ends_with(".internal");
    url.scheme() == "https" && url.domain().is_some_and(is_name)
}

/// The decision about a link.
enum Fate {
    /// Its text is a marker: badges replace the link. Without an address, the parentheses stay as text.
    Marker { sources: Indices, has_address: bool },
    /// Its text is a number, and its address or file name is that of another source: a badge of this one replaces the link.
    Target(SourceIndex),
    /// It leads to a source: its text stays, with a badge behind it.
    Cites(Indices),
    /// Only its text stays.
    Text,
    /// It stays.
    Link,
    /// It is an image that may load.
    Image,
}

impl<'l> Leaf<'l, '_> {
    /// Decides about the link with this index. Returns the index of the token that closes it.
    pub(super) fn link(&mut self, number: usize) -> usize {
        let link = &self.inline.links[number];
        let (open, close) = (link.open, link.close);
        let inside = open + 1..close;
        if self.within != Within::Text {
            self.only_text(number);
            return close;
        }
        let shown = self.shown(self.stretch(number));
        match self.fate(number, &shown) {
            Fate::Marker { sources, has_address } => self.marker_link(number, &sources, has_address),
            Fate::Target(source) => {
                let message = format!("[{}] names the source of its link, and not that number", unbracketed(&shown));
                let at = self.range(number).start;
                self.state.entries.push(Entry::in_text(Kind::Note, "marker-address", at, message));
                self.marker_link(number, &[source], true);
            }
            Fate::Cites(sources) => self.citing_link(number, &shown, &sources),
            Fate::Text => {
                self.refuse(number, &shown);
                self.pieces.push(Piece::Unbracketed(self.token(open)));
                if link.is_image && shown.trim().is_empty() {
                    self.pieces.push(Piece::Nameless);
                }
                if link.is_image {
                    self.within = Within::Description;
                }
                self.tokens(inside);
                self.within = Within::Text;
                self.pieces.push(Piece::Dropped(self.token(close)));
            }
            Fate::Link => self.stay(number, false),
            Fate::Image => self.stay(number, true),
        }
        close
    }

    /// Keeps a link, keeps an image that may load, or makes a link of an image.
    fn stay(&mut self, number: usize, is_image: bool) {
        let link = &self.inline.links[number];
        let at = self.range(number).start;
        let url = self.without_user(at, &link.url);
        let becomes_link = link.is_image && !is_image;
        if becomes_link {
            let message = format!("the image {:?} became a link, so that nothing is loaded", &*link.url);
            self.state.neutralised("image", at, message);
        }
        self.pieces.push(Piece::Open { link: number, is_image });
        if becomes_link && self.shown(self.stretch(number)).trim().is_empty() {
            self.pieces.push(Piece::Nameless);
        }
        self.within = Within::Link;
        self.tokens(link.open + 1..link.close);
        self.within = Within::Text;
        self.pieces.push(Piece::Close { link: number, url });
    }

    fn fate(&self, number: usize, shown: &str) -> Fate {
        let (link, rules) = (&self.inline.links[number], self.context.rules);
        // `[1](2024)` is a marker and a year, not an address.
        let has_address = link.form != Form::Inline || link.url.contains([':', '/', '#']) || link.url.is_empty();
        let is_marker = || marker::in_square_brackets(unbracketed(shown), self.context.grammar).is_some();
        if self.context.grammar.linked {
            let named = self.context.named_by(shown).filter(|_| has_address || is_marker());
            // The number may be the model's own. An address or file name that a source has says which one is meant. A
            // longer number is a year.
            let is_number = || bracket_number(unbracketed(shown)).is_some_and(|number| number < 1000);
            let target = self.target(number).filter(|_| named.is_some() || is_number());
            match (named, target) {
                (named, Some(target)) if !named.as_ref().is_some_and(|named| self.leads_there(named, target)) => {
                    return Fate::Target(target);
                }
                (Some(sources), target) => {
                    return Fate::Marker { sources, has_address: has_address || target.is_some() };
                }
                (None, _) => {}
            }
        }
        if let Some(sources) = self.linked_source(number) {
            return Fate::Cites(sources);
        }
        if rules.only_markers {
            return Fate::Link;
        }
        if !is_allowed(&link.url) || rules.markdown && self.context.looks_like_badge(shown) {
            return Fate::Text;
        }
        let url = || Url::parse(&link.url).ok().filter(|url| !rules.extended || is_public(url));
        let host = || url()?.host_str().map(str::to_lowercase);
        if link.is_image && host().is_some_and(|host| rules.image_hosts.contains(&host)) {
            return Fate::Image;
        }
        Fate::Link
    }

    /// The source that has the address of a link, or the file name that stands in its place.
    fn target(&self, number: usize) -> Option<SourceIndex> {
        let url = &*self.inline.links[number].url;
        let is_file = || url.contains('.') && !url.contains([':', '#']) && url.contains(char::is_alphabetic);
        let of_file = || self.context.resolve(url, &Marker::Name(url)).found().filter(|_| is_file());
        self.context.at_address(url).or_else(|| of_file()?.first().copied())
    }

    /// Whether one of these sources is the target, or has its address.
    fn leads_there(&self, sources: &[SourceIndex], target: SourceIndex) -> bool {
        let address = |index: &SourceIndex| self.context.sources[index.0].url.as_ref();
        sources.iter().any(|index| *index == target || address(index).is_some() && address(index) == address(&target))
    }

    /// The source that has the address of a link, as far as the format cites by links.
    fn linked_source(&self, number: usize) -> Option<Indices> {
        let link = &self.inline.links[number];
        if !self.context.grammar.links || link.is_image || self.state.places.overlap(&self.range(number)) {
            return None;
        }
        let source = self.context.at_address(&link.url)?;
        Some(Indices::from_slice(&[source]))
    }

    /// The range of the text of a link in the source.
    pub(super) fn stretch(&self, number: usize) -> Range<usize> {
        let link = &self.inline.links[number];
        self.inline.tokens[link.open].range.end..self.inline.tokens[link.close].range.start
    }

    /// The range of the whole link in the source.
    pub(super) fn range(&self, number: usize) -> Range<usize> {
        let link = &self.inline.links[number];
        self.inline.tokens[link.open].range.start..self.inline.tokens[link.close].range.end
    }

    fn marker_link(&mut self, number: usize, sources: &[SourceIndex], has_address: bool) {
        let link = &self.inline.links[number];
        let mut range = self.range(number);
        let tail = self.inline.tokens[link.close].range.clone();
        let leads_there = |url: &str| {
            let at = |index: &SourceIndex| self.context.sources[index.0].url.as_ref();
            url.parse::<WebUrl>().is_ok_and(|url| sources.iter().any(|index| at(index) == Some(&url)))
        };
        let names_file = || self.target(number).is_some_and(|target| self.leads_there(sources, target));
        if has_address && !leads_there(&link.url) && !names_file() {
            let text = &self.source()[self.stretch(number)];
            let message = format!("[{text}] leads to its source, and not to {:?}", &*link.url);
            self.state.neutralised("marker-link", range.start, message);
        }
        if link.is_image {
            // The exclamation mark ended a sentence: "Great![1]".
            self.push_text(range.start..range.start + 1);
            range.start += 1;
        }
        if !has_address {
            range.end = tail.start + 1;
        }
        let positions = self.state.positions(self.context.sources, sources);
        self.cite(range, positions);
        if !has_address {
            self.pieces.push(Piece::Literal(tail.start + 1..tail.end));
        }
    }

    fn citing_link(&mut self, number: usize, shown: &str, sources: &[SourceIndex]) {
        let link = &self.inline.links[number];
        if self.context.rules.only_markers {
            // The link stays, and counts as a citation.
            self.stay(number, false);
            self.state.positions(self.context.sources, sources);
            return;
        }
        if self.shows_marker_alone(shown) {
            let positions = self.state.positions(self.context.sources, sources);
            self.cite(self.range(number), positions);
            return;
        }
        let (inside, tail) = (link.open + 1..link.close, self.inline.tokens[link.close].range.clone());
        let at = self.inline.tokens[link.open].range.start;
        let message = format!("[{shown}] cites a source: its text stays, with the badge of the source behind it");
        self.state.entries.push(Entry::in_text(Kind::Note, "link", at, message));
        self.pieces.push(Piece::Unbracketed(self.token(link.open)));
        self.tokens(inside);
        let positions = self.state.positions(self.context.sources, sources);
        self.cite(tail, positions);
    }

    /// Keeps only the text of a link inside a link or a description, or of an image inside one.
    fn only_text(&mut self, number: usize) {
        let link = &self.inline.links[number];
        let inside = link.open + 1..link.close;
        self.pieces.push(Piece::Dropped(self.token(link.open)));
        if link.is_image && self.shown(self.stretch(number)).trim().is_empty() {
            self.pieces.push(Piece::Nameless);
        }
        self.tokens(inside);
        self.pieces.push(Piece::Dropped(self.token(link.close)));
    }

    /// The range of a token in the source.
    fn token(&self, at: usize) -> Range<usize> {
        self.inline.tokens[at].range.clone()
    }

    fn refuse(&mut self, number: usize, shown: &str) {
        let (url, at) = (&self.inline.links[number].url, self.range(number).start);
        if is_allowed(url) {
            let message = format!("[{shown}] looks like a citation, and leads to {:?} no more", &**url);
            self.state.neutralised("marker-link", at, message);
        } else {
            let message = format!("the address {:?} is neither http, https nor mailto; its text stays", &**url);
            self.state.neutralised("link-scheme", at, message);
        }
    }

    /// Decides about an autolink, `<https://…>`.
    pub(super) fn autolink(&mut self, range: Range<usize>) {
        let address = &self.source()[range.start + 1..range.end - 1];
        if self.within != Within::Text {
            self.pieces.push(Piece::Dropped(range.start..range.start + 1));
            self.pieces.push(Piece::Literal(range.start + 1..range.end - 1));
            self.pieces.push(Piece::Dropped(range.end - 1..range.end));
            return;
        }
        let is_mail = !address.contains(':') && address.contains('@');
        if !is_mail && !is_allowed(address) {
            self.state.neutralised("link-scheme", range.start, format!("the address {address:?} is shown as text"));
            self.pieces.push(Piece::Literal(range));
            return;
        }
        if without_user(address).is_some() {
            self.without_user(range.start, address);
        }
        self.pieces.push(Piece::Autolink(range));
    }

    /// The address without the user that it names, which makes it look like another site; `None` without a user. Reports the
    /// change.
    fn without_user(&mut self, at: usize, url: &str) -> Option<Box<str>> {
        let without = without_user(url)?;
        self.state.neutralised("link-user", at, format!("the link leads to {without:?}: its address named a user"));
        Some(without.to_string().into())
    }

    /// Whether the text of a link need not stay because it is empty or only a marker: in brackets, machine-made, or a number
    /// that looks like a badge.
    fn shows_marker_alone(&self, shown: &str) -> bool {
        let bare = unbracketed(shown);
        let marker = marker::in_square_brackets(bare, &MarkerGrammar::ALL);
        let is_marker = marker.is_some_and(|marker| {
            let is_bracketed = bare.len() < shown.trim().len() && !matches!(marker, Marker::Name(_));
            is_bracketed || marker.is_machine_made()
        });
        shown.trim().is_empty() || self.context.looks_like_badge(shown) || is_marker
    }

    /// The drawn text of a range that may be only a marker; of any other range, its source.
    pub(super) fn shown(&self, stretch: Range<usize>) -> Cow<'l, str> {
        let source = &self.source()[stretch];
        drawn(source).map_or(Cow::Borrowed(source), Cow::Owned)
    }
}
