//! What an Adaptive Card in a citation may hold: a list of what is allowed, so that a new element stays out until someone decides.
//!
//! A card comes from whoever can put a document into the index. So it shows texts, facts, tables and pictures of allowed hosts; it
//! starts nothing, asks for nothing, mentions nobody and loads nothing else. Names and types count in their exact case, as in the
//! schema of Adaptive Cards 1.6 (<https://adaptivecards.io/explorer/>).

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::cite::make_harmless;
use crate::report::Entry;
use crate::url::WebUrl;

/// One kind of element, and its members beside `type`.
struct Element {
    kind: &'static str,
    members: &'static [(&'static str, Form)],
    /// Whether it stands in the flow of elements, where it has space and a height.
    in_flow: bool,
}

/// What the value of a member may be.
enum Form {
    /// `true`, `false` or a number.
    Plain,
    /// A number, or one word of letters, digits, `.`, `-` and `_`: `Accent`, `50px`, `1.5`, `en-US`.
    Word,
    /// A text, which is drawn as Markdown.
    Text,
    /// The address of the schema.
    Schema,
    /// The address of a picture on an allowed host. Without it there is no element.
    Picture,
    /// Elements that stand beside and below each other, of each kind in [`FLOW`].
    Flow,
    /// Elements of these kinds; where it is one kind, `type` may be missing.
    Elements(&'static [&'static Element]),
}

use Form::{Elements, Flow, Picture, Plain, Schema, Text, Word};

/// What stands beside and below each other.
static FLOW: &[&Element] = &[&TEXT_BLOCK, &RICH_TEXT_BLOCK, &FACT_SET, &CONTAINER, &COLUMN_SET, &TABLE, &IMAGE];

/// The members of every element in the flow.
const IN_FLOW: &[(&str, Form)] = &[("height", Word), ("separator", Plain), ("spacing", Word)];

static CARD: Element = Element {
    kind: "AdaptiveCard",
    in_flow: false,
    members: &[
        ("$schema", Schema),
        ("body", Flow),
        ("fallbackText", Text),
        ("lang", Word),
        ("minHeight", Word),
        ("rtl", Plain),
        ("version", Word),
        ("verticalContentAlignment", Word),
    ],
};

static TEXT_BLOCK: Element = Element {
    kind: "TextBlock",
    in_flow: true,
    members: &[
        ("color", Word),
        ("fontType", Word),
        ("horizontalAlignment", Word),
        ("isSubtle", Plain),
        ("maxLines", Plain),
        ("size", Word),
        ("style", Word),
        ("text", Text),
        ("weight", Word),
        ("wrap", Plain),
    ],
};

static RICH_TEXT_BLOCK: Element = Element {
    kind: "RichTextBlock",
    in_flow: true,
    members: &[("horizontalAlignment", Word), ("inlines", Elements(&[&TEXT_RUN]))],
};

static TEXT_RUN: Element = Element {
    kind: "TextRun",
    in_flow: false,
    members: &[
        ("color", Word),
        ("fontType", Word),
        ("highlight", Plain),
        ("isSubtle", Plain),
        ("italic", Plain),
        ("size", Word),
        ("strikethrough", Plain),
        ("text", Text),
        ("underline", Plain),
        ("weight", Word),
    ],
};

static FACT_SET: Element = Element { kind: "FactSet", in_flow: true, members: &[("facts", Elements(&[&FACT]))] };

static FACT: Element = Element { kind: "Fact", in_flow: false, members: &[("title", Text), ("value", Text)] };

static CONTAINER: Element = Element {
    kind: "Container",
    in_flow: true,
    members: &[
        ("bleed", Plain),
        ("items", Flow),
        ("minHeight", Word),
        ("rtl", Plain),
        ("style", Word),
        ("verticalContentAlignment", Word),
    ],
};

static COLUMN_SET: Element = Element {
    kind: "ColumnSet",
    in_flow: true,
    members: &[
        ("bleed", Plain),
        ("columns", Elements(&[&COLUMN])),
        ("horizontalAlignment", Word),
        ("minHeight", Word),
        ("style", Word),
    ],
};

static COLUMN: Element = Element {
    kind: "Column",
    in_flow: true,
    members: &[
        ("bleed", Plain),
        ("items", Flow),
        ("minHeight", Word),
        ("rtl", Plain),
        ("style", Word),
        ("verticalContentAlignment", Word),
        ("width", Word),
    ],
};

static TABLE: Element = Element {
    kind: "Table",
    in_flow: true,
    members: &[
        ("columns", Elements(&[&TABLE_COLUMN])),
        ("firstRowAsHeader", Plain),
        ("firstRowAsHeaders", Plain),
        ("gridStyle", Word),
        ("horizontalCellContentAlignment", Word),
        ("rows", Elements(&[&TABLE_ROW])),
        ("showGridLines", Plain),
        ("verticalCellContentAlignment", Word),
    ],
};

static TABLE_COLUMN: Element = Element {
    kind: "TableColumnDefinition",
    in_flow: false,
    members: &[("horizontalCellContentAlignment", Word), ("verticalCellContentAlignment", Word), ("width", Word)],
};

