//! The calls of citewire for programs in any process: each takes an answer or an activity and parameters as bytes, and returns JSON or
//! a [`CallError`]. The HTTP routes read their bodies by the same functions, so that both give the same bytes.
//!
//! ```
//! use citewire_calls::Call;
//!
//! let answer = br#"{"text": "Leave is 30 days [1].", "sources": [{"url": "https://hr.example/leave"}]}"#;
//! let written = Call::Convert.run(answer, br#"{"channel": "teams"}"#)?;
//! assert!(written.starts_with(br#"{"activities":[{"type":"message""#));
//!
//! let refused = Call::Convert.run(answer, br#"{"channel": "fax"}"#).unwrap_err();
//! assert_eq!(refused.code().as_str(), "unknown_channel");
//! # Ok::<(), citewire_calls::CallError>(())
//! ```

use citewire_check as check;
use citewire_core::{activity, convert, dialect, ingest, output, prompt, report, text};

mod call;
mod check_error;
mod checking;
mod converting;
mod error;
mod fault;
mod prompting;
mod records;
mod request;
mod stream;

pub use call::{Call, MAX_BYTES};
pub use check_error::CheckError;
pub use checking::{CheckAnswer, CheckRequest, Rules};
pub use converting::ActivitiesAnswer;
pub use error::CallError;
pub use fault::{Code, Fault, bounded};
pub use prompting::prompt;
pub use records::{ReadRecords, records};
pub use request::{EnvelopeError, Named, PromptRequest, Request};
pub use stream::Stream;
