// The bot that a team writes with the Agents SDK: it asks the back end by `fetch`, makes claims of the sources with the SDK's
// citation helper, and answers. Without credentials, as citewire in the same measurement.

import { ActivityHandler, CloudAdapter, MessageFactory } from "@microsoft/agents-hosting";
import { addAIToActivity } from "@microsoft/agents-activity";

// Every program that runs the bot has this as its first argument.
const backEnd = process.argv[2];
export const adapter = new CloudAdapter({});
export const bot = new ActivityHandler();

bot.onMessage(async (context, next) => {
  const question = context.activity.text;
  const response = await fetch(backEnd, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ question, messages: [{ role: "user", content: question }] }),
  });
  const { text, sources } = await response.json();
  const used = new Set([...text.matchAll(/\[(\d+)\]/g)].map(([, number]) => Number(number)));
  const claims = sources
    .map(({ title, url, content }, at) => ({
      "@type": "Claim",
      position: at + 1,
      appearance: { "@type": "DigitalDocument", name: title, url, abstract: content.slice(0, 160) },
    }))
    .filter(({ position }) => used.has(position));
  const answer = MessageFactory.text(text);
  addAIToActivity(answer, claims);
  await context.sendActivity(answer);
  await next();
});
