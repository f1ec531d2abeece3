//! Mappings: in-house formats that a table of paths describes (`docs/reference/mappings.md`).

mod events;
mod growing_text;
mod mapping;
mod mappings;
mod oddities;
mod options;
mod path;
mod propose;
mod several;
mod source;
mod spans;
#[cfg(test)]
mod tests;
mod whole;

pub(super) use events::MappedEvents;
pub use mapping::{Mapping, MappingError};
pub use mappings::Mappings;
pub use options::{
    EventOptions, FormOption, MappingOptions, MarkerOptions, Names, OffsetUnit, SkipOptions, SoFar, SourceOptions,
    SpanOptions, StreamOptions,
};
pub use propose::propose;
pub use several::Several;
