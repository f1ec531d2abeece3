//! Answers that are shown while they are sent.

mod broken;
mod elsewhere;
mod joining;
mod lost;
mod sending;
mod shown;
