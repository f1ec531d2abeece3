//! A mapping as people write it: the table `[formats.NAME]`, or a file of `--map`.

use std::fmt;

use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{MapAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::Several;

/// Says where an in-house format has its text, sources and citations, as JSONPath (RFC 9535).
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = Format))]
#[serde(deny_unknown_fields, default, expecting = "a table of a mapping")]
pub struct MappingOptions {
    /// Paths that must all find something, so that `auto` chooses this format for a complete answer.
    #[serde(skip_serializing_if = "Several::is_empty")]
    #[cfg_attr(feature = "schema", schema(value_type = OneOrMorePaths))]
    pub recognize: Several<String>,
    /// The text of the answer. Of several paths, the first that finds something; several strings are joined.
    #[serde(skip_serializing_if = "Several::is_empty")]
    #[cfg_attr(feature = "schema", schema(value_type = OneOrMorePaths))]
    pub text: Several<String>,
    /// The sources: objects, or addresses alone. Several paths follow each other.
    #[serde(skip_serializing_if = "Several::is_empty")]
    #[cfg_attr(feature = "schema", schema(value_type = OneOrMorePaths))]
    pub sources: Several<String>,
    /// An error that stands in place of an answer: a path, or a table with `when` and `path`.
    #[serde(skip_serializing_if = "Several::is_empty")]
    #[cfg_attr(feature = "schema", schema(value_type = OneOrMoreEvents))]
    pub error: Several<EventOptions>,
    /// Members whose string holds JSON, which citewire reads as if it stood there.
    #[serde(skip_serializing_if = "Several::is_empty")]
    #[cfg_attr(feature = "schema", schema(value_type = OneOrMorePaths))]
    pub json_in: Several<String>,
    /// The members of a source.
    #[serde(skip_serializing_if = "is_default")]
    pub source: SourceOptions,
    /// The markers in the text.
    #[serde(skip_serializing_if = "is_default")]
    pub markers: MarkerOptions,
    /// Citations beside the text, as positions in it.
    #[serde(skip_serializing_if = "is_default")]
    pub spans: SpanOptions,
    /// The events of a streamed answer.
    #[serde(skip_serializing_if = "is_default")]
    pub stream: StreamOptions,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Defines options whose members are paths.
macro_rules! paths {
    ($(#[$doc:meta])* $name:ident { $($(#[$member_doc:meta])* $member:ident,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
        #[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
        #[serde(deny_unknown_fields, default, expecting = "a table with paths")]
        pub struct $name {
            $(
                $(#[$member_doc])*
                #[serde(skip_serializing_if = "Several::is_empty")]
                #[cfg_attr(feature = "schema", schema(value_type = OneOrMorePaths))]
                pub $member: Several<String>,
            )+
        }
    };
}

paths! {
    /// The members of a source. Paths begin with `@`, the source; of several paths, the first that finds something.
    SourceOptions {
        /// The id, which markers and spans may name.
        id,
        /// The title.
        title,
        /// The URL. A text that is no URL is a file name.
        url,
        /// Prefixes of an address that are no part of it, such as `link://`. These are no paths.
        strip,
        /// The file name or path.
        filepath,
        /// The id of the passage within the document.
        chunk_id,
        /// The page, counted from 1.
        page,
        /// The passage.
        content,
        /// The relevance, 0 to 1.
        score,
        /// The date of the last change.
        modified,
        /// The author.
        author,
        /// The media type.
        media_type,
        /// The name or id of the sensitivity label.
        label,
        /// The marker in the text, unchanged, such as `[a7]`.
        marker,
    }
}

/// The markers in the text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default, expecting = "a table with `forms` and `numbers`")]
pub struct MarkerOptions {
    /// The forms that are markers; without this member all are, and an empty list means none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forms: Option<Vec<FormOption>>,
    /// The meaning of a number in a marker.
    #[serde(skip_serializing_if = "is_default")]
    pub numbers: Names,
}

/// A form of marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum FormOption {
    /// `[1]`, `[1, 2]`, `[1-3]`, `[^1^]`.
    Numbers,
    /// `[^1]`.
    Footnotes,
    /// `[doc1]`.
    Documents,
    /// `【1】`, `【4:0†name】`.
    Lenticular,
    /// U+E200 … U+E201.
    PrivateUse,
    /// A bracket with the id or the file name of a source: `[plan.pdf]`.
    Names,
    /// `[1](URL)`.
    LinkedNumbers,
    /// `[words](URL)` with the URL of a source.
    Links,
}

/// The unit of offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum OffsetUnit {
    /// Code points.
    Char,
    /// UTF-16 code units.
    Utf16,
    /// Bytes.
    Utf8,
}

/// The meaning of the numbers by which markers or spans name sources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Names {
    /// Places in the list of sources, counted from 1. A span that names an id means that source.
    #[default]
    Places,
    /// Places in the list of sources, counted from 0.
    #[serde(rename = "places-from-0")]
    PlacesFrom0,
    /// Ids of sources.
    Ids,
}

