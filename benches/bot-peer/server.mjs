// The bot on Node's own server, without Express, which would slow it down. For `benches/activities.sh`.
//
//     node server.mjs BACK_END_URL

import { createServer } from "node:http";
import { adapter, bot } from "./bot.mjs";

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
