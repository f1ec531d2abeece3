//! The provider's own JSON of a source, unchanged.

use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// The provider's own JSON of one source. The default is `null`, for a source without such an object.
///
/// The members, their order and every digit of a number stay unchanged; only whitespace between tokens is removed.
#[derive(Clone, Debug, Default)]
pub struct ProviderObject(Option<Box<RawValue>>);

impl ProviderObject {
    /// Takes the object from a piece of JSON.
    #[must_use]
    pub fn new(json: &RawValue) -> Self {
        let text = json.get();
        let mut compact = String::with_capacity(text.len());
        let (mut in_string, mut escaped, mut from) = (false, false, 0);
        for (at, byte) in text.bytes().enumerate() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' if in_string => escaped = true,
                b'"' => in_string = !in_string,
                b' ' | b'\t' | b'\n' | b'\r' if !in_string => {
                    compact.push_str(&text[from..at]);
                    from = at + 1;
                }
                _ => {}
            }
        }
        compact.push_str(&text[from..]);
        Self(RawValue::from_string(compact).ok().filter(|json| json.get() != "null"))
    }

    /// The JSON text; `null` if there is none.
    #[must_use]
    pub fn get(&self) -> &str {
        self.0.as_ref().map_or("null", |json| json.get())
    }

    /// The object as a value. Numbers lose the precision that serde_json cannot hold.
    #[must_use]
    pub fn to_value(&self) -> Value {
        serde_json::from_str(self.get()).unwrap_or_default()
    }
}

impl PartialEq for ProviderObject {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl Serialize for ProviderObject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(json: &str) -> ProviderObject {
        ProviderObject::new(serde_json::from_str(json).expect("JSON"))
    }

    #[test]
    fn nothing_but_blanks_between_members_is_lost() {
        let given =
            "{ \"z\" : 0.83333334326744080,\r\n\t\"a\": [1e400, 12345678901234567890123 ],\n \"t\" : \" \\\" \\n \" }";
        let kept = r#"{"z":0.83333334326744080,"a":[1e400,12345678901234567890123],"t":" \" \n "}"#;
        assert_eq!(object(given).get(), kept);
        assert_eq!(serde_json::to_string(&object(given)).expect("JSON"), kept);
        assert_eq!((object(" null ").get(), object("null")), ("null", ProviderObject::default()));
    }
}
