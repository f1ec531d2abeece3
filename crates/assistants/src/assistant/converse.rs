//! The dialogue with a back end, the same for every channel.

use super::failure::{Case, UNANSWERED};
use super::sink::{AnswerSink, Outcome};
use crate::upstream::{Reply, UpstreamError};

/// Waits for the reply, and has it shown and delivered. Where there is no answer, readers get words in its place.
pub(super) async fn converse<S: AnswerSink>(
    case: Case<'_>,
    mut sink: S,
    asking: impl Future<Output = Result<Reply, UpstreamError>> + Send,
) -> S::End {
    let reply = match sink.waiting(asking).await {
        Ok(Ok(reply)) => reply,
        Ok(Err(error)) => {
            case.failed(UNANSWERED, &error);
            return sink.close(case.assistant.options().in_place_of_answer(&error).into()).await;
        }
        Err(why) => {
            let words = case.interrupted(why);
            return sink.abandon(why, words).await;
        }
    };
    let conversion = sink.conversion(case.assistant).await;
    match sink.follow(conversion, reply.events).await {
        Outcome::Delivered { end, incomplete, report, time_up } => {
            if let Some(why) = incomplete {
                case.delivered_in_part(&why, &report, time_up);
            }
            end
        }
        Outcome::Undelivered { sink, cause, time_up } => sink.close(case.undelivered(&cause, time_up)).await,
        Outcome::Lost(end) => end,
    }
}
