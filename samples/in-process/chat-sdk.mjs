// A bot of the Chat SDK that asks a back end and posts its answer with its sources: Slack and Teams in their own forms, others as text.

import { createMemoryState } from '@chat-adapter/state-memory';
import { convert, Streaming } from '@citewire/core';
import { Chat } from 'chat';

/** A whole answer for the platform of an adapter. `raw` stays as it is; in Markdown an adapter may undo what citewire escaped. */
export function cited(adapter, answer, options) {
  const channel = ['slack', 'teams'].includes(adapter.name) ? adapter.name : 'plain';
  const { activities } = convert(answer, { channel, options: { ...options, self_contained: true } });
  const { text, channelData } = activities.at(-1);
  return { raw: channelData?.text ?? text };
}

/** An answer while it arrives, in Markdown with a list of its sources at the end. */
export async function* streamed(pieces, options) {
  const streaming = new Streaming({ channel: 'teams', options: { ...options, self_contained: true } });
  let shown = '';
  for await (const { kind, text } of streaming.follow(pieces)) {
    if (kind === 'informative') continue;
    yield text.slice(shown.length);
    shown = text;
  }
  const { message, continues } = streaming.finish();
  yield continues ? message.text.slice(shown.length) : `\n\n${message.text}`;
}

async function answer(thread, message) {
  const response = await fetch(process.env.BACK_END, { method: 'POST', body: message.text });
  const streams = thread.isDM && ['slack', 'teams'].includes(thread.adapter.name);
  await thread.post(streams ? streamed(response.body) : cited(thread.adapter, await response.text()));
}

/** The bot, on platforms such as `{ slack: createSlackAdapter(), teams: createTeamsAdapter() }`. */
export function createBot(adapters) {
  const bot = new Chat({ userName: 'handbook', adapters, state: createMemoryState() });
  bot.onDirectMessage(answer);
  bot.onNewMention(answer);
  return bot;
}
