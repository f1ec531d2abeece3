//! The table of the next step after each kind of refusal.

use crate::azure_bot::outbound::RefusalKind;

/// The kind of activity that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sent {
    /// The first activity of a stream.
    First,
    /// A later one, with a note or all of the text so far.
    Update,
    /// The end of a stream that does not have the answer, because its time is over or because the answer does not continue
    /// what was shown.
    Closing,
    /// The end of a stream with the answer.
    Final,
    /// The answer in the place of a stream that has ended.
    Replacement,
    /// An ordinary message.
    Message,
}

impl Sent {
    #[cfg(test)]
    pub(super) const ALL: [Self; 6] =
        [Self::First, Self::Update, Self::Closing, Self::Final, Self::Replacement, Self::Message];
}

/// The next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// As if it had been taken: the next update says the same and more.
    GoOn,
    /// The next update follows after a longer pause.
    Slower,
    /// No more updates. The stream still gets its final.
    Quiet,
    /// There is no stream. The answer is one plain message.
    Plain,
    /// The stream has ended without the answer, which takes its place where it can, and is a message of its own elsewhere.
    Over,
    /// The user wants nothing more.
    Stop,
    /// The final once more: when the first one was taken, the service says so.
    Again,
    /// The stream ends with what was shown, and then goes on as one that is over.
    Close,
    /// The final was taken by an earlier call. Where messages can be replaced, the answer takes its place to make sure.
    Settle,
    /// The answer as a message of its own.
    Message,
    /// Smaller parts follow.
    Smaller,
    /// The message goes without claims, with its sources in the text.
    Listed,
    /// There is no way.
    GiveUp,
}

/// The next step after the Bot Connector refused an activity. Each refusal of the service is one row of the table in
/// `docs/guides/teams.md`, and one arm here.
#[rustfmt::skip]
pub(super) fn after(sent: Sent, refused: RefusalKind) -> Next {
    use RefusalKind as R;
    match (sent, refused) {
        // A stream that cannot begin is none, whatever the reason.
        (Sent::First, R::Cancelled) => Next::Stop,
        (Sent::First, R::NoStreams | R::Unsupported) => Next::Plain,
        (Sent::First, R::Malformed | R::Changed | R::TooLarge | R::Completed | R::TimeOver | R::OutOfOrder) => Next::Plain,
        (Sent::First, R::Throttled | R::Faulty | R::Unavailable | R::Denied | R::Lost) => Next::Plain,

        (Sent::Update, R::OutOfOrder) => Next::GoOn,
        (Sent::Update, R::Throttled | R::Faulty | R::Unavailable) => Next::Slower,
        (Sent::Update, R::TimeOver | R::Completed) => Next::Over,
        (Sent::Update, R::Cancelled) => Next::Stop,
        (Sent::Update, R::NoStreams | R::Unsupported) => Next::Plain,
        // The final may still be taken: it is another text, or the fault has passed by then.
        (Sent::Update, R::Changed | R::TooLarge | R::Malformed | R::Denied | R::Lost) => Next::Quiet,

        (Sent::Closing, R::Cancelled) => Next::Stop,
        (Sent::Closing, R::NoStreams | R::Unsupported) => Next::Plain,
        (Sent::Closing, R::TimeOver | R::Completed | R::OutOfOrder | R::Changed | R::TooLarge | R::Malformed) => Next::Over,
        (Sent::Closing, R::Throttled | R::Faulty | R::Unavailable | R::Denied | R::Lost) => Next::Over,

        (Sent::Final, R::TimeOver | R::OutOfOrder) => Next::Over,
        (Sent::Final, R::Cancelled) => Next::Stop,
        (Sent::Final, R::Completed) => Next::Settle,
        (Sent::Final, R::Changed) => Next::Close,
        (Sent::Final, R::TooLarge) => Next::Smaller,
        (Sent::Final, R::Malformed) => Next::Listed,
        (Sent::Final, R::NoStreams | R::Unsupported) => Next::Message,
        (Sent::Final, R::Throttled | R::Faulty | R::Unavailable | R::Denied) => Next::Message,
        (Sent::Final, R::Lost) => Next::Again,

        (Sent::Replacement, R::Cancelled) => Next::Stop,
        (Sent::Replacement, R::TooLarge) => Next::Smaller,
        (Sent::Replacement, R::Malformed) => Next::Listed,
        (Sent::Replacement, R::NoStreams | R::Unsupported) => Next::Message,
        (Sent::Replacement, R::TimeOver | R::Completed | R::OutOfOrder | R::Changed) => Next::Message,
        (Sent::Replacement, R::Throttled | R::Faulty | R::Unavailable | R::Denied) => Next::Message,
        (Sent::Replacement, R::Lost) => Next::GiveUp,

        (Sent::Message, R::Cancelled) => Next::Stop,
        (Sent::Message, R::TooLarge) => Next::Smaller,
        // Citations that the service cannot read, or stumbles over.
        (Sent::Message, R::Malformed | R::Faulty) => Next::Listed,
        (Sent::Message, R::NoStreams | R::Unsupported) => Next::GiveUp,
        (Sent::Message, R::TimeOver | R::Completed | R::OutOfOrder | R::Changed) => Next::GiveUp,
        (Sent::Message, R::Throttled | R::Unavailable | R::Denied | R::Lost) => Next::GiveUp,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows of the service, by what they are called in the contract of Teams.
    #[test]
    fn row_by_row_a_refused_stream_goes_on_as_the_service_wants_it() {
        use RefusalKind as R;
        for (row, sent, refused, next) in [
            ("where: groups and channels", Sent::First, R::NoStreams, Next::Plain),
            ("where: emulators", Sent::First, R::Unsupported, Next::Plain),
            ("prefix rule", Sent::Final, R::Changed, Next::Close),
            ("prefix rule, update", Sent::Update, R::Changed, Next::Quiet),
            ("time", Sent::Final, R::TimeOver, Next::Over),
            ("time, update", Sent::Update, R::TimeOver, Next::Over),
            ("stop button", Sent::Update, R::Cancelled, Next::Stop),
            ("stop button, final", Sent::Final, R::Cancelled, Next::Stop),
            ("completed", Sent::Final, R::Completed, Next::Settle),
            ("size", Sent::Final, R::TooLarge, Next::Smaller),
            ("order", Sent::Update, R::OutOfOrder, Next::GoOn),
            ("quota", Sent::Update, R::Throttled, Next::Slower),
            ("empty", Sent::First, R::Malformed, Next::Plain),
            ("cards in citations", Sent::Final, R::Faulty, Next::Message),
            ("citations", Sent::Final, R::Malformed, Next::Listed),
        ] {
            assert_eq!(after(sent, refused), next, "{row}");
        }
    }

    #[test]
    fn a_stop_is_a_stop_whatever_was_sent_and_nothing_is_given_up_while_there_is_another_way() {
        for sent in Sent::ALL {
            assert_eq!(after(sent, RefusalKind::Cancelled), Next::Stop, "{sent:?}");
            for refused in RefusalKind::ALL {
                let next = after(sent, refused);
                let ends = matches!(sent, Sent::Message) || (sent, refused) == (Sent::Replacement, RefusalKind::Lost);
                assert!(ends || next != Next::GiveUp, "{sent:?} {refused:?}");
            }
        }
    }
}
