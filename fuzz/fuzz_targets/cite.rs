//! Whole answers: any text, any rules.
#![no_main]

use citewire_core::cite::cite;
use citewire_fuzz::{Case, check_cited};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some(mut case) = Case::read(bytes) else { return };
    case.cite_spans();
    let cited = cite(&case.answer, &case.rules);
    check_cited(&case.answer, &case.rules, &cited);
});
