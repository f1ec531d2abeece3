//! The flow of an answer: its texts, links and marks in order, in a form in which engines can be compared.

use url::Url;

/// Around what was escaped or written as an entity: no marker begins, ends or goes on there.
pub(super) const KEPT_START: char = '\u{fdd0}';
pub(super) const KEPT_END: char = '\u{fdd1}';

/// Texts, links and marks in the order in which a reader gets them.
pub(super) type Flow = Vec<Item>;

/// One thing that a reader gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Item {
    Text(String),
    Link {
        text: String,
        url: String,
        title: String,
    },
    Image {
        text: String,
        url: String,
        title: String,
    },
    Code(String),
    /// A code block.
    Block(String),
    Html(String),
    Break,
    Open(String),
    Close(String),
}

impl Item {
    /// From the judge's list of strings.
    pub(super) fn read(item: &[String]) -> Self {
        let field = |at: usize| item.get(at).cloned().unwrap_or_default();
        match item[0].as_str() {
            "t" => Self::Text(field(1)),
            "a" => Self::Link { text: field(1), url: field(2), title: field(3) },
            "img" => Self::Image { text: field(1), url: field(2), title: field(3) },
            "code" => Self::Code(field(1)),
            "pre" => Self::Block(field(1)),
            "html" => Self::Html(field(1)),
            "br" => Self::Break,
            "<" => Self::Open(field(1)),
            ">" => Self::Close(field(1)),
            other => panic!("the judge told of {other:?}"),
        }
    }

    pub(super) fn link(text: impl Into<String>, url: impl Into<String>, title: impl Into<String>) -> Self {
        Self::Link { text: text.into(), url: url.into(), title: title.into() }
    }

    /// Whether a text ends here for readers.
    fn parts_text(&self) -> bool {
        matches!(self, Self::Open(name) | Self::Close(name) if name != "em" && name != "strong")
            || matches!(self, Self::Break | Self::Block(_))
    }
}

/// Neighbouring texts are one, so that a marker is seen whole; so are tags, which some engines tell line by line.
pub(super) fn joined(flow: Flow) -> Flow {
    let mut joined: Flow = Vec::with_capacity(flow.len());
    for item in flow {
        match (joined.last_mut(), item) {
            (Some(Item::Text(text)), Item::Text(more)) => text.push_str(&more),
            (Some(Item::Html(source)), Item::Html(more)) => source.push_str(&more),
            (_, item) => joined.push(item),
        }
    }
    joined
}

/// The form in which engines are compared: blanks count once, what nobody sees is gone, addresses are written one way, and
/// what only some engines know (strikethrough, the two kinds of table cell, the end of HTML) is left out.
pub(super) fn comparable(flow: Flow) -> Flow {
    let is_strikethrough =
        |item: &Item| matches!(item, Item::Open(name) | Item::Close(name) if name == "s" || name == "del");
    let is_separator =
        |item: &Item| matches!(item, Item::Html(source) if ["<!---->", "<!-- -->"].contains(&source.trim()));
    let flow = flow.into_iter().filter(|item| !is_strikethrough(item) && !is_separator(item)).map(|item| match item {
        Item::Text(text) => Item::Text(seen(&text)),
        Item::Link { text, url, title } => {
            Item::Link { text: words(&seen(&text)), url: address(&url), title: words(&title) }
        }
        Item::Image { text, url, title } => {
            Item::Image { text: words(&seen(&text)), url: address(&url), title: words(&title) }
        }
        Item::Code(text) => Item::Code(words(&text)),
        Item::Block(text) => Item::Block(letters(&text)),
        Item::Html(source) => Item::Html(letters(&source)),
        Item::Open(name) => Item::Open(if name == "th" { "td".into() } else { name }),
        Item::Close(name) => Item::Close(if name == "th" { "td".into() } else { name }),
        Item::Break => Item::Break,
    });
    let is_empty = |item: &Item| matches!(item, Item::Text(text) if text.is_empty());
    let mut joined = joined(apart(flow.filter(|item| !is_empty(item)).collect()));
    let parts: Vec<bool> = joined.iter().map(Item::parts_text).collect();
    for (at, item) in joined.iter_mut().enumerate() {
        if let Item::Text(text) = item {
            let mut spaced = String::with_capacity(text.len());
            for c in text.chars() {
                let blank = c.is_whitespace();
                if !blank || !spaced.ends_with(' ') {
                    spaced.push(if blank { ' ' } else { c });
                }
            }
            if at == 0 || parts[at - 1] {
                spaced = spaced.trim_start().to_owned();
            }
            if parts.get(at + 1).is_none_or(|parts| *parts) {
                spaced = spaced.trim_end().to_owned();
            }
            *text = spaced;
        }
    }
    joined.retain(|item| !matches!(item, Item::Text(text) | Item::Html(text) if text.is_empty()));
    joined
}

/// Paragraphs as what stands between them: engines differ in whether the items of a tight list hold paragraphs.
fn apart(flow: Flow) -> Flow {
    let mut apart: Flow = Vec::with_capacity(flow.len());
    let is_block = |item: &Item| item.parts_text() && *item != Item::Break;
    let between = || Item::Open("p".into());
    for item in flow {
        let item = if item == Item::Close("p".into()) { between() } else { item };
        // Two lists between which only a definition stood are one when it is gone.
        if let (Some(Item::Close(before)), Item::Open(list)) = (apart.last(), &item)
            && before == list
            && (list == "ul" || list == "ol")
        {
            apart.pop();
            continue;
        }
        // A quote that holds nothing but a definition is drawn as nothing; what it parts stays parted.
        if item == Item::Close("blockquote".into()) && apart.last() == Some(&Item::Open("blockquote".into())) {
            apart.pop();
            if !apart.last().is_none_or(is_block) {
                apart.push(between());
            }
            continue;
        }
        if item == between() && apart.last().is_none_or(is_block) {
            continue;
        }
        if is_block(&item) && apart.last() == Some(&between()) {
            apart.pop();
        }
        apart.push(item);
    }
    if apart.last() == Some(&between()) {
        apart.pop();
    }
    apart
}

/// A flow without any blanks, for texts from which a marker vanished together with a blank.
pub(super) fn without_blanks(flow: Flow) -> Flow {
    let flow = flow.into_iter().map(|item| match item {
        Item::Text(text) => Item::Text(letters(&text)),
        Item::Link { text, url, title } => Item::Link { text: letters(&text), url, title },
        item => item,
    });
    flow.filter(|item| !matches!(item, Item::Text(text) if text.is_empty())).collect()
}

/// The characters of a text that readers see: no zero-width space, no hair space, which ends a bare address, and no
/// byte order mark.
fn seen(text: &str) -> String {
    let is_seen = |c: &char| !matches!(*c, '\u{200b}' | '\u{200a}' | '\u{feff}' | '~' | KEPT_START | KEPT_END);
    // Some engines show that there was a NUL.
    text.chars().filter(is_seen).map(|c| if c == '\0' { '\u{fffd}' } else { c }).collect()
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

fn address(url: &str) -> String {
    let url = Url::parse(url).map_or_else(|_| url.to_owned(), String::from);
    let mut bytes = Vec::with_capacity(url.len());
    let mut rest = url.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        let hex = after.get(..2).and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        match hex.filter(|_| *byte == b'%') {
            Some(decoded) => {
                bytes.push(decoded);
                rest = &after[2..];
            }
            None => {
                bytes.push(*byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
