//! Answers that are shown while they are sent.

mod broken;
mod joining;
mod sending;
mod shown;
