//! An activity of a livestream.

use super::super::place::Place;
use super::super::stream_info::StreamInfo;

/// An activity with its stream metadata.
#[derive(Debug)]
pub(in super::super) struct Streamed<'v> {
    pub(super) place: Place<'v>,
    pub(super) info: StreamInfo<'v>,
}

impl<'v> Streamed<'v> {
    pub(super) fn id(&self) -> Option<&'v str> {
        self.place.some_text("id")
    }

    pub(super) fn text(&self) -> Option<&'v str> {
        self.place.member("text").and_then(|text| text.value.as_str()).filter(|text| !text.is_empty())
    }
}
