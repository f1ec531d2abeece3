// Vercel AI SDK: its providers read the body; `citations` of its texts say where sources stand, and its sources what there is.
//
//     npm install citation-conformance ai @ai-sdk/openai @ai-sdk/anthropic @ai-sdk/google @ai-sdk/perplexity

import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createPerplexity } from "@ai-sdk/perplexity";
import { generateText, streamText } from "ai";

globalThis.AI_SDK_LOG_WARNINGS = false;

const MODELS = {
  "openai-responses": (how) => createOpenAI(how).responses("gpt-5-mini"),
  "openai-chat": (how) => createOpenAI(how).chat("gpt-4o-search-preview"),
  anthropic: (how) => createAnthropic(how)("claude-sonnet-4-5"),
  gemini: (how) => createGoogle(how)("gemini-2.5-flash"),
  perplexity: (how) => createPerplexity(how)("sonar"),
};

/** The parts of the answer, as the SDK reads it, and why it ended. */
async function read(format, stream, answer) {
  const type = stream ? "text/event-stream" : "application/json";
  const model = MODELS[format]({
    apiKey: "none",
    fetch: async () => new Response(stream ? answer : JSON.stringify(answer), { headers: { "content-type": type } }),
  });
  const asked = { model, prompt: "?", maxRetries: 0, onError() {} };
  const { content, finishReason } = stream ? streamText(asked) : await generateText(asked);
  return [await content, await finishReason];
}

export default async function answer({ channel, format, stream, answer }) {
  if (channel !== "neutral") return { unsupported: "the SDK makes no activities" };
  if (!MODELS[format]) return { unsupported: `no provider for ${format} is tried` };
  const [found, ended, why] = await read(format, stream, answer).catch((error) => [[], "error", error]);
  if (why) return { refused: String(why) };
  const sources = [];
  const numberOf = ({ url, title, filename }, quote) => {
    const same = sources.findIndex((source) => source.url === url && source.title === (title ?? filename));
    if (same < 0) return sources.push({ title: title ?? filename, url, quote });
    sources[same].quote ??= quote;
    return same + 1;
  };
  // Sources first, in their order: `[n]` of Perplexity counts them.
  for (const part of found) if (part.type === "source") numberOf(part);
  const text = found
    .filter(({ type }) => type === "text")
    .map(({ text, citations = [] }) => {
      const ends = citations.map(({ source, endIndex, citedText }) => [
        endIndex ?? text.length,
        numberOf(source, citedText),
      ]);
      return ends.reverse().reduce((all, [end, number]) => `${all.slice(0, end)}[${number}]${all.slice(end)}`, text);
    });
  return { text: text.join(""), sources, complete: ended === "stop" };
}
