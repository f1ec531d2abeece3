//! A citewire server of the test's own, and words for what a client does with it.

mod backend;
mod bot;
mod conversation;
mod dice;
pub(crate) mod native;
mod nodes;
mod request;
mod server;
mod serving;
mod socket;

pub(crate) use backend::Backend;
pub(crate) use bot::{BOT_SECRET, Bot, Reaction, binding};
pub(crate) use conversation::{Conversation, texts};
pub(crate) use dice::{Dice, number, sized};
pub(crate) use nodes::Nodes;
pub(crate) use request::{Request, header, respond};
pub(crate) use server::{API_KEY, DIRECT_LINE_SECRET, Setup, TestApp, answer};
pub(crate) use serving::{Serving, citewire};
pub(crate) use socket::Socket;
