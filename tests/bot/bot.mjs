// A bot of the Agents SDK, without credentials, as its users write them. The test drives it by what it says.
//
// It listens on a free port of 127.0.0.1, writes the port on stdout, and ends when stdin does.
import { createServer } from "node:http";
import { ActivityHandler, CloudAdapter, MessageFactory, StreamingResponse } from "@microsoft/agents-hosting";
import { Activity } from "@microsoft/agents-activity";

const adapter = new CloudAdapter({});
const references = new Map();

const bot = new ActivityHandler();

bot.onMembersAdded(async (context, next) => {
  for (const member of context.activity.membersAdded) {
    if (member.id !== context.activity.recipient.id) await context.sendActivity(`Welcome, ${member.id}.`);
  }
  await next();
});

bot.onMessage(async (context, next) => {
  const { activity } = context;
  const text = activity.text ?? "";
  if (activity.attachments?.length) {
    for (const attachment of activity.attachments) {
      const bytes = await (await fetch(attachment.contentUrl)).arrayBuffer();
      await context.sendActivity(`${attachment.name}: ${bytes.byteLength} bytes of ${attachment.contentType}`);
    }
  } else if (text === "stream") {
    const stream = new StreamingResponse(context);
    stream.setDelayInMs(1);
    stream.queueInformativeUpdate("Looking it up");
    for (const piece of ["One ", "two ", "three."]) {
      stream.queueTextChunk(piece);
      await stream.waitForQueue();
    }
    await stream.endStream();
  } else if (text === "sources") {
    const manifest = { text: "Leave is 30 days [1].", sources: [{ title: "Leave", url: "https://hr.example/leave" }] };
    await context.sendActivity(Activity.fromObject({ type: "message", text: "uncited", channelData: { citewire: { answer: manifest } } }));
  } else if (text === "typing") {
    await context.sendActivity(Activity.fromObject({ type: "typing" }));
    await context.sendActivity("typed");
  } else if (text === "later") {
    references.set(activity.conversation.id, activity.getConversationReference());
    await context.sendActivity("I will come back.");
  } else if (text === "fail") {
    throw new Error("as asked");
  } else {
    await context.sendActivities([MessageFactory.text(`You said: ${text}`), MessageFactory.text("Anything else?")]);
  }
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

async function read(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString() || "{}");
}

const server = createServer(async (request, response) => {
  dress(response);
  try {
    request.body = await read(request);
    if (request.url === "/api/messages") {
      await adapter.authorizeRequest(request, response, () => {});
      if (!response.writableEnded) await adapter.process(request, response, (context) => bot.run(context));
    } else if (request.url === "/notify") {
      for (const reference of references.values()) {
        await adapter.continueConversation({}, reference, (context) => context.sendActivity("Here I am again."));
      }
      response.status(200).send("{}");
    } else {
      response.status(404).send("{}");
    }
  } catch (error) {
    console.error(error);
    if (!response.writableEnded) response.status(500).send("{}");
  }
});

server.listen(0, "127.0.0.1", () => console.log(server.address().port));
process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
