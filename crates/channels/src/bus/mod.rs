//! The bus: what is shown and not recorded, such as the pieces of a livestream, reaches readers on other nodes by Redis or Valkey.
//!
//! Nothing is kept there. A lost connection costs readers elsewhere some pieces, never the message, which the store has.

mod address;
mod bus;
mod followed;
mod link;
mod message;
mod options;
mod outbox;
mod reach;
mod roots;
mod signature;
mod stream;

pub use address::{BusAddress, InvalidBusAddress};
pub use bus::{Announced, Bus, Following, Receiver};
pub use message::Message;
pub use options::{BusOptions, InvalidNamespace, Namespace, UnusedRoots};
pub use reach::Reach;
pub use roots::{BusRoots, InvalidRoots};
pub use signature::BusKey;