static TABLE_ROW: Element = Element {
    kind: "TableRow",
    in_flow: false,
    members: &[
        ("cells", Elements(&[&TABLE_CELL])),
        ("horizontalCellContentAlignment", Word),
        ("style", Word),
        ("verticalCellContentAlignment", Word),
    ],
};

static TABLE_CELL: Element = Element {
    kind: "TableCell",
    in_flow: false,
    members: &[
        ("bleed", Plain),
        ("items", Flow),
        ("minHeight", Word),
        ("rtl", Plain),
        ("style", Word),
        ("verticalContentAlignment", Word),
    ],
};

static IMAGE: Element = Element {
    kind: "Image",
    in_flow: true,
    members: &[
        ("altText", Text),
        ("horizontalAlignment", Word),
        ("size", Word),
        ("style", Word),
        ("url", Picture),
        ("width", Word),
    ],
};

const MAX_WORD_BYTES: usize = 32;

/// The most names of what was left out that the report tells.
const MAX_NAMES: usize = 8;

/// What became of a card.
pub(super) struct Allowed {
    pub(super) card: Value,
    /// The members and types that were left out, by name; a name that is no word is told as `…`.
    pub(super) left_out: BTreeSet<String>,
    /// What was made harmless in its texts.
    pub(super) made_harmless: Vec<Entry>,
}

/// The card with what it may hold. The caller bounds how deep it is.
pub(super) fn allow(card: &Map<String, Value>, image_hosts: &BTreeSet<String>) -> Allowed {
    let mut reading = Reading { image_hosts, left_out: BTreeSet::new(), made_harmless: Vec::new() };
    let card = reading.element(card, &CARD).unwrap_or_default();
    Allowed { card: Value::Object(card), left_out: reading.left_out, made_harmless: reading.made_harmless }
}

struct Reading<'h> {
    image_hosts: &'h BTreeSet<String>,
    left_out: BTreeSet<String>,
    made_harmless: Vec<Entry>,
}

impl Reading<'_> {
    fn element(&mut self, given: &Map<String, Value>, element: &Element) -> Option<Map<String, Value>> {
        let mut kept = Map::new();
        for (name, value) in given {
            let common = if element.in_flow { IN_FLOW } else { &[] };
            let form = element.members.iter().chain(common).find(|(known, _)| known == name).map(|(_, form)| form);
            let value = match form {
                None if name == "type" => Some(value.clone()),
                Some(form) => self.value(value, form),
                None => None,
            };
            match value {
                Some(value) => _ = kept.insert(name.clone(), value),
                None => self.leave_out(name),
            }
        }
        let needs = element.members.iter().find(|(_, form)| matches!(form, Picture));
        needs.is_none_or(|(name, _)| kept.contains_key(*name)).then_some(kept)
    }

    fn value(&mut self, value: &Value, form: &Form) -> Option<Value> {
        match (form, value) {
            (Plain, Value::Bool(_) | Value::Number(_)) | (Word, Value::Number(_)) => Some(value.clone()),
            (Word, Value::String(word)) => is_word(word).then(|| value.clone()),
            (Text, Value::String(text)) => {
                let (harmless, made) = make_harmless(text, self.image_hosts);
                self.made_harmless.extend(made);
                Some(harmless.into())
            }
            (Schema, Value::String(address)) => is_schema(address).then(|| value.clone()),
            (Picture, Value::String(address)) => {
                let url: WebUrl = address.parse().ok()?;
                url.is_on(self.image_hosts).then(|| url.as_str().into())
            }
            (Flow, Value::Array(items)) => Some(self.items(items, FLOW)),
            (Elements(kinds), Value::Array(items)) => Some(self.items(items, kinds)),
            _ => None,
        }
    }

    fn items(&mut self, items: &[Value], kinds: &[&Element]) -> Value {
        items.iter().filter_map(|item| self.item(item, kinds)).collect()
    }

    fn item(&mut self, item: &Value, kinds: &[&Element]) -> Option<Value> {
        let kept = match (item.get("type"), kinds) {
            // A text among the runs is a run of that text.
            (None, [only]) if item.is_string() && only.kind == TEXT_RUN.kind => return self.value(item, &Text),
            (None, [only]) => item.as_object().and_then(|members| self.element(members, only)),
            (Some(Value::String(kind)), _) => match kinds.iter().find(|known| known.kind == kind) {
                Some(element) => item.as_object().and_then(|members| self.element(members, element)),
                None => {
                    self.leave_out(kind);
                    return None;
                }
            },
            _ => None,
        };
        if kept.is_none() {
            self.leave_out(item.get("type").and_then(Value::as_str).unwrap_or_default());
        }
        kept.map(Value::Object)
    }

    fn leave_out(&mut self, name: &str) {
        let name = if is_word(name) && self.left_out.len() < MAX_NAMES { name } else { "…" };
        self.left_out.insert(name.to_owned());
    }
}

fn is_word(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    !text.is_empty() && text.len() <= MAX_WORD_BYTES && text.bytes().all(is_part)
}

fn is_schema(address: &str) -> bool {
    let address = address.strip_prefix("https://").or_else(|| address.strip_prefix("http://"));
    address == Some("adaptivecards.io/schemas/adaptive-card.json")
}
