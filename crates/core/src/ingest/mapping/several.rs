//! One value, or a list of values, in the options of a mapping.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer, StrDeserializer};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// One value or several: `"$.a"`, `["$.a", "$.b"]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Several<T>(pub Vec<T>);

impl<T> Default for Several<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Several<T> {
    /// Whether nothing is given.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T> FromIterator<T> for Several<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}

impl<T> From<T> for Several<T> {
    fn from(one: T) -> Self {
        Self(vec![one])
    }
}

impl From<&str> for Several<String> {
    fn from(one: &str) -> Self {
        Self(vec![one.to_owned()])
    }
}

impl<T: Serialize> Serialize for Several<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.as_slice() {
            [one] => one.serialize(serializer),
            several => several.serialize(serializer),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Several<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Values<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Values<T> {
            type Value = Several<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a path, or a list of paths")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Several<T>, E> {
                T::deserialize(StrDeserializer::new(text)).map(Several::from)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Several<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(Several::from)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Several<T>, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(list)).map(Several)
            }
        }
        deserializer.deserialize_any(Values(PhantomData))
    }
}
