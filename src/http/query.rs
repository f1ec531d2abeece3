//! The part of a URL after the question mark.

use std::collections::BTreeMap;

use actix_web::HttpRequest;

use crate::activity::{InvalidWatermark, Watermark};

/// A parameter that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// `limit` is no number within its bounds.
    #[error("limit: a whole number from 1 to {max} is wanted")]
    Limit {
        /// The greatest that is taken.
        max: usize,
    },
    /// `after` is not what a list has returned.
    #[error("after: give `next` of the page before, as it came")]
    Cursor,
}

/// The parameters of a request. Of a name that comes twice the first counts; unknown names are nobody's business.
#[derive(Clone, Debug, Default)]
pub(crate) struct Query(BTreeMap<String, String>);

impl Query {
    pub(crate) fn of(request: &HttpRequest) -> Self {
        let mut parameters = BTreeMap::new();
        for (name, value) in url::form_urlencoded::parse(request.query_string().as_bytes()) {
            parameters.entry(name.into_owned()).or_insert_with(|| value.into_owned());
        }
        Self(parameters)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// The watermark: `Ok(None)` for none, an empty one and `-`, all of which mean *nothing seen*.
    pub(crate) fn watermark(&self) -> Result<Option<Watermark>, InvalidWatermark> {
        match self.get("watermark") {
            None | Some("" | "-") => Ok(None),
            Some(text) => text.parse().map(Some),
        }
    }
}
