// Microsoft 365 Agents SDK for JavaScript: `StreamingResponse.setCitations`, which numbers sources and knows `[n]` and `[docN]`.
//
//     npm install citation-conformance @microsoft/agents-hosting @microsoft/agents-activity

import { Activity } from "@microsoft/agents-activity";
import { StreamingResponse } from "@microsoft/agents-hosting";

/** The turn of a question, whose answers are collected. */
function turn(sent) {
  const activity = Activity.fromObject({
    type: "message",
    text: "?",
    id: "q",
    channelId: "msteams",
    serviceUrl: "https://x.example/",
    deliveryMode: "stream",
    from: { id: "u" },
    recipient: { id: "b" },
    conversation: { id: "c", conversationType: "personal" },
  });
  const sendActivity = async (one) => {
    sent.push(JSON.parse(JSON.stringify(one)));
    return { id: "s" };
  };
  return { activity, sendActivity, updateActivity: sendActivity, turnState: new Map() };
}

export default async function answer({ channel, format, answer }) {
  if (channel !== "teams") return { unsupported: "the helper writes claims, and no link definitions for Web Chat" };
  if (
    format !== "answer" ||
    typeof answer?.text !== "string" ||
    !Array.isArray(answer.sources) ||
    !answer.sources.every((source) => typeof source?.title === "string" && source.title.trim() !== "")
  ) {
    return { unsupported: "the helper takes a text and sources with names, no bodies of providers" };
  }
  const isMarked = /\[(docs?)?\d+\]/i.test(answer.text);
  if (answer.annotations || (!isMarked && answer.sources.length > 0))
    return { unsupported: "the helper knows `[n]` and `[docN]` alone" };
  if (answer.sources.some(({ label }) => label))
    return { unsupported: "the helper does not choose the label of a message" };
  const sent = [];
  const response = new StreamingResponse(turn(sent));
  response.setDelayInMs(0);
  response.setGeneratedByAILabel(true);
  response.setCitations(answer.sources.map(({ title, url, content }) => ({ title, url, content: content ?? "" })));
  response.queueTextChunk(answer.text);
  await response.endStream();
  return sent.at(-1);
}
