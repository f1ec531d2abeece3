//! What holds for the order of a stream on every channel.

use super::code;
use super::findings::Findings;
use super::pointer::Pointer;
use super::stream_info::StreamInfo;

/// The numbers of one stream, as far as they have been read.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    highest: u64,
}

impl Numbers {
    /// Takes the number of the next activity, where it has one.
    pub(super) fn take(&mut self, info: &StreamInfo<'_>, findings: &mut Findings) {
        let Some(number) = info.sequence else { return };
        let at = info.at.key("streamSequence");
        if number <= self.highest {
            findings.add(
                code::STREAM_SEQUENCE_NOT_RISING,
                &at,
                format!("{number} does not come after {}: the activity is ignored.", self.highest),
            );
            return;
        }
        if self.highest > 0 && number > self.highest + 1 {
            findings.add(
                code::STREAM_SEQUENCE_GAP,
                &at,
                format!("{number} follows {}: users see no difference, but something was lost.", self.highest),
            );
        }
        self.highest = number;
    }
}

/// Attachments of an activity that is not the last one.
pub(super) fn report_attachments(activity: &Pointer, findings: &mut Findings) {
    findings.add(
        code::STREAM_ATTACHMENTS_EARLY,
        &activity.key("attachments"),
        "Attachments of a chunk are drawn and vanish again, or are not drawn at all. Send them with the final activity.",
    );
}

/// An activity that comes when its stream is over.
pub(super) fn report_late(activity: &Pointer, findings: &mut Findings) {
    findings.add(
        code::STREAM_AFTER_FINAL,
        activity,
        "The stream has ended before: the activity is ignored or refused. Send the final last.",
    );
}

/// A stream whose last activity in the document does not end it.
pub(super) fn report_open(last: &Pointer, findings: &mut Findings) {
    findings.add(
        code::STREAM_WITHOUT_FINAL,
        last,
        "No final activity follows in this document: until one arrives users see an answer that is still being written.",
    );
}
