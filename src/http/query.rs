//! The query parameters of a request.

use std::collections::BTreeMap;

use actix_web::HttpRequest;

use crate::activity::{InvalidWatermark, Watermark};

/// An invalid query parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// `limit` is no number within its bounds.
    #[error("limit: a whole number from 1 to {max} is required")]
    Limit {
        /// The greatest that is taken.
        max: usize,
    },
    /// `after` is not what a list has returned.
    #[error("after: send the value of `next` from the previous page unchanged")]
    Cursor,
}

/// The query parameters of a request. The first of several values counts; unknown parameters are ignored.
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
