// A bot of the Teams SDK that asks a back end and sends its answer as a cited message, streamed in personal chats.

import { Streaming } from '@citewire/core';
import { App } from '@microsoft/teams.apps';

/** Sends an answer, whole or in pieces; a personal chat shows it while it arrives. */
export async function sendCited({ activity, send, stream }, pieces, options) {
  const streaming = new Streaming({ channel: 'teams', options });
  const live = activity.conversation.conversationType === 'personal';
  let shown;
  for await (const { kind, text } of streaming.follow(pieces)) {
    if (!live) continue;
    if (kind === 'informative') stream.update(text);
    else stream.emit(text.slice(shown?.length));
    shown = kind === 'informative' ? '' : text;
  }
  const { message, continues } = streaming.finish();
  if (shown !== undefined && continues) {
    // The SDK adds texts up; this one is whole, with the claims. It closes the stream after the handler.
    stream.clearText();
    stream.emit(message);
  } else {
    await stream.close();
    await send(message);
  }
}

export const app = new App();

app.on('message', async (context) => {
  const response = await fetch(process.env.BACK_END, { method: 'POST', body: context.activity.text });
  await sendCited(context, response.body);
});
