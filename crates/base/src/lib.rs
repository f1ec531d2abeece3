//! The parts of the server that know nothing of conversations: outgoing connections, secrets, time, metrics.

pub mod clock;
pub mod digest;
pub mod egress;
pub mod expiring_map;
pub mod host_names;
pub mod metrics;
pub mod private_file;
pub mod sealing;
pub mod secret;
pub mod secret_source;
pub mod sse;
pub mod supervision;
