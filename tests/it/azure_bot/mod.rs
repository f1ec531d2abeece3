//! `POST /api/messages`: what Azure Bot Service and other agents hand in, and what becomes of it. Points are those of the
//! checklist of the endpoint.

mod alone;
mod bad_input;
mod command;
mod ending;
mod inline;
mod kinds;
mod load;
mod points;
mod scene;
