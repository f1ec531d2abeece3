// citewire, by HTTP (`CITEWIRE_URL`, `CITEWIRE_API_KEY`) or by its command (`CITEWIRE_COMMAND`).

import { spawn } from "node:child_process";

/** Formats that citewire knows by another name. */
const FORMATS = { answer: "citewire", ragflow: "openai-chat", zhipu: "openai-chat" };

const { CITEWIRE_URL, CITEWIRE_API_KEY, CITEWIRE_COMMAND } = process.env;

/** The reply of a route or of the command: the status is 200, or the exit code 0, when it is no refusal. */
async function byHttp(route, request) {
  const answer = await fetch(`${CITEWIRE_URL}/v1/${route}`, {
    method: "POST",
    headers: { authorization: `Bearer ${CITEWIRE_API_KEY}`, "content-type": "application/json" },
    body: JSON.stringify(request),
  });
  const body = await answer.json();
  if (!answer.ok) return { refused: body.detail ?? body.title };
  return route === "records" ? body : body.activities.length > 1 ? body.activities : body.activities[0];
}

function byCommand(to, { from, answer }) {
  return new Promise((found, failed) => {
    const child = spawn(CITEWIRE_COMMAND, ["convert", "--from", from, "--to", to]);
    const [output, errors] = [[], []];
    child.stdout.on("data", (data) => output.push(data));
    child.stderr.on("data", (data) => errors.push(data));
    child.on("error", failed);
    child.on("close", (code) => {
      if (code === 0) found(JSON.parse(Buffer.concat(output).toString()));
      else if (code === 2 || code === 1) found({ refused: Buffer.concat(errors).toString() });
      else failed(new Error(`citewire ended with ${code}`));
    });
    child.stdin.on("error", () => {});
    child.stdin.end(typeof answer === "string" ? answer : JSON.stringify(answer));
  });
}

export default async function answer({ channel, format, answer }) {
  const request = { from: FORMATS[format] ?? format, answer };
  const isNeutral = channel === "neutral";
  const reply = CITEWIRE_COMMAND
    ? await byCommand(isNeutral ? "records" : channel, request)
    : await byHttp(isNeutral ? "records" : "activities", isNeutral ? request : { ...request, channel });
  if (!isNeutral || reply.refused) return reply;
  const { text, sources, complete } = reply;
  return { text, complete, sources: sources.map(({ title, url, snippet }) => ({ title, url, quote: snippet })) };
}
