//! The bytes.

use std::fmt::Display;
use std::io::Write as _;

use serde::ser::{self, Serialize};

use super::serializer::Compound;

/// The JSON of a value, with room for `expected` bytes from the beginning.
///
/// # Errors
/// When `serde_json` cannot write the value either.
pub(in crate::http) fn to_vec(value: &impl Serialize, expected: usize) -> Result<Vec<u8>, serde_json::Error> {
    let mut writer = Writer { out: Vec::with_capacity(expected) };
    match value.serialize(&mut writer) {
        Ok(()) => Ok(writer.out),
        // It knows more, and says better what is wrong.
        Err(Unwritten) => serde_json::to_vec(value),
    }
}

/// Something that only `serde_json` can write, or nobody.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not written here")]
pub(super) struct Unwritten;

impl ser::Error for Unwritten {
    fn custom<T: Display>(_: T) -> Self {
        Self
    }
}

pub(super) type Written = Result<(), Unwritten>;

/// JSON that is being written.
#[derive(Debug)]
pub(super) struct Writer {
    pub(super) out: Vec<u8>,
}

impl Writer {
    pub(super) fn raw(&mut self, json: &[u8]) -> Written {
        self.out.extend_from_slice(json);
        Ok(())
    }

    pub(super) fn number(&mut self, number: impl Display) -> Written {
        write!(self.out, "{number}").map_err(|_| Unwritten)
    }

    pub(super) fn float(&mut self, number: impl Serialize) -> Written {
        serde_json::to_writer(&mut self.out, &number).map_err(|_| Unwritten)
    }

    pub(super) fn text(&mut self, text: &str) {
        let bytes = text.as_bytes();
        self.out.push(b'"');
        let mut written = 0;
        while let Some(length) = plain_bytes(&bytes[written..]) {
            let at = written + length;
            self.out.extend_from_slice(&bytes[written..at]);
            self.escape(bytes[at]);
            written = at + 1;
        }
        self.out.extend_from_slice(&bytes[written..]);
        self.out.push(b'"');
    }

    /// What a value shows, as a text.
    pub(super) fn shown(&mut self, value: impl Display) -> Written {
        let start = self.out.len();
        self.out.push(b'"');
        self.number(value)?;
        if plain_bytes(&self.out[start + 1..]).is_some() {
            let shown = self.out.split_off(start + 1);
            self.out.truncate(start);
            self.text(std::str::from_utf8(&shown).map_err(|_| Unwritten)?);
            return Ok(());
        }
        self.raw(b"\"")
    }

    fn escape(&mut self, byte: u8) {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        let letter = match byte {
            b'"' | b'\\' => byte,
            b'\n' => b'n',
            b'\r' => b'r',
            b'\t' => b't',
            0x08 => b'b',
            0x0c => b'f',
            _ => {
                let digits = [HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]];
                self.out.extend_from_slice(b"\\u00");
                return self.out.extend_from_slice(&digits);
            }
        };
        self.out.extend_from_slice(&[b'\\', letter]);
    }

    pub(super) fn begin(&mut self, open: u8, close: u8) -> Compound<'_> {
        self.out.push(open);
        Compound::new(self, close)
    }
}

/// So many bytes are looked at together.
const BLOCK: usize = 16;

/// How many bytes stand before the first one that a JSON string has to escape; `None` when there is none.
fn plain_bytes(bytes: &[u8]) -> Option<usize> {
    let (blocks, rest) = bytes.as_chunks::<BLOCK>();
    let found = match blocks.iter().position(holds_escaped) {
        Some(block) => block * BLOCK,
        None => {
            let mut last = [b' '; BLOCK];
            last[..rest.len()].copy_from_slice(rest);
            if !holds_escaped(&last) {
                return None;
            }
            bytes.len() - rest.len()
        }
    };
    bytes[found..].iter().position(|byte| is_escaped(*byte)).map(|at| found + at)
}

fn is_escaped(byte: u8) -> bool {
    byte < b' ' || byte == b'"' || byte == b'\\'
}

/// Looks at all of them without stopping, which compilers turn into a few instructions for the whole block.
fn holds_escaped(block: &[u8; BLOCK]) -> bool {
    block.iter().fold(false, |found, &byte| found | (byte < b' ') | (byte == b'"') | (byte == b'\\'))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use serde_json::value::RawValue;
    use serde_json::{Value, json};

    use super::*;

    fn written(value: &impl Serialize) -> Result<(String, String), serde_json::Error> {
        let ours = to_vec(value, 0)?;
        Ok((String::from_utf8(ours).expect("UTF-8"), serde_json::to_string(value)?))
    }

    #[test]
    fn every_byte_is_written_as_serde_json_writes_it() {
        for byte in '\0'..='\u{ff}' {
            for before in 0..9 {
                let text = format!("{}{byte}{}", "a".repeat(before), "é".repeat(before));
                let (ours, theirs) = written(&text).expect("JSON");
                assert_eq!(ours, theirs);
            }
        }
    }

    #[test]
    fn every_kind_of_value_is_written_as_serde_json_writes_it_or_left_to_it() {
        #[derive(serde::Serialize)]
        enum Shape {
            Circle { radius: u8 },
            Square(u8),
        }
        let raw: Box<RawValue> = serde_json::from_str("[1,  2]").expect("JSON");
        struct Shown(&'static str);
        impl Serialize for Shown {
            fn serialize<S: ser::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self.0)
            }
        }
        for (ours, theirs) in [
            written(&raw),
            written(&[Shown("7"), Shown("a\"b")]),
            written(&BTreeMap::from([(1, "a")])),
            written(&(Shape::Circle { radius: 1 }, Shape::Square(2))),
            written(&(1_u8, -2_i64, u64::MAX, 1.5_f32, f64::NAN, 1e300, 'a', (), Some("b"), None::<u8>)),
        ]
        .map(|written| written.expect("JSON"))
        {
            assert_eq!(ours, theirs);
        }
        assert!(to_vec(&BTreeMap::from([(vec![1], "a")]), 0).is_err(), "a list is no key");
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            ".{0,20}".prop_map(Value::from),
            "[\\x00-\\x7f]{0,20}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::btree_map(".{0,9}", inner, 0..5).prop_map(|members| json!(members)),
            ]
        })
    }

    proptest! {
        #[test]
        fn every_value_is_written_as_serde_json_writes_it(value in value()) {
            let (ours, theirs) = written(&value).expect("JSON");
            prop_assert_eq!(ours, theirs);
        }
    }
}
