//! The tokens of a text, and the gaps between them, hold every character of it.
#![no_main]

use citewire_core::cite::cover;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    cover(&String::from_utf8_lossy(bytes));
});
