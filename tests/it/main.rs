//! The integration tests, one binary. Each module says what belongs there.

mod check;
mod golden;
mod oracle;
