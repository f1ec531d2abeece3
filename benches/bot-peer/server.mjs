// The bot that a team writes with the Agents SDK: it asks the back end by `fetch`, makes claims of the sources with the SDK's
// citation helper, and answers. Without credentials, as citewire in the same measurement. For `benches/activities.sh`.
//
//     node server.mjs BACK_END_URL

import { createServer } from "node:http";
import { ActivityHandler, CloudAdapter, MessageFactory } from "@microsoft/agents-hosting";
import { addAIToActivity } from "@microsoft/agents-activity";

const backEnd = process.argv[2];
const adapter = new CloudAdapter({});
const bot = new ActivityHandler();

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

// What Express does for a bot: the body, `status` and `send`.
function dress(response) {
  response.status = (code) => {
    response.statusCode = code;
    return response;
  };
  response.send = (body) => {
    response.end(typeof body === "string" ? body : JSON.stringify(body));
    return response;
  };
  return response;
}

const server = createServer(async (request, response) => {
  dress(response);
  try {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    request.body = JSON.parse(Buffer.concat(chunks).toString());
    await adapter.authorizeRequest(request, response, () => {});
    if (!response.writableEnded) await adapter.process(request, response, (context) => bot.run(context));
  } catch (error) {
    console.error(error);
    if (!response.writableEnded) response.status(500).send("{}");
  }
});

server.listen(0, "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${server.address().port}`));
