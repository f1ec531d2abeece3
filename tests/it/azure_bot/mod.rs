//! `POST /api/messages`: what Azure Bot Service and other agents hand in, and what becomes of it: rules EP-01 to EP-13
//! (`docs/inside/policies.md`).

mod alone;
mod bad_input;
mod between;
mod command;
mod ending;
mod endpoint_rules;
mod inline;
mod kinds;
mod load;
mod scene;
mod takeover;
