//! Bytes of a provider: any format, to every dialect.
#![no_main]

use citewire_core::ingest::{Provider, ingest};
use citewire_fuzz::{check_answer, check_error};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((&[from, options], body)) = bytes.split_first_chunk::<2>() else { return };
    let from = Provider::all().nth(usize::from(from) % (Provider::all().count() + 1));
    match ingest(body, from) {
        Ok(answer) => check_answer(&answer, options),
        Err(error) => check_error(&error, body),
    }
});
