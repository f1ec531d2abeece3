//! A sentence and its passages: verdicts about them, and the claims of an answer that cites them.
#![no_main]

use citewire_fuzz::check_support;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| check_support(text));
