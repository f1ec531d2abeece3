mod asked;
mod redirected;
mod rules;
mod samples;

use citewire::ingest::{ingest, source_objects};
use citewire::output::{Records, records};
use serde_json::Value;

/// The records of an answer in the format that it looks like.
fn read(body: &[u8]) -> Records {
    let answer = ingest(body, None).expect("an answer");
    records(&answer, &source_objects(body, &answer.sources))
}

fn json_of(records: &Records) -> Value {
    serde_json::to_value(records).expect("JSON")
}
