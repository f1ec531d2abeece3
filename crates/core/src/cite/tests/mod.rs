//! What holds of the core by itself. What it writes is read by the engines of Web Chat in `tests/engines`.

mod answers;
mod written;
