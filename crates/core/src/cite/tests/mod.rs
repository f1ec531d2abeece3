//! Tests of the core alone. `tests/engines` reads its output with the engines of Web Chat.

mod answers;
mod written;
