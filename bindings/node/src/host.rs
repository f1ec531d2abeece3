//! The state of the module between two calls: texts of the host, the last result, open streams.

use std::collections::BTreeMap;

use citewire_calls::{Call, CallError, Stream};

/// Room beyond this is given back after a call.
const KEPT_BYTES: usize = 256 * 1024;

/// Texts of the host, the last result, and the streams that are open.
#[derive(Debug, Default)]
pub(crate) struct Host {
    pub(crate) body: Vec<u8>,
    pub(crate) parameters: Vec<u8>,
    pub(crate) result: Vec<u8>,
    streams: BTreeMap<u32, Stream>,
    last: u32,
}

impl Host {
    pub(crate) const fn new() -> Self {
        Self { body: Vec::new(), parameters: Vec::new(), result: Vec::new(), streams: BTreeMap::new(), last: 0 }
    }

    pub(crate) fn call(&mut self, call: Call) -> i32 {
        let written = call.run(&self.body, &self.parameters).map(Some);
        self.answer(written)
    }

    /// Begins a stream, and gives its number.
    pub(crate) fn begin(&mut self) -> i32 {
        match Stream::begin(&self.parameters) {
            Ok(stream) => {
                // Numbers that are in use come again after two thousand million streams.
                self.last = self.last % (i32::MAX as u32) + 1;
                self.streams.insert(self.last, stream);
                i32::try_from(self.last).unwrap_or(i32::MAX)
            }
            Err(error) => self.answer(Err(error)),
        }
    }

    pub(crate) fn push(&mut self, number: u32) -> i32 {
        let Self { body, streams, .. } = self;
        let written = streams.get_mut(&number).ok_or(CallError::StreamEnded).and_then(|stream| stream.push(body));
        self.answer(written)
    }

    pub(crate) fn so_far(&mut self, number: u32) -> i32 {
        let stream = self.streams.get_mut(&number).ok_or(CallError::StreamEnded);
        let written = stream.and_then(Stream::so_far);
        self.answer(written)
    }

    pub(crate) fn finish(&mut self, number: u32) -> i32 {
        let stream = self.streams.remove(&number).ok_or(CallError::StreamEnded);
        let written = stream.and_then(|mut stream| stream.finish()).map(Some);
        self.answer(written)
    }

    pub(crate) fn free(&mut self, number: u32) {
        self.streams.remove(&number);
    }

    /// Keeps a result for the host, and gives its length.
    fn answer(&mut self, written: Result<Option<Vec<u8>>, CallError>) -> i32 {
        let (result, sign) = match written {
            Ok(written) => (written.unwrap_or_default(), 1),
            Err(error) => (error.to_json(), -1),
        };
        self.result = result;
        for text in [&mut self.body, &mut self.parameters] {
            text.clear();
            text.shrink_to(KEPT_BYTES);
        }
        // Memory ends before this.
        sign * i32::try_from(self.result.len()).unwrap_or(i32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(host: &Host) -> String {
        String::from_utf8(host.result.clone()).expect("text")
    }

    #[test]
    fn a_call_gives_the_length_of_its_result_and_below_zero_that_of_an_error() {
        let mut host = Host { body: br#"{"text": "a"}"#.to_vec(), ..Host::default() };
        let length = host.call(Call::Convert);
        assert_eq!(usize::try_from(length), Ok(host.result.len()));
        assert!(read(&host).starts_with(r#"{"activities":"#));
        host.parameters = br#"{"channel": "fax"}"#.to_vec();
        let length = host.call(Call::Convert);
        assert_eq!(usize::try_from(-length), Ok(host.result.len()));
        assert!(read(&host).starts_with(r#"{"code":"unknown_channel""#));
    }

    #[test]
    fn streams_are_apart_and_a_number_that_is_none_says_so() {
        let mut host = Host::default();
        let (one, other) = (host.begin() as u32, host.begin() as u32);
        for (stream, word) in [(one, "One"), (other, "Other")] {
            host.body = format!("data: {{\"delta\": \"{word} \"}}\n\n").into_bytes();
            assert!(host.push(stream) >= 0);
        }
        assert!(host.finish(one) > 0 && read(&host).contains("One") && !read(&host).contains("Other"));
        for number in [one, 0, u32::MAX] {
            assert!(host.finish(number) < 0 && read(&host).contains("stream_ended"));
        }
        host.free(other);
        assert!(host.push(other) < 0 && read(&host).contains("stream_ended"));
    }
}
