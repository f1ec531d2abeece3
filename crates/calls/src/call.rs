//! The calls by their names.

use crate::checking::Rules;
use crate::converting::activities;
use crate::error::CallError;
use crate::output::Redirectors;
use crate::prompting::prompt;
use crate::records::records;
use crate::request::{KNOWN, KNOWN_OF_STEPS, PromptRequest, Request, parameters};

/// The longest answer or activity of a call, in bytes: what the server takes unless it is set otherwise.
pub const MAX_BYTES: usize = 16 * 1024 * 1024;

/// A call of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// An answer becomes activities and a report, as `POST /v1/activities` returns them.
    Convert,
    /// An activity is checked against the rules of a channel, as by `citewire check --json`.
    Check,
    /// An activity is mended and then checked, as by `citewire check --fix --json`.
    Fix,
    /// The sources of an answer in one schema, as `POST /v1/records` returns them.
    Records,
    /// Sources become a prompt for a model, as `POST /v1/prompt` returns it.
    Prompt,
}

impl Call {
    /// All calls.
    pub const ALL: [Self; 5] = [Self::Convert, Self::Check, Self::Fix, Self::Records, Self::Prompt];

    /// The name of the call.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Convert => "convert",
            Self::Check => "check",
            Self::Fix => "fix",
            Self::Records => "records",
            Self::Prompt => "prompt",
        }
    }

    /// Calls with an answer or an activity, as it was received, and with parameters: a JSON object with the members that stand
    /// beside the answer in a body of the HTTP route, or nothing.
    ///
    /// # Errors
    /// When the parameters are wrong, or the answer is unusable or refused.
    pub fn run(self, body: &[u8], given: &[u8]) -> Result<Vec<u8>, CallError> {
        if body.len() > MAX_BYTES {
            return Err(CallError::TooLong { limit: MAX_BYTES });
        }
        match self {
            Self::Convert => activities(body, given),
            Self::Check => Ok(serde_json::to_vec(&Rules::parse(given)?.check_bytes(body)?)?),
            Self::Fix => Ok(serde_json::to_vec(&Rules::parse(given)?.fix_bytes(body)?)?),
            Self::Records => {
                let request = Request::beside(body, &parameters(given, &KNOWN_OF_STEPS)?)?;
                let read = records(&request, &Redirectors::default())?;
                Ok(serde_json::to_vec(&read.records)?)
            }
            Self::Prompt => prompt(&PromptRequest::beside(body, &parameters(given, &KNOWN)?)?),
        }
    }
}
