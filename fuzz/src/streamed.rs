//! What must hold of bytes that arrive in pieces.

use citewire_core::answer::Answer;
use citewire_core::ingest::{AnswerStream, IngestError, Provider, StreamEvent, ingest};

/// Panics unless the bytes, cut into pieces of these lengths again and again, are the answer, or the error, that they are
/// as a whole.
pub fn check_stream(body: &[u8], from: Option<Provider>, lengths: &[u8]) -> Result<Answer, IngestError> {
    let whole = ingest(body, from);
    let mut told = String::new();
    let in_pieces = read(body, from, lengths, &mut told);
    match (&whole, &in_pieces) {
        (Ok(whole), Ok(in_pieces)) => {
            assert_eq!(whole, in_pieces, "the cut matters");
            // The last events may only be known to be whole when nothing follows. The whole response that ends a stream
            // overrules its pieces, and the report says so.
            let is_overruled = whole.warnings.iter().any(|entry| entry.code == "text-differs");
            assert!(
                is_overruled || whole.text.starts_with(&told),
                "told {told:?}, which does not begin {:?}",
                whole.text
            );
        }
        (Err(whole), Err(in_pieces)) => assert_eq!(whole.to_string(), in_pieces.to_string(), "the cut matters"),
        _ => panic!("as a whole {whole:?}, in pieces {in_pieces:?}"),
    }
    whole
}

fn read(body: &[u8], from: Option<Provider>, lengths: &[u8], told: &mut String) -> Result<Answer, IngestError> {
    let mut stream = AnswerStream::new(from);
    let mut at = 0;
    for piece in 0.. {
        if at >= body.len() {
            break;
        }
        let length = lengths.get(piece % lengths.len().max(1)).map_or(1, |length| usize::from(*length).max(1));
        let end = (at + length).min(body.len());
        for event in stream.push(&body[at..end])? {
            if let StreamEvent::Text(delta) = event {
                told.push_str(&delta);
            }
        }
        at = end;
    }
    stream.finish()
}
