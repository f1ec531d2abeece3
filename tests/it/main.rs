//! The integration tests, one binary. Each module says what belongs there.

mod golden;
mod oracle;
