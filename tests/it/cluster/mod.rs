//! Several citewire processes over one PostgreSQL database, and whatever may happen to them.

mod bad_database;
mod bus;
mod clocks;
mod faults;
mod history;
mod load;
mod model;
mod node;
mod reader;
mod soak;
mod stage;
mod statements;
mod together;
