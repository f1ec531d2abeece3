// Teams SDK for TypeScript: `MessageActivity.addCitation`. Its documentation has the model write `[n]`, and the author add the sources that
// the text names so.
//
//     npm install citation-conformance @microsoft/teams.api

import { MessageActivity } from "@microsoft/teams.api";

export default function answer({ channel, format, answer }) {
  if (channel !== "teams") return { unsupported: "the helper makes activities for Teams" };
  if (
    format !== "answer" ||
    typeof answer?.text !== "string" ||
    !Array.isArray(answer.sources) ||
    !answer.sources.every((source) => typeof source?.title === "string" && source.title.trim() !== "")
  ) {
    return { unsupported: "the helper takes a text and sources with names, no bodies of providers" };
  }
  const numbers = new Set([...answer.text.matchAll(/\[(\d+)\]/g)].map((match) => Number(match[1])));
  if (answer.annotations || (numbers.size === 0 && answer.sources.length > 0))
    return { unsupported: "the helper knows `[n]` alone" };
  if (answer.sources.some(({ label }) => label))
    return { unsupported: "the helper does not choose the label of a message" };
  const message = new MessageActivity(answer.text).addAiGenerated();
  answer.sources.forEach(({ title, url, content, keywords }, at) => {
    const abstract = (content ?? title ?? "").slice(0, 160);
    if (numbers.has(at + 1)) message.addCitation(at + 1, { name: title ?? "", abstract, url, keywords });
  });
  return JSON.parse(JSON.stringify(message));
}
