//! Conversations behind Azure Bot Service: names, references and records.

mod address;
mod feedback;
mod name;
mod records;
mod reference;

pub use address::{Address, Destination, NoConversation};
pub use feedback::SubmittedFeedback;
pub use name::is_behind_azure;
pub(super) use name::outer;
pub use name::{PublicName, find};
pub use records::GREETING;
pub use records::{ConnectorRecords, Line, find_said};
pub use reference::{ConversationReference, NoReference};