/// Citations beside the text, as positions in it. Paths but `each` begin with `@`, the span.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default, expecting = "a table of spans")]
pub struct SpanOptions {
    /// The objects with positions.
    #[serde(skip_serializing_if = "Several::is_empty")]
    #[cfg_attr(feature = "schema", schema(value_type = OneOrMorePaths))]
    pub each: Several<String>,
    /// The offset at which the span begins, counted from 0. Without an end, it is a point.
    #[serde(skip_serializing_if = "Several::is_empty")]
    #[cfg_attr(feature = "schema", schema(value_type = OneOrMorePaths))]
    pub start: Several<String>,
    /// The offset behind the span.
    #[serde(skip_serializing_if = "Several::is_empty")]
    #[cfg_attr(feature = "schema", schema(value_type = OneOrMorePaths))]
    pub end: Several<String>,
    /// The length of the span, instead of its end.
    #[serde(skip_serializing_if = "Several::is_empty")]
    #[cfg_attr(feature = "schema", schema(value_type = OneOrMorePaths))]
    pub length: Several<String>,
    /// The unit of offsets: code points (`char`, the default), UTF-16 code units or bytes (`utf8`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<OffsetUnit>,
    /// The cited text. If it is in the answer, it counts more than the offsets.
    #[serde(skip_serializing_if = "Several::is_empty")]
    #[cfg_attr(feature = "schema", schema(value_type = OneOrMorePaths))]
    pub text: Several<String>,
    /// The ids or places of the cited sources. Without this member, a span cites the sources that it stands in, or that
    /// stand in it.
    #[serde(skip_serializing_if = "Several::is_empty")]
    #[cfg_attr(feature = "schema", schema(value_type = OneOrMorePaths))]
    pub sources: Several<String>,
    /// The meaning of what `sources` finds.
    #[serde(skip_serializing_if = "is_default")]
    pub names: Names,
}

/// The events of a streamed answer. Paths begin with `$`, the event.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default, expecting = "a table of events")]
pub struct StreamOptions {
    /// Events of which one must come, so that `auto` chooses this format for a stream.
    #[serde(skip_serializing_if = "Several::is_empty")]
    #[cfg_attr(feature = "schema", schema(value_type = OneOrMoreEvents))]
    pub recognize: Several<EventOptions>,
    /// The text that an event adds.
    #[serde(skip_serializing_if = "Several::is_empty")]
    #[cfg_attr(feature = "schema", schema(value_type = OneOrMoreEvents))]
    pub text: Several<EventOptions>,
    /// Whether `text` is all text so far, instead of what an event adds. `auto` lets the texts tell.
    #[serde(skip_serializing_if = "is_default")]
    #[cfg_attr(feature = "schema", schema(value_type = TextSoFar))]
    pub text_so_far: SoFar,
    /// Events whose text is reasoning, and no part of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skip: Option<SkipOptions>,
    /// The sources that an event brings; without this member those of the complete answer.
    #[serde(skip_serializing_if = "Several::is_empty")]
    #[cfg_attr(feature = "schema", schema(value_type = OneOrMoreEvents))]
    pub sources: Several<EventOptions>,
    /// The spans that an event brings; without this member those of the complete answer.
    #[serde(skip_serializing_if = "Several::is_empty")]
    #[cfg_attr(feature = "schema", schema(value_type = OneOrMoreEvents))]
    pub spans: Several<EventOptions>,
    /// The event that ends the answer, or `[DONE]`. Without this member, an answer is complete when the stream ends.
    #[serde(skip_serializing_if = "Several::is_empty")]
    #[cfg_attr(feature = "schema", schema(value_type = OneOrMoreEvents))]
    pub end: Several<EventOptions>,
    /// The event that reports an error.
    #[serde(skip_serializing_if = "Several::is_empty")]
    #[cfg_attr(feature = "schema", schema(value_type = OneOrMoreEvents))]
    pub error: Several<EventOptions>,
}

