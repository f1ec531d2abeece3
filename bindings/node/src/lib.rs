//! The calls as a WebAssembly module that imports nothing: any host that can run WebAssembly can call it.
//!
//! A host asks [`body`] and [`parameters`] for room, writes there, and calls. What a call returns is the length of its result, which
//! stands at [`result`] until the next call; below zero it is that of an error, and 0 says that there is nothing. All is UTF-8, and
//! results are JSON. A stream is a number, which [`stream_free`] makes invalid.

mod exports;
mod host;

pub use exports::*;
