//! Follows redirects of sources to their target pages (rule RC-05); off by default.
//!
//! What a provider cites may be the address of a redirector that says nothing of the page. Whoever wants the page itself
//! lets citewire ask: few addresses at a time, for a short time, and never an address that is not public.

mod redirects;

pub use redirects::{RedirectLimits, Redirects};
