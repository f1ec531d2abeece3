//! The mappings of a caller, by name.

use std::sync::Arc;

use super::Mapping;

/// The mappings that a caller has, by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mappings(Arc<[Arc<Mapping>]>);

impl FromIterator<Mapping> for Mappings {
    fn from_iter<I: IntoIterator<Item = Mapping>>(mappings: I) -> Self {
        Self(mappings.into_iter().map(Arc::new).collect())
    }
}

impl Mappings {
    /// The mapping of this name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Arc<Mapping>> {
        self.0.iter().find(|mapping| mapping.name() == name)
    }

    /// The names of all mappings.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|mapping| mapping.name())
    }

    /// The mappings that `auto` may choose.
    pub(crate) fn recognizable(&self) -> impl Iterator<Item = &Arc<Mapping>> {
        self.0.iter().filter(|mapping| mapping.is_recognizable())
    }
}
