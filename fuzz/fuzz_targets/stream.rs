//! Bytes of a provider that arrive in pieces: any format, any cuts.
#![no_main]

use citewire_core::ingest::Provider;
use citewire_fuzz::{check_answer, check_stream};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((&[from, options, a, b, c], body)) = bytes.split_first_chunk::<5>() else { return };
    let from = Provider::all().nth(usize::from(from) % (Provider::all().count() + 1));
    if let Ok(answer) = check_stream(body, from, &[a, b, c]) {
        check_answer(&answer, options);
    }
});