/// The meaning of the texts of events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SoFar {
    /// The text that each event adds.
    #[default]
    No,
    /// All text so far.
    Yes,
    /// All text so far if each begins with the one before it, else what each event adds.
    Auto,
}

impl Serialize for SoFar {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::No => false.serialize(serializer),
            Self::Yes => true.serialize(serializer),
            Self::Auto => "auto".serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for SoFar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Said;
        impl Visitor<'_> for Said {
            type Value = SoFar;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("true, false or \"auto\"")
            }
            fn visit_bool<E: serde::de::Error>(self, said: bool) -> Result<SoFar, E> {
                Ok(if said { SoFar::Yes } else { SoFar::No })
            }
            fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<SoFar, E> {
                if word == "auto" { Ok(SoFar::Auto) } else { Err(E::invalid_value(Unexpected::Str(word), &self)) }
            }
        }
        deserializer.deserialize_any(Said)
    }
}

/// The events of a stream from one to another, both included. Without the other, all that follow.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, expecting = "a table with `from` and `to`")]
pub struct SkipOptions {
    /// The first event.
    #[cfg_attr(feature = "schema", schema(value_type = OneEvent))]
    pub from: EventOptions,
    /// The last event.
    #[cfg_attr(feature = "schema", schema(value_type = OneEvent))]
    pub to: EventOptions,
}

/// An event, and what is read of it. A text is the path alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct EventOptions {
    /// The name of the event, as the field `event` of server-sent events gives it.
    pub event: Option<String>,
    /// A condition on the event, as in a JSONPath filter: `@.type == 'delta'`.
    pub when: Option<String>,
    /// The path in the event; without it, the whole event.
    pub path: Option<String>,
}

/// The table of [`EventOptions`].
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct EventTable {
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    when: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
}

impl EventOptions {
    /// Any event in which this path finds something.
    #[must_use]
    pub fn path(path: impl Into<String>) -> Self {
        Self { path: Some(path.into()), ..Self::default() }
    }
}

impl Serialize for EventOptions {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.clone() {
            Self { event: None, when: None, path: Some(path) } => path.serialize(serializer),
            Self { event, when, path } => EventTable { event, when, path }.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for EventOptions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Rule;
        impl<'de> Visitor<'de> for Rule {
            type Value = EventOptions;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a path, or a table with `event`, `when` and `path`")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<EventOptions, E> {
                String::deserialize(StrDeserializer::<E>::new(text)).map(EventOptions::path)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<EventOptions, A::Error> {
                let EventTable { event, when, path } = EventTable::deserialize(MapAccessDeserializer::new(map))?;
                Ok(EventOptions { event, when, path })
            }
        }
        deserializer.deserialize_any(Rule)
    }
}

/// The schema of [`Several`] paths.
#[cfg(feature = "schema")]
#[derive(utoipa::ToSchema)]
#[schema(as = Paths)]
#[serde(untagged)]
#[expect(dead_code, reason = "only the shape, which `Several` reads")]
enum OneOrMorePaths {
    One(String),
    Several(Vec<String>),
}

/// The schema of [`Several`] events.
#[cfg(feature = "schema")]
#[derive(utoipa::ToSchema)]
#[schema(as = Events)]
#[serde(untagged)]
#[expect(dead_code, reason = "only the shape, which `Several` reads")]
enum OneOrMoreEvents {
    Path(String),
    One(EventOptions),
    Several(Vec<OneEvent>),
}

/// The schema of [`SoFar`].
#[cfg(feature = "schema")]
#[derive(utoipa::ToSchema)]
#[schema(as = TextSoFar)]
#[serde(untagged)]
#[expect(dead_code, reason = "only the shape, which `SoFar` reads")]
enum TextSoFar {
    Said(bool),
    Word(AutoWord),
}

#[cfg(feature = "schema")]
#[derive(utoipa::ToSchema)]
#[schema(as = AutoWord)]
#[serde(rename_all = "lowercase")]
#[expect(dead_code, reason = "only the shape, which `SoFar` reads")]
enum AutoWord {
    Auto,
}

#[cfg(feature = "schema")]
#[derive(utoipa::ToSchema)]
#[schema(as = Event)]
#[serde(untagged)]
#[expect(dead_code, reason = "only the shape, which `EventOptions` reads")]
enum OneEvent {
    Path(String),
    Table(EventOptions),
}
