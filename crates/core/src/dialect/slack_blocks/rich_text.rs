//! Blocks of rich text, and the sections that stand in them.

use serde_json::{Value, json};

pub(super) fn rich_text(elements: &[Value]) -> Value {
    json!({"type": "rich_text", "elements": elements})
}

pub(super) fn section(elements: &[Value]) -> Value {
    json!({"type": "rich_text_section", "elements": elements})
}
