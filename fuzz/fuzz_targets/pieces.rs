//! Answers in pieces: any text, any rules, any cuts.
#![no_main]

use citewire_fuzz::{Case, check_pieces};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some(Case { mut answer, rules, numbers }) = Case::read(bytes) else { return };
    check_pieces(&mut answer, &rules, &numbers);
});
