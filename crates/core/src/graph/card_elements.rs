//! The allow-list of Adaptive Card elements in a citation. A new element of Adaptive Cards stays out until it is added here.
//!
//! Anyone who can add a document to the index can supply a card. So cards show only texts, facts, tables and images of
//! allowed hosts; they have no actions, inputs, mentions or other resources. Names and types are case-sensitive, as in the
//! schema of Adaptive Cards 1.6 (<https://adaptivecards.io/explorer/>).

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::cite::make_harmless;
use crate::report::Entry;
use crate::url::WebUrl;

/// One type of element, and its members beside `type`.
struct Element {
    kind: &'static str,
    members: &'static [(&'static str, Form)],
    /// Whether the element stands in a flow, and so has spacing and a height.
    in_flow: bool,
}

/// The allowed values of a member.
enum Form {
    /// `true`, `false` or a number.
    Plain,
    /// A number, or one word of at most 32 letters, digits, `.`, `-` and `_`: `Accent`, `50px`, `1.5`, `en-US`.
    Word,
    /// A string, which Teams draws as Markdown.
    Text,
    /// The address of the schema.
    Schema,
    /// The address of an image on an allowed host. Without a valid address, the element is dropped.
    Picture,
    /// Elements in a flow, each of a type in [`FLOW`].
    Flow,
    /// Elements of these types. If there is one type, `type` may be absent.
    Elements(&'static [&'static Element]),
}

use Form::{Elements, Flow, Picture, Plain, Schema, Text, Word};

/// The types of elements in a flow.
static FLOW: &[&Element] = &[&TEXT_BLOCK, &RICH_TEXT_BLOCK, &FACT_SET, &CONTAINER, &COLUMN_SET, &TABLE, &IMAGE];

/// Further members of every element in a flow.
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

/// The maximum number of dropped names in the report.
const MAX_NAMES: usize = 8;

/// The result of filtering a card.
pub(super) struct Allowed {
    pub(super) card: Value,
    /// The names of dropped members and types; a name that is not a word, or beyond `MAX_NAMES`, is reported as `…`.
    pub(super) left_out: BTreeSet<String>,
    /// Reports on the texts that were made harmless.
    pub(super) made_harmless: Vec<Entry>,
}

/// Reduces a card to the allowed elements. The caller limits its nesting.
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
            // A plain string among text runs is a run.
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
