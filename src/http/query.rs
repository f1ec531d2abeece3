//! The query parameters of a request.

use std::collections::BTreeMap;

use actix_web::HttpRequest;

use super::paths::is_reader_page;
use crate::activity::{InvalidWatermark, Watermark};
use crate::calls::Named;
use crate::check::UnknownProfile;
use crate::ingest::Mappings;

/// An invalid query parameter.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// The route has no parameter of this name.
    #[error("{given:?} is no query parameter of this route{}", meant(nearest.as_deref(), known))]
    Unknown {
        /// The name, as it was given.
        given: String,
        /// The known name that is most like it.
        nearest: Option<String>,
        /// All known names.
        known: Vec<String>,
    },
    /// Two names of one parameter have different values.
    #[error("channel and to are two names of one parameter: give one of them")]
    Twice,
    /// `limit` is no number within its bounds.
    #[error("limit: a whole number from 1 to {max} is required")]
    Limit {
        /// The greatest that is taken.
        max: usize,
    },
    /// `profile` is no profile.
    #[error(transparent)]
    Profile(#[from] UnknownProfile),
    /// A switch is neither `true` nor `false`.
    #[error("{name}: true or false is required")]
    Switch {
        /// The name of the parameter.
        name: &'static str,
    },
    /// `after` is not what a list has returned.
    #[error("after: send the value of `next` from the previous page unchanged")]
    Cursor,
}

fn meant(nearest: Option<&str>, known: &[String]) -> String {
    match (nearest, known) {
        (Some(nearest), _) => format!("; do you mean {nearest}?"),
        (None, []) => ", which has none".to_owned(),
        (None, known) => format!(", which has: {}", known.join(", ")),
    }
}

/// Half of the letters are the same at least in a name and the one that was meant: `chanel`, `form`.
const LIKE: f64 = 0.5;

/// Whether callers of a route may add parameters that it does not know. Clients of OpenAI and Azure OpenAI add their own, such
/// as `api-version`, and programs through which a link passes add theirs.
fn takes_others(path: &str) -> bool {
    path.starts_with("/v1/chat/")
        || path.starts_with("/v1/models")
        || path.ends_with("/download")
        || is_reader_page(path)
}

/// Refuses query parameters that a route of `/v1` does not document. `path` is its pattern, and `known` are its parameters.
///
/// # Errors
/// With the name, and the one that was perhaps meant.
pub(crate) fn check_names(
    request: &HttpRequest,
    path: &str,
    known: impl FnOnce() -> Vec<String>,
) -> Result<(), ParameterError> {
    if request.query_string().is_empty() || !path.starts_with("/v1/") || takes_others(path) {
        return Ok(());
    }
    let known = known();
    let query = Query::of(request);
    let Some(given) = query.parameters.keys().find(|name| !known.contains(name)) else {
        return match (query.get("channel"), query.get("to")) {
            (Some(channel), Some(to)) if channel != to => Err(ParameterError::Twice),
            _ => Ok(()),
        };
    };
    let likeness = |known: &str| strsim::normalized_damerau_levenshtein(known, given);
    let nearest = known.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    let nearest = nearest.filter(|nearest| likeness(nearest) >= LIKE).cloned();
    Err(ParameterError::Unknown { given: given.chars().take(80).collect(), nearest, known })
}

/// The query parameters of a request. The first of several values counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Query {
    parameters: BTreeMap<String, String>,
    /// The formats that the configuration describes, which `from` may name.
    formats: Mappings,
}

impl Query {
    pub(crate) fn of(request: &HttpRequest) -> Self {
        let mut parameters = BTreeMap::new();
        for (name, value) in url::form_urlencoded::parse(request.query_string().as_bytes()) {
            parameters.entry(name.into_owned()).or_insert_with(|| value.into_owned());
        }
        Self { parameters, formats: request.app_data::<Mappings>().cloned().unwrap_or_default() }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.parameters.get(name).map(String::as_str)
    }

    /// The switch of this name; without it, `unless_given`.
    pub(crate) fn switch(&self, name: &'static str, unless_given: bool) -> Result<bool, ParameterError> {
        match self.get(name) {
            None => Ok(unless_given),
            Some("true") => Ok(true),
            Some("false") => Ok(false),
            Some(_) => Err(ParameterError::Switch { name }),
        }
    }

    /// What the parameters say of an answer.
    pub(crate) fn named(&self) -> Named<'_> {
        let channel = self.get("channel").or(self.get("to"));
        Named { from: self.get("from"), channel, formats: &self.formats }
    }

    /// The watermark: `Ok(None)` for none, an empty one and `-`, all of which mean *nothing seen*.
    pub(crate) fn watermark(&self) -> Result<Option<Watermark>, InvalidWatermark> {
        match self.get("watermark") {
            None | Some("" | "-") => Ok(None),
            Some(text) => text.parse().map(Some),
        }
    }
}
