// citewire, by HTTP (`CITEWIRE_URL`, `CITEWIRE_API_KEY`) or by its command (`CITEWIRE_COMMAND`).

import { spawn } from "node:child_process";
import { Agent, request as post } from "node:http";

/** Formats that citewire knows by another name. */
const FORMATS = { answer: "citewire", ragflow: "openai-chat", zhipu: "openai-chat" };

const { CITEWIRE_URL, CITEWIRE_API_KEY, CITEWIRE_COMMAND } = process.env;

/** Connections are kept: thousands of requests go to one server. */
const agent = new Agent({ keepAlive: true });

/** Posts a body; resolves with the status and the text of the answer. */
function posted(route, body) {
  const headers = { authorization: `Bearer ${CITEWIRE_API_KEY}`, "content-type": "application/json" };
  return new Promise((found, failed) => {
    const asked = post(`${CITEWIRE_URL}/v1/${route}`, { method: "POST", agent, headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (data) => (text += data));
      answer.on("error", failed).on("end", () => found({ status: answer.statusCode, text }));
    });
    asked.on("error", failed).end(JSON.stringify(body));
  });
}

/** The reply of a route or of the command: the status is 200, or the exit code 0, when it is no refusal. */
async function byHttp(route, request) {
  const { status, text } = await posted(route, request);
  const body = JSON.parse(text);
  if (status !== 200) return { refused: body.detail ?? body.title };
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

/** Lets the process end. */
export const close = () => agent.destroy();
