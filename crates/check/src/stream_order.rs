//! Checks the order of a stream by the rules of all channels.

use super::code;
use super::findings::Findings;
use super::pointer::Pointer;
use super::stream_info::StreamInfo;

/// The sequence numbers of one stream so far.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    highest: u64,
}

impl Numbers {
    /// Takes the number of the next activity, if it has one.
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

/// Reports attachments of an activity before the final one.
pub(super) fn report_attachments(activity: &Pointer, findings: &mut Findings) {
    findings.add(
        code::STREAM_ATTACHMENTS_EARLY,
        &activity.key("attachments"),
        "Attachments of a chunk are drawn and vanish again, or are not drawn at all. Send them with the final activity.",
    );
}

/// Reports an activity behind the end of its stream.
pub(super) fn report_late(activity: &Pointer, findings: &mut Findings) {
    findings.add(
        code::STREAM_AFTER_FINAL,
        activity,
        "The stream has ended before: the activity is ignored or refused. Send the final last.",
    );
}

/// Reports a stream that does not end in the document.
pub(super) fn report_open(last: &Pointer, findings: &mut Findings) {
    findings.add(
        code::STREAM_WITHOUT_FINAL,
        last,
        "No final activity follows in this document: until one arrives users see an answer that is still being written.",
    );
}
