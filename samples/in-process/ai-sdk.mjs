// A route of a chat with the AI SDK: its UI message stream gets text with links, and the cited message as a data part.

import { Streaming } from '@citewire/core';
import { convertToModelMessages, createUIMessageStreamResponse, streamText, toUIMessageStream } from 'ai';

/** Puts citewire's text in place of text and sources; the part `data-cited` has the whole message with its claims. */
export function cite({ channel = 'web-chat', options } = {}) {
  const streaming = new Streaming({ from: 'vercel-ai-sdk', channel, options });
  let shown;
  let others = [];
  return new TransformStream({
    transform(chunk, controller) {
      const send = (...parts) => parts.forEach((part) => controller.enqueue(part));
      const show = (text) => {
        if (shown === undefined) send({ type: 'text-start', id: 'cited' });
        send({ type: 'text-delta', id: 'cited', delta: text.slice(shown?.length) });
        shown = text;
      };
      const update = streaming.push(`data: ${JSON.stringify(chunk)}\n\n`);
      if (update?.kind === 'text') show(update.text);
      if (chunk.type === 'finish' || chunk.type === 'abort') {
        const { message } = streaming.finish();
        if (!message.text.startsWith(shown ?? '')) {
          // Sources came behind the text that was shown: this step is told anew, with them.
          send({ type: 'reset-step' }, ...others);
          shown = undefined;
        }
        if (message.text) {
          show(message.text);
          send({ type: 'text-end', id: 'cited' }, { type: 'data-cited', id: 'cited', data: message });
        }
      }
      if (/^(text|source)-/.test(chunk.type)) return;
      send(chunk);
      others = chunk.type === 'start-step' ? [] : [...others, chunk];
    },
  });
}

export async function POST(request) {
  const { messages } = await request.json();
  const { stream } = streamText({ model: 'openai/gpt-5', messages: await convertToModelMessages(messages) });
  const parts = toUIMessageStream({ stream, sendSources: true });
  return createUIMessageStreamResponse({ stream: parts.pipeThrough(cite()) });
}
