// A bot of the Microsoft 365 Agents SDK that asks a back end and sends its answer as a cited message.

import { Streaming } from '@citewire/core';
import { Activity } from '@microsoft/agents-activity';
import { AgentApplication, StreamingResponseResult } from '@microsoft/agents-hosting';

const { Success, UserCanceled } = StreamingResponseResult;

/** Sends an answer, whole or in pieces as the back end gives it; channels with streams show it while it arrives. */
export async function sendCited(context, pieces, options) {
  const streaming = new Streaming({ channel: context.activity.channelId, options });
  const stream = context.streamingResponse;
  let shown = '';
  for await (const { kind, text } of streaming.follow(pieces)) {
    if (kind === 'informative') stream.queueInformativeUpdate(text);
    else stream.queueTextChunk(text.slice(shown.length));
    if (kind === 'text') shown = text;
  }
  const { message, continues } = streaming.finish();
  // Group chats of Teams refuse the first update; from then on the SDK knows that they have no streams.
  await stream.waitForQueue();
  if (stream.isStreamingChannel && stream.updatesSent > 0) {
    if (continues) stream.setFinalMessage(Activity.fromObject(message));
    stream.setFeedbackLoop(Boolean(message.channelData?.feedbackLoop));
    const ended = await stream.endStream();
    if (ended === UserCanceled || (ended === Success && continues)) return;
  }
  await context.sendActivity(Activity.fromObject(message));
}

export const agent = new AgentApplication();

agent.onActivity('message', async (context) => {
  const response = await fetch(process.env.BACK_END, { method: 'POST', body: context.activity.text });
  await sendCited(context, response.body);
});
